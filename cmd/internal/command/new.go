package command

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

type newFlags struct {
	cli.Fields
	cli.Relating
	cli.Recording
	*cli.Gate
	Record newRecord
}

func newCommand(a *cli.App) *cobra.Command {
	f := &newFlags{Gate: &a.Gate}
	cmd := &cobra.Command{
		Use:   "new [--to OPERATOR] [--topic TOPIC]",
		Short: "Write a handoff in your editor; --kind makes a record",
		Long: `Write a handoff in your editor: VISUAL, EDITOR, vi, nano or notepad. What you
save is stored. Text that you pipe into the command is stored without an editor.
An unchanged text stores nothing. Your text is never lost: if it cannot be
stored, the message names its file.

--kind makes a record from flags instead, without an editor: the flags whose
words begin with its name. A packet gets a new resume token. A universal handoff
goes from skill to skill, and gets its trace_id, chain, token count and payload
hash.`,
		Example: `  handoff new --to ben --topic deploy
  echo 'Tests are green, deploy is open.' | handoff new --to ben
  handoff new --kind packet --to ben --topic deploy \
    --objective 'Move the deploy to the new runner' \
    --completed 'Runner set up' --unresolved 'The cache is cold' \
    --assumption 'The old runner stays until Friday' \
    --risk 'A slow first build' \
    --next-action 'Warm the cache with one build of main'
  handoff new --kind universal --from survey-reader --to report-writer \
    --workflow wf-17 --phase reading --problem-type research \
    --summary 'Forty interviews are read and coded.' --working themes.json`,
		RunE: func(_ *cobra.Command, _ []string) error { return create(a, f) },
	}
	flags := cmd.Flags()
	f.Fields.Declare(flags)
	f.Relating.Declare(flags)
	f.Recording.Declare(flags)
	f.Gate.Declare(flags)
	f.Record.declare(flags)
	return cmd
}

// create stores a new handoff: a piped text, a record of the flags, or a text from the editor.
func create(a *cli.App, f *newFlags) error {
	p, err := a.Project()
	if err != nil {
		return err
	}
	r := &f.Record
	if err := r.check(); err != nil {
		return err
	}
	if err := f.Apply(a, &f.Fields); err != nil {
		return err
	}
	if r.Kind == "" {
		in := cli.Input{App: a, Fields: f.Fields, At: f.At, Recording: f.Recording, AllowEmpty: r.AllowEmpty}
		sources, err := in.Piped()
		if err != nil {
			return err
		}
		if sources != nil {
			return cli.SameAgain(a.Write(sources), in.Took)
		}
	}
	if f.From == "" {
		f.From = p.Me()
	}
	f.Files = r.recorded(f.Work)
	if r.Kind != "" {
		if err := recordWork(a, f.Recording, &f.Fields); err != nil {
			return err
		}
		return r.store(a, p, f.Fields)
	}
	if f.To == "" && a.CanAsk() {
		if f.To, err = a.Ask("to: "); err != nil || f.To == "" {
			return cli.Invalid("add --to NAME", "no answer; nothing stored")
		}
	}
	return compose(a, f.Fields, f.At, standard, f.Recording)
}

// standard is the text that the editor opens with: the questions that a good handoff answers.
const standard = `# Where it stands

# What is open

# What to do next

# What to beware of
`

// recordWork adds the recorded commit and files to the references.
func recordWork(a *cli.App, recording cli.Recording, f *cli.Fields) error {
	refs, err := recording.References(a, true)
	f.References = append(f.References, refs...)
	return err
}

// compose opens start in the editor and stores the saved text. at is the time if the flags have none; "" is now.
func compose(a *cli.App, f cli.Fields, at, start string, recording cli.Recording) error {
	_, s, err := a.NewStore()
	if err != nil {
		return err
	}
	in := cli.Input{App: a, Fields: f, At: at}
	sources, err := in.Filled("", []byte(standard)) // the text can have a heading for the topic
	if err = in.Try(sources, err); err == nil {
		err = a.AskNames(s, sources)
	}
	if err != nil {
		return err
	}
	text, path, err := edited(a, start)
	if err != nil {
		return err
	}
	if f.Topic == "" && handoff.TopicOf(text) == handoff.TopicOf(start) {
		return cli.Invalid("add --topic NAME, or start the text with a new heading",
			"no topic\nyour text is kept in %s", path)
	}
	in.Recording, in.ForWork = recording, true
	var receipts []handoff.Receipt
	if sources, err = in.Filled("", []byte(text)); err == nil {
		receipts, err = s.WriteAll(context.Background(), sources)
	}
	if err != nil {
		return cli.SameAgain(fmt.Errorf("%w\nyour text is kept in %s", err, path), in.Took)
	}
	os.RemoveAll(filepath.Dir(path))
	return a.PrintReceipts(s, receipts)
}

// Compose opens start in the editor and stores the saved text. at is the time if the flags have none; "" is now.
func Compose(a *cli.App, f cli.Fields, at, start string) error {
	return compose(a, f, at, start, cli.Recording{})
}
