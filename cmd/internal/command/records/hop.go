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
		Long: `Make and store the next universal handoff of a chain: the skill that it was addressed to hands over to
the next one. The chain gets one hop longer and keeps its trace_id; what the flags say replaces what the
record says, artifacts and files come to those that it has; time, count and hash are made anew. A skill
that is in the chain already needs --reason, a chain of more than 5 hops the user's approval.`,
		Example: `  handoff record hop 134327a8 --to report-writer --phase drafting --summary 'The chapters are drafted.'
  handoff hop draft.json --to survey-reader --reason 'two interviews are missing'`,
		Args:              cli.Args(cobra.ExactArgs(1)),
		ValidArgsFunction: a.CompleteIDsOrFiles,
		RunE: func(_ *cobra.Command, names []string) error {
			if f.From != "" {
				return cli.Invalid("leave it out", "--from: the skill that the record is addressed to hands over")
			}
			p, err := a.Project()
			if err != nil {
				return err
			}
			text, err := a.recordOf(names[0])
			if err != nil {
				return err
			}
			if kind := record.Detect(text.data); kind != universal.Kind {
				return cli.Invalid("only a chain of universal handoffs has hops", "%s is not a universal handoff", text.name)
			}
			r.Kind = universal.Kind
			if err := r.prepare(a, p, f, false); err != nil {
				return err
			}
			source, err := record.Hop(r.Making, text.data, text.id, approved)
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
