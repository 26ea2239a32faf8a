package command

import (
	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/record"
	runs "github.com/seed-78daf238/handoff/lib/run"
)

type onboardFlags struct {
	Project   string
	MaxRecent int
	Markdown  bool
	Agent     string
	MaxChars  int
}

func onboardCommand(a *cli.App) *cobra.Command {
	f := &onboardFlags{MaxRecent: 5}
	cmd := &cobra.Command{
		Use:   "onboard",
		Short: "Print what the next run of a project should know",
		Long: `Print what the next run of a project should know, as JSON: recent run records
(newest first), open assumptions and context debt, policy exceptions, next
steps, and warnings (stale, failed self-audit, no earlier handoff). In create
you can name an item by its key. --markdown is for people. --agent NAME puts the
text in a frame, which says that it is not an instruction. Nothing is changed.`,
		Example: `  handoff onboard
  handoff onboard --project shop --max-recent 3 --agent codex`,
		RunE: func(_ *cobra.Command, _ []string) error { return onboard(a, f) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.Project, "project", "", "the `project_id` of the records (default: the name of the "+
		"project root)")
	flags.Var(cli.Number(&f.MaxRecent), "max-recent", "show this `number` of recent records")
	flags.BoolVar(&f.Markdown, "markdown", false, "print Markdown, for people")
	flags.StringVar(&f.Agent, "agent", "", "put the text in a frame for this `agent`")
	flags.Var(cli.Number(&f.MaxChars), "max-chars", "with --agent: cut the framed text after this `number` "+
		"of characters")
	cli.Conflicts(cmd, "markdown", "json")
	cli.Conflicts(cmd, "agent", "json")
	cli.Needs(cmd, "max-chars", "agent")
	return cmd
}

func onboard(a *cli.App, f *onboardFlags) error {
	o := runs.OnboardOptions{ProjectID: f.Project, MaxRecent: f.MaxRecent}
	if o.MaxRecent < 1 {
		return cli.Invalid("use 1 or more", "--max-recent %d shows nothing", o.MaxRecent)
	}
	a.ForAgents = f.Agent != ""
	b, err := onboarding(a, o)
	if err != nil {
		return err
	}
	text := handoff.Escape(b.Markdown())
	if !f.Markdown {
		if text, err = handoff.JSON(b, "  "); err != nil {
			return err
		}
	}
	if f.Agent != "" {
		records := handoff.Stored{Document: handoff.Document{Body: text}}
		records.Entry.To = f.Agent
		return a.ShowFramed("onboard", records, handoff.Frame{MaxChars: f.MaxChars, Whole: handoff.MaxForAgents})
	}
	return a.Show(b, text)
}

// onboarding collects the run records of the project. Records that cannot be read become warnings.
func onboarding(a *cli.App, o runs.OnboardOptions) (runs.Onboarding, error) {
	_, s, err := a.ProjectStore()
	if err != nil {
		return runs.Onboarding{}, err
	}
	entries, withheld, err := record.Runs(s)
	if err != nil {
		return runs.Onboarding{}, err
	}
	if o.ProjectID == "" {
		o.ProjectID = a.ProjectName()
	}
	o.Now = a.Now()
	b := runs.Onboard(entries, o)
	for _, why := range fault.Lines(withheld, error.Error) {
		b.Warnings = append(b.Warnings, "left out, run `handoff verify`: "+handoff.EscapeLine(why))
	}
	return b, nil
}
