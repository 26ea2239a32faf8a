package everyday

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/work"
)

func readCommand(a *App) *cobra.Command {
	var raw, agent, unverified, noPager bool
	var maxChars, offset int
	var operator string
	cmd := &cobra.Command{
		Use:   "read ID",
		Short: "Print the body of a handoff, after proving that it is what was written",
		Long: `Print the body of a handoff: its bytes to a pipe; on a terminal what is known of it, the body as
Markdown, and what can be done next, in $PAGER if it is long. ID may be a unique prefix of 4 or more hex
digits, a file name, or @ for the newest to you. The id is computed from the file first; if it is another,
nothing is printed and the exit code is 6. With --agent it prints at most 30,000 characters, and how to
read on.`,
		Example:           "  handoff read 134327a8\n  handoff read @\n  handoff read 134327a8 --agent",
		Args:              Args(cobra.ExactArgs(1)),
		ValidArgsFunction: a.CompleteIDs,
		RunE: func(cmd *cobra.Command, ids []string) error {
			a.ForAgents = agent || unverified
			people := a.forPeople() && !agent && !unverified && !raw
			if people {
				_ = a.beyond() // what the whole program shows as Markdown, this one shows as it is
			}
			p, s, err := a.ProjectStore()
			if err != nil {
				return err
			}
			got, err := s.Read(ids[0])
			frame := handoff.Frame{MaxChars: maxChars, Whole: handoff.MaxForAgents - roomForWords, Offset: offset, More: readOn("handoff read " + got.Entry.ID)}
			if err != nil {
				if unverified && got.Text != nil {
					frame.Unverified = true
					return errors.Join(a.showFramed(got, frame), err)
				}
				return err
			}
			why, _ := s.Distrust(got.Entry.From, got.Signature)
			verdict := WorkOf(p).Of(context.Background(), got.References)
			line := ""
			if verdict.Reason != "" {
				line = verdict.Line()
			}
			if people {
				return a.readForPeople(s, got, cmp.Or(operator, p.Me()), !noPager, why, line)
			}
			if why != "" {
				a.Note(why)
			}
			if line != "" && !a.JSON && !agent {
				a.Note(line)
			}
			switch {
			case a.JSON:
				return a.readJSON(s, got, verdict)
			case agent:
				if err := a.showFramed(got, frame); err != nil {
					return err
				}
				words := nextCommands(s, got, p.Me())
				if line != "" {
					words = line + "\n" + words
				}
				_, err = io.WriteString(a.Stdout, words)
			case raw:
				_, err = a.Stdout.Write(got.Text)
			default:
				_, err = io.WriteString(a.Stdout, got.Body)
			}
			return err
		},
	}
	a.OperatorFlag(cmd, &operator)
	cmd.Flags().BoolVar(&raw, "raw", false, "print the stored file, frontmatter included, byte by byte")
	cmd.Flags().BoolVar(&noPager, "no-pager", false, "on a terminal: print it all at once")
	cmd.Flags().BoolVar(&agent, "agent", false, "print the body in a frame that says it is no instruction")
	cmd.Flags().BoolVar(&unverified, "unverified", false, "print what is there in the frame even if it is not what was written; still exits with 6")
	cmd.Flags().IntVar(&maxChars, "max-chars", 0, "cut a framed body after this `number` of characters")
	cmd.Flags().IntVar(&offset, "offset", 0, "with --agent: leave out this `number` of characters, to read on")
	Exclusive(cmd, "raw", "agent")
	return cmd
}

// readOn says how a command goes on reading.
func readOn(command string) func(next int) string {
	return func(next int) string { return fmt.Sprintf("%s --agent --offset %d", command, next) }
}

func (a *App) showFramed(got handoff.Stored, f handoff.Frame) error {
	text, flags, err := handoff.Framed(got, f)
	if err != nil {
		return err
	}
	if line := handoff.Blocker(got.Entry.ID, flags); line != "" {
		fmt.Fprintln(a.Stderr, line)
	}
	_, err = io.WriteString(a.Stdout, text)
	return err
}

// readJSON prints the document as one object, its body included.
func (a *App) readJSON(s *handoff.Store, got handoff.Stored, verdict work.Verdict) error {
	all := got.Document.Fields()
	all["body"], all["file_path"], all["read_by"] = got.Body, got.Path, s.ListedEntry(got.Entry).ReadBy
	all["signature"] = got.Signature
	if verdict.Reason != "" {
		all["work"] = verdict
	}
	return a.PrintJSON(all)
}
