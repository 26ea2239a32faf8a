package handoff

import (
	"context"
	"os"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/session"
)

// A Draft is text saved for later. It is on disk before its recipient is known. It stays until it is published or
// discarded.
//
// ID identifies the draft, and Saved is the time at which it was saved. Text is a body or a document with
// frontmatter. From, To, Topic, Tags and References are the known frontmatter of a body. Hook reports that the hook
// of an agent left it; Agent, Session and Process identify that session. Foreign reports that it was not saved on
// this machine, or is not authenticated.
type Draft = session.Draft

// A Kept is what an agent reported of the work of a session: the summary of a compaction, its last message, and an
// extract of its transcript.
type Kept = session.Kept

func (s *Store) drafts() session.Box {
	return session.Box{At: s.at, MaxBytes: s.opt.MaxDocumentBytes, Screen: s.screenDraft}
}

// SaveDraft stores a draft durably and returns it with its ID and time. If the same draft exists, SaveDraft returns
// that one. It adds a file and takes no lock, so a writer that hangs loses no draft. Credentials are refused, allowed
// or redacted as in Write.
//
// The draft of a hook is stored only if the store exists and belongs to this machine. It replaces the earlier draft
// of the same session.
func (a Sessions) SaveDraft(ctx context.Context, d Draft) (Draft, error) {
	return a.s.drafts().Save(ctx, d)
}

// Drafts returns the drafts, oldest first. A draft that was changed since it was saved is left out with a warning.
func (a Sessions) Drafts() ([]Draft, error) { return a.s.drafts().All() }

// CountDrafts returns the IDs of the drafts of this machine that hooks of other sessions left, and the number of those
// that were saved.
func (a Sessions) CountDrafts(agent, session string) (left []string, saved int) {
	return a.s.drafts().Count(agent, session)
}

// Draft returns the draft with the given ID, or with a unique prefix of 4 or more digits. The error is ErrIntegrity
// if the draft was changed since it was saved.
func (a Sessions) Draft(id string) (Draft, error) { return a.s.drafts().Get(id) }

// RemoveDraft removes a draft that Draft or Drafts returned. It is no error if the draft no longer exists.
func (a Sessions) RemoveDraft(d Draft) error { return a.s.drafts().Remove(d) }

// Keep changes the draft that the hook keeps for a session of an agent. change receives the draft, the zero Draft if
// there is none, and returns the one to store; without a text none is stored. Credentials are redacted. If the store
// has no machine yet, Keep does nothing unless begin is set. Keep also removes drafts of hooks older than 14 days.
func (a Sessions) Keep(agent, session string, begin bool, change func(old Draft) Draft) error {
	return a.s.drafts().Keep(context.Background(), agent, session, begin, change)
}

// Run records that this process runs a session that no hook knows, or with isOver that it needs no record any more.
// What the session holds can be taken over once the process has died.
func (a Sessions) Run(ctx context.Context, agent, session string, isOver bool) error {
	return a.s.drafts().Keep(ctx, agent, session, false, func(Draft) (d Draft) {
		if !isOver {
			d = Draft{Text: "the process of a session", Process: disk.Process(os.Getpid()), Wrote: true}
		}
		return d
	})
}

// Written records that a session of an agent wrote a handoff, so that the draft that the hook keeps for it never
// becomes visible. An empty session means all sessions of the agent that are still running.
func (a Sessions) Written(agent, session string) error {
	return a.s.drafts().Written(context.Background(), agent, session)
}
