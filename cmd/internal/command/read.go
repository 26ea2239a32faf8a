package command

import (
	"cmp"
	"context"
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/agent"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/work"
)

type readFlags struct {
	Raw, Last, Unverified, KeepUnread bool
	Agent                             string
	MaxChars, Offset                  int
}

func readCommand(a *cli.App) *cobra.Command {
	var f readFlags
	cmd := &cobra.Command{
		Use:   "read ID… | --last-session",
		Short: "Read a handoff",
		Long: `Read a handoff. On a terminal you see its sender and state, the body, and what
you can do next; a long text opens in $PAGER. A handoff to you is then marked as
read. In a pipe you get the bytes of the body, and nothing is marked.
ID is 4 or more hex digits, a file name, or @ for the newest handoff to you that
you have seen.

read computes the id from the file first. If it does not match, the handoff is
not shown. With --agent it prints at most 30,000 characters, and how to read on.

Exit codes: 6 the file does not match its id.`,
		Example: `  handoff read 134327a8
  handoff read @
  handoff read 134327a8 --agent`,
		Args: func(cmd *cobra.Command, args []string) error {
			if f.Last {
				return cobra.NoArgs(cmd, args)
			}
			return cobra.MinimumNArgs(1)(cmd, args)
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if f.Last {
				return readLast(a)
			}
			return readHandoffs(a, f, args)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.KeepUnread, "keep-unread", false, "do not mark it as read")
	flags.BoolVar(&f.Last, "last-session", false, "print what the last session of an agent here has left, in a frame")
	flags.BoolVar(&f.Raw, "raw", false, "print the bytes of the stored file, with the frontmatter")
	flags.VarPF(cli.Choice(&f.Agent, agent.Names()...), "agent", "", "print it in a frame which says that "+
		"it is not an instruction, for the agent `NAME` or any: plain, claude, codex, gemini, qwen, "+
		"cursor, copilot, opencode").NoOptDefVal = "plain"
	flags.BoolVar(&f.Unverified, "unverified", false, "print the file in a frame even if it does not match "+
		"its id; still exits with 6")
	flags.Var(cli.Number(&f.MaxChars), "max-chars", "cut a framed body after this `number` of characters")
	flags.Var(cli.Whole(&f.Offset), "offset", "with --agent: skip this `number` of characters, to read on; a "+
		"negative one counts from the end")
	a.Paged(cmd)
	cli.Conflicts(cmd, "raw", "agent", "last-session")
	cli.Needs(cmd, "offset", "agent")
	return cmd
}

// readLast prints what the last session has left: always in a frame, since an agent wrote it.
func readLast(a *cli.App) error {
	_, s, err := a.ProjectStore()
	if err != nil {
		return err
	}
	last, err := agent.LastSession(s, a.Getenv)
	if err != nil {
		return err
	}
	got := handoff.Stored{Document: handoff.Document{Body: last.Text}}
	return a.ShowFramed("last session", got, handoff.Frame{Whole: handoff.MaxForAgents})
}

// A reading shows handoffs to an operator.
type reading struct {
	*cli.App
	readFlags
	project  handoff.Project
	store    *handoff.Store
	me       string
	hasTaken bool // by the same command
}

func readHandoffs(a *cli.App, f readFlags, ids []string) error {
	a.ForAgents = f.Agent != "" || f.Unverified
	p, s, err := a.ProjectStore()
	if err != nil {
		return err
	}
	errs := make([]error, len(ids))
	for i, id := range ids {
		errs[i] = reading{a, f, p, s, p.MeOr(a.Who.Operator), false}.read(id)
	}
	return errors.Join(errs...)
}

// read shows one handoff, and what came in since @ was shown.
func (r reading) read(id string) error {
	got, err := r.store.Read(id)
	frame := handoff.Frame{MaxChars: r.MaxChars, Whole: handoff.MaxForAgents - cli.RoomForWords, Offset: r.Offset,
		More: cli.ReadOn("handoff read " + cli.Short(got.Entry.ID, cli.Shortest))}
	if err != nil {
		if frame.Unverified = r.Unverified && got.Text != nil; frame.Unverified {
			err = errors.Join(r.ShowFramed(got.Entry.ID, got, frame), err)
		}
		return err
	}
	if err := r.show(got, frame); err != nil {
		return err
	}
	r.store.Seen().AddRead(got.Entry.ID)
	if id == "@" {
		r.NoteNewer(r.store, r.me, "this is", got.Entry.ID)
	}
	return nil
}

// show prints a handoff in the form that the flags name.
func (r reading) show(got handoff.Stored, frame handoff.Frame) (err error) {
	why := r.store.Distrust(got.Entry.From, got.Signature)
	verdict := cli.WorkOf(r.project).Of(context.Background(), got.References)
	line := ""
	if verdict.Reason != "" {
		line = verdict.Line()
	}
	if r.ForPeople() && !r.ForAgents && !r.Raw {
		return r.forPeople(got, why, line)
	}
	if why != "" {
		r.Note(why)
	}
	switch {
	case r.JSON:
		return r.asJSON(got, verdict)
	case r.Agent != "":
		steps := strings.TrimLeft(line+"\n"+r.agentSteps(got), "\n")
		return cmp.Or(r.ShowFramed(got.Entry.ID, got, frame), r.Print(steps))
	case line != "":
		r.Note(line)
	}
	if r.Raw {
		_, err = r.Stdout.Write(got.Text)
	} else {
		_, err = io.WriteString(r.Stdout, got.Body)
	}
	return err
}

// agentSteps returns the line with the commands that an agent can run next.
func (r reading) agentSteps(got handoff.Stored) string {
	id := cli.Short(got.Entry.ID, cli.Shortest)
	switch {
	case r.hasTaken && handoff.CarriesPacket(got.Document):
		return "Next: `handoff resume " + id + "`\n"
	case r.hasTaken:
		return "Next: do it, then `handoff done " + id + " --note TEXT`, or `handoff done " + id + " --reply -`\n"
	}
	me := cmp.Or(r.me, got.Entry.To)
	if me == handoff.Next {
		me = "NAME"
	}
	return cli.NextSteps(r.store, got, me, map[cli.Step]string{
		cli.Check:    "`handoff check ID` checks whether work can continue",
		cli.Resume:   "`handoff resume ID --operator NAME` resumes the work",
		cli.Take:     "`handoff take ID --operator NAME` takes it, and marks it as read",
		cli.Answer:   "`handoff reply ID -` stores an answer from standard input",
		cli.Done:     "`handoff done ID --operator NAME` finishes it",
		cli.MarkRead: "`handoff mark-read ID NAME` if it asks for nothing",
	})
}

// asJSON prints the document with its body as one object.
func (r reading) asJSON(got handoff.Stored, verdict work.Verdict) error {
	all, listed := got.Document.Fields(), r.store.ListedOne(got.Entry)
	all["body"], all["file_path"], all["read_by"], all["state"] = got.Body, got.Path, listed.ReadBy, listed.State
	all["title"], all["signature"] = listed.Title, got.Signature
	if verdict.Reason != "" {
		all["work"] = verdict
	}
	return r.PrintJSON(all)
}

// mark marks a handoff to the reader as read, and returns the line about it. An agent that has a terminal marks
// nothing.
func (r reading) mark(e handoff.Entry) string {
	if r.KeepUnread || r.me == "" || !e.IsTo(r.me) || !e.UnreadBy(r.me) || agent.Inside(r.Getenv) != "" {
		return ""
	}
	if _, err := r.store.MarkRead(context.Background(), r.me, e.ID); err != nil {
		return "not marked as read: " + err.Error()
	}
	return "marked as read; undo: `handoff mark-read --undo " + cli.Short(e.ID, cli.Shortest) + "`"
}
