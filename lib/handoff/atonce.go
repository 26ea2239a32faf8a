package handoff

import (
	"context"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

// RecordValidation adds a validation to the audit log, and reports whether that was possible at once:
// it never waits long, and fails nothing.
func (s *Store) RecordValidation(ctx context.Context, v eventlog.Validation) bool {
	return txn.TryRecord(ctx, s.at, eventlog.Pending{Type: eventlog.TypeValidate, Payload: v})
}

// RecordProbe is RecordValidation for what a probe found.
func (s *Store) RecordProbe(ctx context.Context, p eventlog.Probed) bool {
	return txn.TryRecord(ctx, s.at, eventlog.Pending{Type: eventlog.TypeProbe, Payload: p})
}

// Probed returns what this replica has recorded of the newest run of a probe, by the same definition
// on the same commit with no file changed, since a time.
func (s *Store) Probed(like eventlog.Probed, since time.Time) (eventlog.Probed, bool) {
	if ours, err := s.at.MatchesMachine(); err != nil || !ours {
		return eventlog.Probed{}, false
	}
	d, err := s.at.OpenPlace(s.opt.StateDir)
	if err != nil || d == nil {
		return eventlog.Probed{}, false
	}
	defer d.Close()
	found, ok, _ := txn.Probed(d, like, since) // what cannot be read stands for nothing
	return found, ok
}
