package handoff

import (
	"context"

	"github.com/seed-78daf238/handoff/lib/internal/session"
)

// A Draft is what becomes a handoff unless its session dies first. It is on disk before anybody knows who
// takes over, and stays until it is published or discarded.
type Draft = session.Draft

func (s *Store) drafts() session.Box {
	return session.Box{At: s.at, MaxBytes: s.opt.MaxDocumentBytes, Screen: s.screenDraft}
}

// SaveDraft stores a draft durably and returns it with its ID and time. The same draft again is the one
// that is there. It needs no lock, since it only adds a file: a writer that hangs loses nobody's draft.
// Credentials in it are refused, allowed or redacted as in Write.
//
// A draft of a hook is stored only where a store of this machine is; it takes the place of the one that
// the same session left before.
func (a Sessions) SaveDraft(ctx context.Context, d Draft) (Draft, error) {
	return a.s.drafts().Save(ctx, d)
}

// Drafts returns the drafts, older ones first. One that is not what was saved is warned about and left out.
func (a Sessions) Drafts() ([]Draft, error) { return a.s.drafts().All() }

// CountDrafts returns how many drafts of this machine there are that the session did not leave itself.
func (a Sessions) CountDrafts(agent, session string) int { return a.s.drafts().Count(agent, session) }

// Draft returns the draft with the ID, or with a unique prefix of 4 or more digits. One that is not what
// was saved is ErrIntegrity.
func (a Sessions) Draft(id string) (Draft, error) { return a.s.drafts().Get(id) }

// RemoveDraft removes a draft that Draft or Drafts returned: one that was published, or that nobody wants.
// A draft that is gone is no error.
func (a Sessions) RemoveDraft(d Draft) error { return a.s.drafts().Remove(d) }

// EndSession takes back the draft that a session of an agent would leave if it died: it has ended, or
// written a handoff. An empty session stands for all of the agent that go on. It returns the draft,
// without an ID if there was none.
func (a Sessions) End(agent, session string) (left Draft, err error) {
	return a.s.drafts().EndSession(agent, session)
}
