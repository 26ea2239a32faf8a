package handoff

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/durable"
	"github.com/seed-78daf238/handoff/lib/internal/journal"
)

// recordAtOnce adds an event of a command that only reads, and reports whether it did: only if the lock is free
// within 200 ms, nothing is under way, there is a log, and this is the store's machine.
func (s *Store) recordAtOnce(ctx context.Context, e event) bool {
	if known, err := s.matchesMachine(); err != nil || !known {
		return false
	}
	x := &session{Store: s}
	defer x.end()
	if x.open() != nil || x.lock(ctx, 200*time.Millisecond) != nil {
		return false
	}
	if _, err := x.dir.Lstat(journal.IntentName); !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	log, err := x.log(false)
	if err != nil || log == nil {
		return false
	}
	defer log.Close()
	st := step{events: []event{e}}
	if x.link(log, &st) != nil {
		return false
	}
	err = log.Put([]byte(st.intent.LogLines), st.intent.LogOffset)
	if errors.Is(err, durable.ErrHalfWritten) {
		_ = log.Truncate(st.intent.LogOffset) // so that nothing follows what may not be on the disk
	}
	return err == nil
}

// A Validation is what the audit log keeps of the validation of a stored record.
type Validation struct {
	HandoffID string `json:"handoff_id"`
	Kind      string `json:"kind"`
	Valid     bool   `json:"valid"`
	Stage     string `json:"stage"` // the last one that ran
	Faults    int    `json:"faults"`
	Warnings  int    `json:"warnings"`
	Changes   int    `json:"changes,omitempty"` // of the repair that followed
}

// RecordValidation adds a validation to the audit log, and reports whether that was possible at once: it never waits
// long, and fails nothing.
func (s *Store) RecordValidation(ctx context.Context, v Validation) bool {
	return s.recordAtOnce(ctx, event{eventValidate, v})
}
