package records

import (
	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/record"
	"github.com/seed-78daf238/handoff/lib/universal"
)

func hopCommand(a *app) *cobra.Command {
	var f cli.Fields
	var r newRecord
	var approved bool
	cmd := &cobra.Command{
		Use: "hop FILE|ID|- --to SKILL",
		Long: `Store the next universal handoff of a chain: the skill that received FILE hands
over to --to. The chain grows by one and keeps its trace_id. Flags replace
values of the record; artifacts and files are added. Time, token count and hash
are computed again. A skill that is already in the chain needs --reason, a
chain of more than 5 hops --approved.`,
		Example: "  handoff record hop 134327a8 --to report-writer --phase drafting " +
			"--summary 'The chapters are drafted.'\n" +
			"  handoff record hop draft.json --to survey-reader --reason 'two interviews are missing'",
		Args:              cli.Args(cobra.ExactArgs(1)),
		ValidArgsFunction: a.CompleteIDsOrFiles,
		RunE: func(_ *cobra.Command, names []string) error {
			if f.From != "" {
				return cli.Invalid("remove it", "--from: the sender is the skill that received the record")
			}
			p, err := a.Project()
			if err != nil {
				return err
			}
			got, err := a.recordOf(names[0])
			if err != nil {
				return err
			}
			if kind := record.Detect(got.text); kind != universal.Kind {
				return cli.Invalid("use a universal handoff", "%s is not a universal handoff", got.name)
			}
			r.Kind = universal.Kind
			if err := r.prepare(a, p, f, false); err != nil {
				return err
			}
			source, err := record.Hop(r.Making, got.text, got.id, approved)
			if err != nil {
				return err
			}
			return a.Write([]handoff.Source{source}, false, nil)
		},
	}
	f.Register(cmd)
	a.Gate.Register(cmd)
	r.registerKind(cmd, universal.Kind, "")
	cmd.Flags().BoolVar(&approved, "approved", false, "the user has approved a chain of more than 5 hops")
	return cmd
}
