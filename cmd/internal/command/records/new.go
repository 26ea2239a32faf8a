package records

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

func newCommand(a *app) *cobra.Command {
	var f cli.Fields
	var r newRecord
	var recording cli.Recording
	var rel cli.Relating
	var template string
	cmd := &cobra.Command{
		Use: "new [--to OPERATOR] [--topic TOPIC]",
		Long: `Write a handoff in your editor: VISUAL, EDITOR, vi, nano or notepad. A template
opens, and what you save is stored. Text that you pipe into the command is
stored without an editor. An unchanged template stores nothing. Your text is
never lost: if it cannot be stored, you are told where the file is. On a
terminal, new asks for missing values. The templates of a project are in
.handoff/templates: default.md, and NAME.md for --template NAME.

--kind makes a record from flags instead, without an editor. On a terminal, new
asks for missing values. A packet gets a new resume token. A universal handoff
goes from skill to skill, and gets its trace_id, chain, token count and payload
hash.`,
		Example: `  handoff new --to ben --topic deploy
  echo 'Tests are green, deploy is open.' | handoff new --to ben
  handoff new --kind packet --to ben --topic deploy --objective 'Move the deploy to the new runner' \
    --completed 'Runner set up' --unresolved 'The cache is cold' --assumption 'The old runner stays until Friday' \
    --risk 'A slow first build' --next-action 'Warm the cache with one build of main'
  handoff new --kind universal --from survey-reader --to report-writer --workflow wf-17 --phase reading \
    --summary 'Forty interviews are read and coded.' --problem-type research --working themes.json`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := a.Project()
			if err != nil {
				return err
			}
			if err := r.check(); err != nil {
				return err
			}
			if err := rel.Apply(a.App, &f); err != nil {
				return err
			}
			if r.Kind == "" && template == "" {
				in := cli.Input{App: a.App, Fields: f, At: rel.At, Recording: recording}
				sources, err := in.Piped()
				if err != nil {
					return err
				}
				if sources != nil {
					return cli.SameAgain(a.Write(sources, false, nil), in.Took)
				}
			}
			if f.From == "" {
				f.From = p.Me()
			}
			recording.Files = r.recorded(recording.Work)
			if r.Kind != "" {
				if err := recordWork(a, recording, &f); err != nil {
					return err
				}
				return r.store(a, p, f)
			}
			return a.fromTemplate(p, f, rel.At, template, recording)
		},
	}
	f.Register(cmd)
	rel.Register(cmd)
	recording.Register(cmd, false)
	a.Gate.Register(cmd)
	r.register(cmd)
	cmd.Flags().StringVar(&template, "template", "", "start with the template `name` of the project")
	_ = cmd.RegisterFlagCompletionFunc("template", a.completeTemplates)
	return cmd
}

// fromTemplate opens a template in the editor and stores the text. On a terminal it asks for missing fields first.
func (a *app) fromTemplate(p handoff.Project, f cli.Fields, at, template string, recording cli.Recording) error {
	start, err := templateOf(p, template)
	if err == nil && a.CanAsk() {
		f.From = p.MeOr(f.From)
		err = a.askHead(p, &f)
	}
	if err != nil {
		return err
	}
	return a.compose(f, at, start, recording)
}

func (a *app) completeTemplates(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	p, err := a.Project()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return templateNames(p), cobra.ShellCompDirectiveNoFileComp
}

// recordWork adds the recorded commit and files to the references.
func recordWork(a *app, recording cli.Recording, f *cli.Fields) error {
	refs, err := recording.References(a.App, true)
	f.References = append(f.References, refs...)
	return err
}

// compose opens start in the editor and stores the saved text. at is the time if the flags have none; "" is now.
func (a *app) compose(f cli.Fields, at, start string, recording cli.Recording) error {
	took := ""
	if f.Time == "" {
		took = cmp.Or(at, a.UTCNow())
		f.Time = took
	}
	p, err := a.Project()
	if err != nil {
		return err
	}
	f.From = p.MeOr(f.From)
	_, s, err := a.NewStore()
	if err != nil {
		return err
	}
	if f.To == "" && s.Registry().IsAlone(f.From) {
		f.To = handoff.Next
	}
	doc, topic := f.Document(cmp.Or(start, standard)), f.Topic
	switch { // the text can have a heading for the topic
	case doc.From == "":
		return cli.UnknownOperator("--from")
	case doc.To == "":
		return cli.Invalid("add --to NAME", "no recipient")
	}
	doc.Topic = topic
	all, err := a.recipients(p, doc)
	if err != nil {
		return err
	}
	path := ""
	if doc.Body, path, err = a.edited(start); err != nil {
		return err
	}
	if doc.Topic = cmp.Or(topic, handoff.TopicOf(doc.Body)); topic == "" && doc.Topic == handoff.TopicOf(start) {
		return cli.Invalid("add --topic NAME, or start the text with a new heading",
			"no topic\nyour text is kept in %s", path)
	}
	if err := recordWork(a, recording, (*cli.Fields)(&doc)); err != nil {
		return fmt.Errorf("%w\nyour text is kept in %s", err, path)
	}
	receipts, err := s.WriteAll(context.Background(), toEach(doc, all))
	if err != nil {
		return cli.SameAgain(fmt.Errorf("%w\nyour text is kept in %s", err, path), took)
	}
	a.Wrote(s)
	os.RemoveAll(filepath.Dir(path))
	return a.PrintReceipts(s, receipts)
}

// toEach returns a source of the document for each recipient.
func toEach(doc handoff.Document, recipients []string) (sources []handoff.Source) {
	for _, to := range recipients {
		one := doc
		one.To = to
		sources = append(sources, handoff.Source{Fields: &one})
	}
	return sources
}

// Compose opens start in the editor and stores the saved text. at is the time if the flags have none; "" is now.
func Compose(run *cli.App, f cli.Fields, at, start string) error {
	return (&app{run}).compose(f, at, start, cli.Recording{})
}
