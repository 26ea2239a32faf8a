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
	cmd.Use, cmd.Short = "reply ID [FILE|-]", "Answer a handoff"
	cmd.Long = `Answer a handoff. The answer goes to its sender, with the same topic and the
reference re:ID. If you are the sender, the answer goes to the same recipient
again. Flags override these values.

The text comes from FILE, or from what you pipe into the command. Without
either, your editor opens (VISUAL or EDITOR). A text with a frontmatter gets the
fields that it lacks; if it contradicts them, nothing is stored.`
	cmd.Example = "  echo 'Done, the cache is warm.' | handoff reply 134327a8\n" +
		"  handoff reply 134327a8 answer.md --tag ci"
	return cmd
}

func supersedeCommand(a *app) *cobra.Command {
	cmd := a.answerCommand(func(got handoff.Stored, _ string) (handoff.Document, string) {
		return handoff.Supersede(got.Entry), got.Body
	})
	cmd.Use, cmd.Short = "supersede ID [FILE|-]", "Replace a handoff by a newer one"
	cmd.Long = `Replace a handoff by a newer one, its successor. The successor has the same
sender, recipient and topic, and the reference supersedes:ID. Flags override
these values. The old handoff stays as it was written, but is no longer unread.
Only its sender or recipient can replace it.

The text comes from FILE, or from what you pipe into the command. Without
either, your editor opens with the old text (VISUAL or EDITOR). A text with a
frontmatter gets the fields that it lacks; if it contradicts them, nothing is
stored.

This is how you correct a stored handoff. Do not edit its file: a changed file
does not match its id.`
	cmd.Example = `  handoff supersede 134327a8
  echo 'The cache is warm now.' | handoff supersede @
  handoff supersede 134327a8 plan-2.md --expires 7d`
	return cmd
}

// answerCommand returns a command that stores a handoff about another one. begin returns its fields and the text that
// the editor starts with.
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
			got, err := s.Read(args[0])
			if errors.Is(err, handoff.ErrIntegrity) && got.Entry.ID != "" {
				a.Note(err.Error())
				err = nil // a handoff whose file was changed can be replaced: its id is known
			}
			if err != nil {
				return err
			}
			doc, start := begin(got, p.MeOr(f.From))
			if err := rel.Apply(a.App, &f); err != nil {
				return err
			}
			f.From, f.To, f.Topic = cmp.Or(f.From, doc.From), cmp.Or(f.To, doc.To), cmp.Or(f.Topic, doc.Topic)
			f.References = append(doc.References, f.References...)
			if f.From != got.Entry.From && !got.Entry.IsTo(f.From) &&
				strings.HasPrefix(doc.References[0], "supersedes:") {
				a.Note(got.Entry.ID + " is not replaced, since " + f.From +
					" is neither its sender nor its recipient: this is shown as a claim")
			}
			in := cli.Input{App: a.App, Fields: f, At: rel.At}
			sources, err := answerText(&in, args[1:])
			switch {
			case err != nil:
				return err
			case sources != nil:
				return cli.SameAgain(a.Write(sources, false, nil), in.Took)
			case a.Full == nil:
				return cli.ErrBeyond // the full program has the editor
			}
			return a.Full.Compose(a.App, f, rel.At, start)
		},
	}
	f.Register(cmd)
	rel.Register(cmd)
	a.Gate.Register(cmd)
	a.Sign.Register(cmd)
	return cmd
}

// answerText returns the sources of the text in a file, or of the piped text. They are nil if there is neither.
func answerText(in *cli.Input, files []string) ([]handoff.Source, error) {
	if len(files) == 0 {
		return in.Piped()
	}
	name, text, err := in.ReadNamed(files[0])
	if err != nil {
		return nil, err
	}
	return in.Text(name, text)
}
