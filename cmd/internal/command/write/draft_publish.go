package write

import (
	"cmp"
	"fmt"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

type publishFlags struct {
	cli.Fields
	*cli.Gate
}

func publishDraft(a *cli.App, f *publishFlags, ids []string) error {
	s, d, err := draft(a, ids)
	if err != nil {
		return err
	}
	sources, err := draftSources(a, d, f.Fields)
	if err != nil {
		return err
	}
	if err := a.Write(sources); err != nil {
		return err
	}
	if err := s.Sessions().RemoveDraft(d); err != nil {
		a.Note(fmt.Sprintf("the handoff is stored; %v", err))
	}
	return nil
}

func draftSources(a *cli.App, d handoff.Draft, f cli.Fields) ([]handoff.Source, error) {
	if d.IsDocument() {
		return (&cli.Input{App: a, Fields: f, At: d.Saved}).Filled("draft "+d.ID, []byte(d.Text))
	}
	f = cli.Fields(handoff.Document(f).Over(d.Document))
	f.Time = cmp.Or(f.Time, d.Saved)
	in := cli.Input{App: a, Fields: f}
	return in.Text("draft "+d.ID, []byte(d.Text))
}

type discardFlags struct{ Yes bool }

func discardDrafts(a *cli.App, f *discardFlags, ids []string) error {
	drafts := make([]handoff.Draft, len(ids))
	var s *handoff.Store
	for i, id := range ids {
		var err error
		if s, drafts[i], err = draft(a, []string{id}); err != nil {
			return err
		}
	}
	for _, d := range drafts {
		if !f.Yes && (!a.CanAsk() || !a.Confirm(fmt.Sprintf("Remove the draft %s of %s (%s) for good?", d.ID,
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
}
