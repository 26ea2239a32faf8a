package txn

import (
	"context"

	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// trust pins the keys of an operator; the replacement of the file of pins commits it.
var trust = Operation{Name: "trust", committed: pinsAreThere, redo: setPins}

// Trust replaces the file of pinned keys by what edit makes of it. The event says what has changed.
func Trust(ctx context.Context, s *store.Store, edit func(old []byte) ([]byte, eventlog.Trusted, error)) error {
	return Locked(ctx, s, func(x *Session) error { return x.trust(edit) })
}

// trust replaces the pinned keys by what edit makes of them. Where that is the same nothing is recorded.
func (x *Session) trust(edit func(old []byte) ([]byte, eventlog.Trusted, error)) error {
	old, err := x.State.ReadIfThere(layout.Pins, layout.MaxOperators)
	if err != nil {
		return err
	}
	text, payload, err := edit(old)
	if err != nil || string(text) == string(old) {
		return err
	}
	return x.apply(step{op: &trust, intent: Intent{Pins: string(text)}, events: []eventlog.Pending{{Type: eventlog.TypeTrust, Payload: payload}}})
}

// setPins is the commit of a trust: one file is replaced and durable.
func setPins(x *Session, intent *Intent) error {
	return x.State.ReplaceNow(layout.Pins, []byte(intent.Pins), 0o600)
}

// pinsAreThere reports whether the pins are those of the intent.
func pinsAreThere(x *Session, intent *Intent) (bool, error) {
	text, err := x.State.ReadIfThere(layout.Pins, layout.MaxOperators)
	return text != nil && string(text) == intent.Pins, err
}
