package command

import (
	"cmp"
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/agent"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/work"
)

type readFlags struct {
	*cli.Who
	Raw        bool
	Agent      string
	Unverified bool
	MaxChars   int
	Offset     int
}

func readCommand(a *cli.App) *cobra.Command {
	f := &readFlags{Who: &a.Who}
	cmd := &cobra.Command{
		Use:   "read ID…",
		Short: "Show a handoff",
		Long: `Show a handoff. In a pipe you get the bytes of its body. On a terminal you see
its sender, state and thread, the body as Markdown, and what you can do next; a
long text opens in $PAGER. ID is 4 or more hex digits, a file name, or @ for
the newest handoff to you.

read computes the id from the file first. If it does not match, the handoff is
not shown. Of several handoffs, read shows those that match. With --agent it
prints at most 30,000 characters of each, and how to read on.

Exit codes: 6 the file does not match its id.`,
		Example: `  handoff read 134327a8
  handoff read @
  handoff read 134327a8 --agent`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: a.CompleteIDs,
		RunE:              func(_ *cobra.Command, args []string) error { return readHandoffs(a, f, args) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.Raw, "raw", false, "print the bytes of the stored file, with the frontmatter")
	flags.VarPF(cli.Choice(&f.Agent, agent.Names()...), "agent", "", "print it in a frame which says that "+
		"it is not an instruction, for the agent `NAME` or any: plain, claude, codex, gemini, qwen, "+
		"cursor, copilot, opencode").NoOptDefVal = "plain"
	flags.BoolVar(&f.Unverified, "unverified", false, "print the file in a frame even if it does not match "+
		"its id; still exits with 6")
	flags.Var(cli.Number(&f.MaxChars), "max-chars", "cut a framed body after this `number` of characters")
	flags.Var(cli.Number(&f.Offset), "offset", "with --agent: skip this `number` of characters, to read on")
	a.Paged(cmd)
	cli.Conflicts(cmd, "raw", "agent")
	cli.Needs(cmd, "offset", "agent")
	return cmd
}

func readHandoffs(a *cli.App, f *readFlags, ids []string) error {
	a.ForAgents = f.Agent != "" || f.Unverified
	p, s, err := a.ProjectStore()
	if err != nil {
		return err
	}
	errs := make([]error, len(ids))
	for i, id := range ids {
		errs[i] = readOne(a, p, s, id, f)
	}
	return cli.FirstOf(errs)
}

func readsForPeople(a *cli.App, f *readFlags) bool { return a.ForPeople() && !a.ForAgents && !f.Raw }

func readOne(a *cli.App, p handoff.Project, s *handoff.Store, id string, f *readFlags) error {
	got, err := s.Read(id)
	frame := handoff.Frame{MaxChars: f.MaxChars, Whole: handoff.MaxForAgents - cli.RoomForWords, Offset: f.Offset,
		More: cli.ReadOn("handoff read " + got.Entry.ID)}
	if err != nil && f.Unverified && got.Text != nil {
		frame.Unverified = true
		return errors.Join(a.ShowFramed(got.Entry.ID, got, frame), err)
	}
	if err != nil {
		return err
	}
	why := s.Distrust(got.Entry.From, got.Signature)
	verdict := cli.WorkOf(p).Of(context.Background(), got.References)
	line := ""
	if verdict.Reason != "" {
		line = verdict.Line()
	}
	if readsForPeople(a, f) {
		return readForPeople(a, s, got, p.MeOr(f.Operator), why, line)
	}
	if why != "" {
		a.Note(why)
	}
	if f.Agent != "" && !a.JSON {
		return readForAgents(a, got, frame, line, nextForAgents(s, got, p.MeOr(f.Operator)))
	}
	if line != "" && !a.JSON {
		a.Note(line)
	}
	switch {
	case a.JSON:
		return readJSON(a, s, got, verdict)
	case f.Raw:
		_, err = a.Stdout.Write(got.Text)
	default:
		_, err = io.WriteString(a.Stdout, got.Body)
	}
	return err
}

// readForAgents prints the framed body, and below the frame the line about the work and the next commands.
func readForAgents(a *cli.App, got handoff.Stored, frame handoff.Frame, line, next string) error {
	if err := a.ShowFramed(got.Entry.ID, got, frame); err != nil {
		return err
	}
	if line != "" {
		next = line + "\n" + next
	}
	return a.Print(next)
}

// readJSON prints the document with its body as one object.
func readJSON(a *cli.App, s *handoff.Store, got handoff.Stored, verdict work.Verdict) error {
	all := got.Document.Fields()
	listed := s.ListedOne(got.Entry)
	all["body"], all["file_path"], all["read_by"], all["state"] = got.Body, got.Path, listed.ReadBy, listed.State
	all["title"] = listed.Title
	all["signature"] = got.Signature
	if verdict.Reason != "" {
		all["work"] = verdict
	}
	return a.PrintJSON(all)
}

// nextForAgents returns the steps with their commands.
func nextForAgents(s *handoff.Store, got handoff.Stored, me string) string {
	if me = cmp.Or(me, got.Entry.To); me == handoff.Next {
		me = "NAME"
	}
	return cli.NextSteps(s, got, me, map[cli.Step]string{
		cli.Check:    "`handoff check ID` checks whether work can continue",
		cli.Resume:   "`handoff resume ID --operator NAME` resumes the work",
		cli.Take:     "`handoff take ID --operator NAME` takes it, and marks it as read",
		cli.Answer:   "`handoff reply ID -` stores an answer from standard input",
		cli.Done:     "`handoff done ID --operator NAME` finishes it",
		cli.MarkRead: "`handoff mark-read ID NAME` if it asks for nothing",
	})
}
