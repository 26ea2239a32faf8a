package command

import (
	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/agent"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
	kinds "github.com/seed-78daf238/handoff/lib/kind"
)

type onboardFlags struct {
	Project         string
	MaxRecent       int
	Markdown, Agent bool
}

func onboardCommand(a *cli.App) *cobra.Command {
	f := &onboardFlags{MaxRecent: 5}
	cmd := &cobra.Command{
		Use:   "onboard",
		Short: "Print what the next run of a project should know",
		Long: `Print what the next run of a project should know, as JSON: recent run records
(newest first), open assumptions and context debt, policy exceptions, next
steps, memory proposals, what the last session left, and warnings (stale, failed
self-audit, no earlier handoff). create closes an item by its key. --markdown is
for people. --agent puts the text in a frame, which says that it is not an
instruction. Nothing is changed.`,
		Example: `  handoff onboard
  handoff onboard --project shop --max-recent 3 --agent`,
		Args: cobra.NoArgs,
		RunE: func(_ *cobra.Command, _ []string) error { return onboard(a, f) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.Project, "project", "",
		"the `project_id` of the records (default: the name of the project root)")
	flags.Var(cli.Number(&f.MaxRecent), "max-recent", "show this `number` of recent records")
	flags.BoolVar(&f.Markdown, "markdown", false, "print Markdown, for people")
	flags.BoolVar(&f.Agent, "agent", false, "put the text in a frame, for an agent")
	cli.Conflicts(cmd, "markdown", "json")
	cli.Conflicts(cmd, "agent", "json")
	return cmd
}

func onboard(a *cli.App, f *onboardFlags) error {
	a.ForAgents = f.Agent
	_, s, err := a.ProjectStore()
	if err != nil {
		return err
	}
	entries, withheld, err := s.Records().Runs()
	if err != nil {
		return err
	}
	if f.Project == "" {
		f.Project = a.RecordOptions(cli.Fields{}, "").Project
	}
	var left []string
	for _, why := range fault.Lines(withheld, error.Error) {
		left = append(left, "left out, run `handoff verify`: "+handoff.EscapeLine(why))
	}
	b := kinds.Onboard(entries, f.Project, f.MaxRecent, a.Now(), left)
	if last, err := agent.LastSession(s, a.Getenv); err == nil {
		b.Set("last_session", last.Text)
	}
	text := handoff.Escape(kinds.Sections("What the next run should know", b))
	if !f.Markdown {
		text = handoff.EscapeJSON(string(b.Indent()) + "\n")
	}
	if f.Agent {
		records := handoff.Stored{Document: handoff.Document{Body: text}}
		return a.ShowFramed("onboard", records, handoff.Frame{Whole: handoff.MaxForAgents})
	}
	return a.Show(b, text)
}
