package write

import (
	"cmp"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

func replyCommand(a *app) *cobra.Command {
	cmd := a.answerCommand(func(got handoff.Stored, me string) (handoff.Document, string) {
		return handoff.Reply(got.Entry, me), ""
	})
	cmd.Use, cmd.Short = "reply ID [FILE|-]", "Answer a handoff: back to who sent it, about the same"
	cmd.Long = `Store a handoff that answers another one: from and to are turned round, the topic is kept, and its
references say re: and the id. Who answers what they wrote themselves goes on writing to the same. Flags say
otherwise. The text is that of FILE or of standard input; without either, what is saved in $VISUAL or
$EDITOR. A FILE with a frontmatter of its own gets what that lacks; where it says otherwise, nothing is stored.`
	cmd.Example = "  echo 'Done, the cache is warm.' | handoff reply 134327a8 -\n  handoff reply 134327a8 answer.md --tag ci"
	return cmd
}

func supersedeCommand(a *app) *cobra.Command {
	cmd := a.answerCommand(func(got handoff.Stored, _ string) (handoff.Document, string) {
		return handoff.Supersede(got.Entry), got.Body
	})
	cmd.Use, cmd.Short = "supersede ID [FILE|-]", "Put a new handoff in the place of one: a correction, a newer state"
	cmd.Long = `Store a handoff that takes the place of another one: from, to and topic are kept, and its references say
supersedes: and the id. Flags say otherwise. The old one stays as it was written and is not unread any more,
if the new one is from who sent it or from whom it was for. The text is that of FILE or of standard input; without
either, $VISUAL or $EDITOR begins with the old one. A FILE with a frontmatter of its own gets what that lacks; where it
says otherwise, nothing is stored.

So a stored handoff is corrected: what is changed in its file does not verify any more.`
	cmd.Example = "  handoff supersede 134327a8\n  handoff supersede 134327a8 plan-2.md --expires 7d"
	return cmd
}

// answerCommand is a command that stores a handoff which begin makes from another one, with the text to begin with.
func (a *app) answerCommand(begin func(got handoff.Stored, me string) (handoff.Document, string)) *cobra.Command {
	var f cli.Fields
	var rel cli.Relating
	cmd := &cobra.Command{
		Args:              cli.Args(cobra.RangeArgs(1, 2)),
		ValidArgsFunction: a.CompleteIDs,
		RunE: func(_ *cobra.Command, args []string) error {
			p, s, err := a.ProjectStore()
			if err != nil {
				return err
			}
			if len(args) == 1 && a.Full == nil {
				return cli.ErrBeyond // which has the editor
			}
			got, err := s.Read(args[0])
			if errors.Is(err, handoff.ErrIntegrity) && got.Entry.ID != "" {
				a.Note(err.Error())
				err = nil // what was written is named, and what became of it is corrected
			}
			if err != nil {
				return err
			}
			doc, start := begin(got, cmp.Or(f.From, p.Me()))
			if err := rel.Apply(a.App, &f); err != nil {
				return err
			}
			f.From, f.To, f.Topic = cmp.Or(f.From, doc.From), cmp.Or(f.To, doc.To), cmp.Or(f.Topic, doc.Topic)
			f.References = append(doc.References, f.References...)
			if f.From != got.Entry.From && f.From != got.Entry.To && strings.HasPrefix(doc.References[0], "supersedes:") {
				a.Note("it does not take the place of " + got.Entry.ID + ", as " + f.From + " has neither sent nor received that: it is shown as a claim")
			}
			in := cli.Input{App: a.App, Fields: f, At: rel.At}
			if len(args) == 1 {
				return a.Full.Compose(a.App, f, rel.At, start)
			}
			name, text, err := in.Answer(args[1])
			if err != nil {
				return err
			}
			source, err := in.Text(name, text)
			if err != nil {
				return err
			}
			return cli.SameAgain(a.Write([]handoff.Source{source}, false, nil), in.Took)
		},
	}
	f.Register(cmd)
	rel.Register(cmd)
	a.Gate.Register(cmd)
	a.Sign.Register(cmd)
	return cmd
}
