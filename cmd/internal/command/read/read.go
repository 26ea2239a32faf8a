package read

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

// A reading says how a handoff is to be read.
type reading struct {
	raw, unverified, noPager bool
	receipts                 bool
	agent                    string // "" for none
	maxChars, offset         int
	operator                 string
}

func readCommand(a *app) *cobra.Command {
	var r reading
	cmd := &cobra.Command{
		Use:   "read ID…",
		Short: "Print the body of a handoff, after proving that it is what was written",
		Long: `Print the body of a handoff: its bytes to a pipe; on a terminal what is known of it, the body as
Markdown, and what can be done next, in $PAGER if it is long. ID may be a unique prefix of 4 or more hex
digits, a file name, or @ for the newest to you. The id is computed from the file first; if it is another,
nothing of it is printed and the exit code is 6. Of several, those that can be read are printed one after the
other. With --agent it prints at most 30,000 characters of each, and how to read on.

With --receipts it prints which sessions were told of it, whose they were and when, and who has marked it as read.
Receipts are best effort: a missing one proves nothing.`,
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
	cmd.Flags().BoolVar(&r.raw, "raw", false, "print the stored file, frontmatter included, byte by byte")
	cmd.Flags().BoolVar(&r.receipts, "receipts", false, "print who was told of it and who has read it, in place of the body")
	cmd.Flags().BoolVar(&r.noPager, "no-pager", false, "on a terminal: print it all at once")
	AgentFlag(cmd, &r.agent)
	cmd.Flags().BoolVar(&r.unverified, "unverified", false, "print what is there in the frame even if it is not what was written; still exits with 6")
	cli.Number(cmd.Flags(), &r.maxChars, "max-chars", "", "cut a framed body after this `number` of characters")
	cli.Number(cmd.Flags(), &r.offset, "offset", "", "with --agent: leave out this `number` of characters, to read on")
	cli.Exclusive(cmd, "raw", "agent")
	for _, flag := range []string{"raw", "agent", "unverified"} {
		cli.Exclusive(cmd, "receipts", flag)
	}
	cli.Needs(cmd, "offset", "agent")
	return cmd
}

// AgentFlag adds the flag of commands that print what others have written. The frame is that of every agent.
func AgentFlag(cmd *cobra.Command, name *string) {
	cli.Choice(cmd, name, "agent", "print it in a frame that says that it is not an instruction, for any agent or for `NAME`", agent.Names()...)
	cmd.Flags().Lookup("agent").NoOptDefVal = "plain"
}

func (a *app) readAll(ids []string, r reading) error {
	a.ForAgents = r.agent != "" || r.unverified
	if a.readsForPeople(r) {
		_ = a.Beyond() // what the whole program shows as Markdown, this one shows as it is
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
	frame := handoff.Frame{MaxChars: r.maxChars, Whole: handoff.MaxForAgents - cli.RoomForWords, Offset: r.offset, More: cli.ReadOn("handoff read " + got.Entry.ID)}
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
		return a.readForPeople(s, got, cmp.Or(r.operator, p.Me()), !r.noPager, why, line)
	}
	if why != "" {
		a.Note(why)
	}
	if r.agent != "" && !a.JSON {
		return a.readForAgents(got, frame, line, cli.NextCommands(s, got, p.Me()))
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

// readForAgents prints the framed body, and outside of the frame the line about the work and what can
// be done next.
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

// readJSON prints the document as one object, its body included.
func (a *app) readJSON(s *handoff.Store, got handoff.Stored, verdict work.Verdict) error {
	all := got.Document.Fields()
	listed := s.Listed([]handoff.Entry{got.Entry})[0]
	all["body"], all["file_path"], all["read_by"], all["state"] = got.Body, got.Path, listed.ReadBy, listed.State
	all["title"] = listed.Title
	all["signature"] = got.Signature
	if verdict.Reason != "" {
		all["work"] = verdict
	}
	return a.PrintJSON(all)
}
