package txn

import (
	"context"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/journal"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// Trust replaces the file of pinned keys by the result of edit. The event records what changed.
func Trust(ctx context.Context, s *store.Store, edit func(old []byte) ([]byte, eventlog.Trusted, error)) error {
	return Locked(ctx, s, func(x *Session) error { return x.trust(edit) })
}

// trust replaces the pinned keys by the result of edit. If the text stays the same, it records nothing.
func (x *Session) trust(edit func(old []byte) ([]byte, eventlog.Trusted, error)) error {
	old, err := x.State.ReadIfThere(disk.Pins, disk.MaxOperators)
	if err != nil {
		return err
	}
	text, payload, err := edit(old)
	if err != nil || string(text) == string(old) {
		return err
	}
	return x.commit(&change{Record: journal.Record{Op: "trust", Put: []journal.File{stateFile(disk.Pins, text)}},
		events: []eventlog.Pending{{Type: eventlog.TypeTrust, Payload: payload}}})
}
