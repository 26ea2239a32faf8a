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

func (a *app) publishDraft(f *publishFlags, ids []string) error {
	s, d, err := a.draft(ids)
	if err != nil {
		return err
	}
	sources, err := a.draftSources(d, f.Fields)
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
}

func (a *app) draftSources(d handoff.Draft, f cli.Fields) ([]handoff.Source, error) {
	if d.IsDocument() {
		return (&cli.Input{App: a.App, Fields: f, At: d.Saved}).Filled("draft "+d.ID, []byte(d.Text))
	}
	f = cli.Fields(handoff.Document(f).Over(d.Document))
	f.Time = cmp.Or(f.Time, d.Saved)
	in := cli.Input{App: a.App, Fields: f}
	return in.Text("draft "+d.ID, []byte(d.Text))
}

type discardFlags struct{ Yes bool }

func (a *app) discardDrafts(f *discardFlags, ids []string) error {
	drafts := make([]handoff.Draft, len(ids))
	var s *handoff.Store
	for i, id := range ids {
		var err error
		if s, drafts[i], err = a.draft([]string{id}); err != nil {
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
