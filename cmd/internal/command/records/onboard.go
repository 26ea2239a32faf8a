package records

import (
	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/record"
	runs "github.com/seed-78daf238/handoff/lib/run"
)

type onboardFlags struct {
	Project   string
	MaxRecent int    `default:"5"`
	Markdown  bool   `not:"json"`
	Agent     string `not:"json"`
	MaxChars  int    `needs:"agent"`
}

func onboard(a *cli.App, f *onboardFlags, _ []string) error {
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
