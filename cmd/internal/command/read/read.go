package read

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/agent"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/work"
)

// A reading holds the flags of read.
type reading struct {
	raw, unverified  bool
	receipts         bool
	agent            string // "" if not given
	maxChars, offset int
	operator         string
}

func readCommand(a *app) *cobra.Command {
	var r reading
	cmd := &cobra.Command{
		Use:   "read ID…",
		Short: "Show a handoff; --receipts shows who has read it",
		Long: `Show a handoff. In a pipe you get the bytes of its body. On a terminal you see
its sender, state and thread, the body as Markdown, and what you can do next; a
long text opens in $PAGER. ID is 4 or more hex digits, a file name, or @ for
the newest handoff to you.

read computes the id from the file first. If it does not match, the handoff is
not shown. Of several handoffs, read shows those that match. With --agent it
prints at most 30,000 characters of each, and how to read on.

--receipts shows which sessions were told of the handoff, for which operator
and when, and who has marked it as read. Receipts are best effort: a missing
one proves nothing.

Exit codes: 6 the file does not match its id.`,
		Example:           "  handoff read 134327a8\n  handoff read @\n  handoff read 134327a8 --agent",
		Args:              cli.Args(cobra.MinimumNArgs(1)),
		ValidArgsFunction: a.CompleteIDs,
		RunE: func(_ *cobra.Command, ids []string) error {
			if r.receipts {
				return a.receipts(ids)
			}
			return a.readAll(ids, r)
		},
	}
	a.OperatorFlag(cmd, &r.operator)
	cmd.Flags().BoolVar(&r.raw, "raw", false, "print the bytes of the stored file, with the frontmatter")
	cmd.Flags().BoolVar(&r.receipts, "receipts", false,
		"show the sessions that were told of it and its readers, not its body")
	AgentFlag(cmd, &r.agent)
	cmd.Flags().BoolVar(&r.unverified, "unverified", false,
		"print the file in a frame even if it does not match its id; still exits with 6")
	cli.Number(cmd.Flags(), &r.maxChars, "max-chars", "", "cut a framed body after this `number` of characters")
	cli.Number(cmd.Flags(), &r.offset, "offset", "", "with --agent: skip this `number` of characters, to read on")
	cli.Exclusive(cmd, "raw", "agent")
	for _, flag := range []string{"raw", "agent", "unverified"} {
		cli.Exclusive(cmd, "receipts", flag)
	}
	cli.Needs(cmd, "offset", "agent")
	return cmd
}

// AgentFlag adds --agent to a command that prints text from others. The frame is the same for every agent.
func AgentFlag(cmd *cobra.Command, name *string) {
	cli.Choice(cmd, name, "agent", "print it in a frame which says that it is not an instruction, for the agent "+
		"`NAME` or any", agent.Names()...)
	cmd.Flags().Lookup("agent").NoOptDefVal = "plain"
}

func (a *app) readAll(ids []string, r reading) error {
	a.ForAgents = r.agent != "" || r.unverified
	if a.readsForPeople(r) {
		_ = a.Beyond() // the full program shows Markdown; without it the body is shown as it is
	}
	p, s, err := a.ProjectStore()
	if err != nil {
		return err
	}
	errs := make([]error, len(ids))
	for i, id := range ids {
		errs[i] = a.read(p, s, id, r)
	}
	return cli.FirstOf(errs)
}

func (a *app) readsForPeople(r reading) bool { return a.ForPeople() && !a.ForAgents && !r.raw }

func (a *app) read(p handoff.Project, s *handoff.Store, id string, r reading) error {
	got, err := s.Read(id)
	frame := handoff.Frame{MaxChars: r.maxChars, Whole: handoff.MaxForAgents - cli.RoomForWords, Offset: r.offset,
		More: cli.ReadOn("handoff read " + got.Entry.ID)}
	if err != nil && r.unverified && got.Text != nil {
		frame.Unverified = true
		return errors.Join(a.ShowFramed(got, frame), err)
	}
	if err != nil {
		return err
	}
	why, _ := s.Distrust(got.Entry.From, got.Signature)
	verdict := cli.WorkOf(p).Of(context.Background(), got.References)
	line := ""
	if verdict.Reason != "" {
		line = verdict.Line()
	}
	if a.readsForPeople(r) {
		return a.readForPeople(s, got, p.MeOr(r.operator), why, line)
	}
	if why != "" {
		a.Note(why)
	}
	if r.agent != "" && !a.JSON {
		return a.readForAgents(got, frame, line, nextForAgents(s, got, p.Me()))
	}
	if line != "" && !a.JSON {
		a.Note(line)
	}
	switch {
	case a.JSON:
		return a.readJSON(s, got, verdict)
	case r.raw:
		_, err = a.Stdout.Write(got.Text)
	default:
		_, err = io.WriteString(a.Stdout, got.Body)
	}
	return err
}

// readForAgents prints the framed body, and below the frame the line about the work and the next commands.
func (a *app) readForAgents(got handoff.Stored, frame handoff.Frame, line, next string) error {
	if err := a.ShowFramed(got, frame); err != nil {
		return err
	}
	if line != "" {
		next = line + "\n" + next
	}
	_, err := io.WriteString(a.Stdout, next)
	return err
}

// readJSON prints the document with its body as one object.
func (a *app) readJSON(s *handoff.Store, got handoff.Stored, verdict work.Verdict) error {
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
	e := got.Entry
	id, me := strings.TrimPrefix(e.ID, "sha256:")[:12], cmp.Or(me, e.To)
	if me == handoff.Next {
		me = "NAME"
	}
	return cli.NextSteps(s, got, me, map[cli.Step]string{
		cli.Check:  fmt.Sprintf("`handoff check %s` checks whether work can continue", id),
		cli.Resume: fmt.Sprintf("`handoff resume %s --operator %s` resumes the work", id, me),
		cli.Take:   fmt.Sprintf("`handoff take %s --operator %s` takes it, and marks it as read", id, me),
		cli.Answer: fmt.Sprintf("`handoff reply %s -` stores an answer from standard input", id),
		cli.Done:   fmt.Sprintf("`handoff done %s --operator %s` finishes it", id, me),
	})
}
