package txn

import (
	"context"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/journal"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// A Signature is the signature of a handoff. It is a separate file.
type Signature struct {
	ID   string
	Text string // armored
	Key  string // the fingerprint of the key
}

// file returns the signature as a file of the store.
func (s Signature) file() journal.File {
	return journal.File{Name: journal.Name{Place: journal.Signatures, File: disk.SignatureFile(s.ID)},
		Text: journal.NewText([]byte(s.Text))}
}

// Sign stores a signature for a stored handoff. It replaces an existing one.
func Sign(ctx context.Context, s *store.Store, one Signature) error {
	return Locked(ctx, s, func(x *Session) error {
		return x.commit(&change{Record: journal.Record{Op: "sign", Put: []journal.File{one.file()}},
			events: []eventlog.Pending{{Type: eventlog.TypeSign,
				Payload: eventlog.Signed{HandoffID: one.ID, Key: one.Key}}}})
	})
}
