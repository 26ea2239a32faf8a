package write

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

func draftPublishCommand(a *app) *cobra.Command {
	var f cli.Fields
	cmd := &cobra.Command{
		Use:   "publish [ID]",
		Short: "Store a draft as a handoff, then remove it",
		Long: `Store a draft as a handoff, as write does, and remove the draft once the
handoff is on disk. Flags add fields to the draft or replace them; a frontmatter
of its own keeps its fields, and flags add what it lacks. The time is that of
the draft, so you can repeat an interrupted publish: the handoff is the same.
Without ID it is the draft that draft show prints.`,
		Example:           "  handoff draft publish 3f9c --from ann --to ben --topic deploy",
		Args:              cli.Args(cobra.MaximumNArgs(1)),
		ValidArgsFunction: a.completeDrafts,
		RunE: func(_ *cobra.Command, ids []string) error {
			s, d, err := a.draft(ids)
			if err != nil {
				return err
			}
			sources, err := a.draftSources(d, f)
			if err != nil {
				return err
			}
			if err := a.Write(sources, false, nil); err != nil {
				return err
			}
			if err := s.Sessions().RemoveDraft(d); err != nil {
				a.Note(fmt.Sprintf("the handoff is stored; %v", err))
			}
			return nil
		},
	}
	f.Register(cmd)
	a.Gate.Register(cmd)
	return cmd
}

func (a *app) draftSources(d handoff.Draft, f cli.Fields) ([]handoff.Source, error) {
	if d.IsDocument() {
		return (&cli.Input{App: a.App, Fields: f, At: d.Saved}).Filled("draft "+d.ID, []byte(d.Text))
	}
	f.From, f.To, f.Topic, f.Time = cmp.Or(f.From, d.From), cmp.Or(f.To, d.To), cmp.Or(f.Topic, d.Topic),
		cmp.Or(f.Time, d.Time, d.Saved)
	f.Tags, f.References = append(d.Tags, f.Tags...), append(d.References, f.References...)
	in := cli.Input{App: a.App, Fields: f}
	return in.Text("draft "+d.ID, []byte(d.Text))
}

func draftDiscardCommand(a *app) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:               "discard ID…",
		Short:             "Remove drafts for good",
		Args:              cli.Args(cobra.MinimumNArgs(1)),
		ValidArgsFunction: a.completeDrafts,
		RunE: func(_ *cobra.Command, ids []string) error {
			drafts := make([]handoff.Draft, len(ids))
			var s *handoff.Store
			for i, id := range ids {
				var err error
				if s, drafts[i], err = a.draft([]string{id}); err != nil {
					return err
				}
			}
			for _, d := range drafts {
				if !yes && (!a.CanAsk() || !a.Confirm(fmt.Sprintf("Remove the draft %s of %s (%s) for good?", d.ID,
					d.Saved, handoff.EscapeLine(d.Topic)))) {
					return cli.Invalid("answer y, or add --yes", "the draft %s was not removed", d.ID)
				}
				if err := s.Sessions().RemoveDraft(d); err != nil {
					return err
				}
				if err := a.Did(map[string]string{"draft_id": d.ID}, "removed the draft "+d.ID); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return cmd
}
