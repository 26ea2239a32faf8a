package command

import (
	"cmp"
	"errors"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

type answerFlags struct {
	cli.Fields
	cli.Relating
	*cli.Gate
	*cli.Signing
	AllowEmpty []string
}

func replyCommand(a *cli.App) *cobra.Command {
	return answerCommand(a, true, &cobra.Command{
		Use:   "reply ID [FILE|-]",
		Short: "Answer a handoff",
		Long: `Answer a handoff. The answer goes to its sender, with the same topic and the
reference re:ID. If you are the sender, the answer goes to the same recipient
again. Flags override these values. @ is the handoff that you have taken.

The text comes from FILE, or from what you pipe into the command. Without
either, your editor opens (VISUAL or EDITOR). A text with a frontmatter gets the
fields that it lacks; if it contradicts them, nothing is stored.`,
		Example: `  echo 'Done, the cache is warm.' | handoff reply 134327a8
  handoff reply 134327a8 answer.md --tag ci`,
	})
}

func supersedeCommand(a *cli.App) *cobra.Command {
	return answerCommand(a, false, &cobra.Command{
		Use:   "supersede ID [FILE|-]",
		Short: "Replace a handoff by a newer one",
		Long: `Replace a handoff by a newer one, its successor. The successor has the same
sender, recipient and topic, and the reference supersedes:ID. Flags override
these values. The old handoff stays as it was written, but is no longer unread.
Only its sender or recipient can replace it.

The text comes from FILE, or from what you pipe into the command. Without
either, your editor opens with the old text (VISUAL or EDITOR). A text with a
frontmatter gets the fields that it lacks; if it contradicts them, nothing is
stored.

This is how you correct a stored handoff. Do not edit its file: a changed file
does not match its id.`,
		Example: `  handoff supersede 134327a8
  echo 'The cache is warm now.' | handoff supersede @
  handoff supersede 134327a8 plan-2.md --expires 7d`,
	})
}

// answerCommand gives reply and supersede what both have.
func answerCommand(a *cli.App, isReply bool, cmd *cobra.Command) *cobra.Command {
	f := &answerFlags{Gate: &a.Gate, Signing: &a.Signing}
	cmd.Args = cobra.RangeArgs(1, 2)
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, typed string) ([]string,
		cobra.ShellCompDirective) {
		if len(args) == 1 {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return a.CompleteIDs(cmd, args, typed)
	}
	cmd.RunE = func(_ *cobra.Command, args []string) error { return answer(a, f, args, isReply) }
	flags := cmd.Flags()
	f.Fields.Declare(flags)
	f.Relating.Declare(flags)
	f.Gate.Declare(flags)
	f.Signing.Declare(flags)
	flags.StringArrayVar(&f.AllowEmpty, "allow-empty", nil, "accept an empty body (`field`)")
	return cmd
}

// answer stores a reply to a handoff, or its successor. If the file of the handoff was changed, the changed text is the
// successor, unless another one is given.
func answer(a *cli.App, f *answerFlags, args []string, isReply bool) error {
	p, s, err := a.ProjectStore()
	if err == nil && isReply && args[0] == "@" {
		args[0], err = a.Taken(s, p.MeOr(f.From), a.SessionID())
	}
	if err != nil {
		return err
	}
	got, err := s.Read(args[0])
	isChanged := errors.Is(err, handoff.ErrIntegrity) && got.Entry.ID != ""
	var notes []string
	if isChanged {
		notes = append(notes, err.Error())
	} else if err != nil {
		return err
	}
	doc, start := handoff.Supersede(got.Entry), got.Body
	if isReply {
		doc, start = handoff.Reply(got.Entry, p.MeOr(f.From)), ""
	}
	if err := f.Apply(a, &f.Fields); err != nil {
		return err
	}
	f.From, f.To, f.Topic = cmp.Or(f.From, doc.From), cmp.Or(f.To, doc.To), cmp.Or(f.Topic, doc.Topic)
	f.References = append(doc.References, f.References...)
	if f.From != got.Entry.From && !got.Entry.IsTo(f.From) && !isReply {
		notes = append(notes, got.Entry.ID+" is not replaced, since "+f.From+
			" is neither its sender nor its recipient: this is shown as a claim")
	}
	in := cli.Input{App: a, Fields: f.Fields, At: f.At, AllowEmpty: f.AllowEmpty}
	changed := handoff.Stored{}
	if isChanged && !isReply {
		changed = got
	}
	sources, err := answerText(&in, args[1:], changed)
	if err != nil {
		return in.Kept(err)
	}
	for _, note := range notes {
		a.Note(note)
	}
	if sources != nil {
		return in.Kept(cli.SameAgain(a.Write(sources), in.Took))
	}
	return Compose(a, f.Fields, f.At, start)
}

// answerText returns the sources of the text in a file, otherwise of the piped text, otherwise of the changed handoff.
// Without any of the three, it returns nil: the answer is written in the editor.
func answerText(in *cli.Input, files []string, changed handoff.Stored) (sources []handoff.Source, err error) {
	name, text := changed.Entry.File, []byte(changed.Body)
	if len(files) > 0 {
		name, text, err = in.ReadNamed(files[0])
	} else if sources, err = in.Piped(); sources != nil {
		return sources, nil
	}
	if err != nil || name == "" {
		return nil, err
	}
	return in.Text(name, text)
}
