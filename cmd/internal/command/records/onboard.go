package records

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/record"
	runs "github.com/seed-78daf238/handoff/lib/run"
)

func onboardCommand(a *app) *cobra.Command {
	o := runs.OnboardOptions{MaxRecent: runs.DefaultMaxRecent}
	var agent string
	var maxChars int
	var markdown bool
	cmd := &cobra.Command{
		Use: "onboard",
		Long: `Print what the next run of a project should know, as JSON: recent run records
(newest first), open assumptions and context debt, policy exceptions, next
steps, drafts of sessions, and warnings (stale, failed self-audit, no earlier
handoff). An item with a key can be named by that key in record create.
--markdown is for people. --agent NAME puts the text in a frame which says that
it is not an instruction. Nothing is changed.`,
		Example: "  handoff record onboard\n  handoff record onboard --project shop --max-recent 3 --agent codex",
		Args:    cli.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("max-recent") && o.MaxRecent < 1 {
				return cli.Invalid("use 1 or more", "--max-recent %d shows nothing", o.MaxRecent)
			}
			a.ForAgents = agent != ""
			b, err := a.onboarding(o)
			if err != nil {
				return err
			}
			text := handoff.Escape(b.Markdown())
			if !markdown {
				if text, err = handoff.JSON(b, "  "); err != nil {
					return err
				}
			}
			if agent != "" {
				return a.onboardAgent(agent, text, maxChars)
			}
			return a.Show(b, text)
		},
	}
	cmd.Flags().StringVar(&o.ProjectID, "project", "",
		"the `project_id` of the records (default: the name of the project root)")
	cli.Number(cmd.Flags(), &o.MaxRecent, "max-recent", "", "show this `number` of recent records")
	cmd.Flags().BoolVar(&markdown, "markdown", false, "print Markdown, for people")
	cmd.Flags().StringVar(&agent, "agent", "", "put the text in a frame for this `agent`")
	cli.Number(cmd.Flags(), &maxChars, "max-chars", "",
		"with --agent: cut the framed text after this `number` of characters")
	cli.Exclusive(cmd, "markdown", "json")
	cli.Exclusive(cmd, "agent", "json")
	cli.Needs(cmd, "max-chars", "agent")
	return cmd
}

// onboarding collects the run records of the project. Records that cannot be read become warnings.
func (a *app) onboarding(o runs.OnboardOptions) (runs.Onboarding, error) {
	p, s, err := a.ProjectStore()
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
	o.MaxAge, o.Now = p.Settings.MaxAge.Value, a.Now()
	b := runs.Onboard(entries, o)
	drafts, err := s.Sessions().Drafts()
	if err != nil {
		return runs.Onboarding{}, err
	}
	for _, d := range drafts {
		if d.Foreign {
			continue // from another machine
		}
		b.Drafts = append(b.Drafts, runs.Left{ID: d.ID, Saved: d.Saved, Agent: d.Agent, Topic: d.Topic})
		b.Warnings = append(b.Warnings, "a session left a draft and no handoff: see `handoff draft show "+d.ID+"`")
	}
	for _, why := range fault.Lines(withheld, error.Error) {
		b.Warnings = append(b.Warnings, "left out, run `handoff verify`: "+handoff.EscapeLine(why))
	}
	return b, nil
}

func (a *app) onboardAgent(agent, text string, maxChars int) error {
	records := handoff.Stored{Document: handoff.Document{Body: text}}
	records.Entry.To = agent
	framed, flags, err := handoff.Framed(records, handoff.Frame{MaxChars: maxChars, Whole: handoff.MaxForAgents})
	if err != nil {
		return err
	}
	if line := handoff.Blocker("onboard", flags); line != "" {
		fmt.Fprintln(a.Stderr, line)
	}
	_, err = io.WriteString(a.Stdout, framed)
	return err
}
