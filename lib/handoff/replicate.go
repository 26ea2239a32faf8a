package handoff

import (
	"context"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/durable"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

// Settled is a store of this machine in which nothing is under way.
type Settled struct {
	Writer  string
	LogSize int64 // of the part of the audit log that is on the disk for good
}

// Settle finishes or takes back what was interrupted, and says how far the store has come. A store
// that does not exist yet begins. Its errors are those of Write.
func (s *Store) Settle(ctx context.Context) (at Settled, err error) {
	defer func() { err = fault.Unpublished(err) }()
	if _, err := txn.Guard(s.at); err != nil {
		return at, err
	}
	err = txn.Locked(ctx, s.at, func(x *txn.Session) error {
		at.Writer, err = x.Writer()
		if err != nil {
			return err
		}
		log, done, err := eventlog.Open(x.State)
		if err != nil {
			return err
		}
		defer done()
		_, at.LogSize, err = eventlog.Tail(log, log.Size())
		return err
	})
	return at, err
}

// State opens the state directory, nil if there is none. The caller closes it.
func (s *Store) State() (*durable.Dir, error) { return s.at.OpenPlace(s.opt.StateDir) }

// Outside opens the directory of this store in the state of the user, outside of the project, and makes it
// where it is missing. The caller closes it. Its errors are those of the store's place: ErrConfig where the
// user has none.
func (s *Store) Outside() (*durable.Dir, error) { return s.at.Outside() }

// IsWhole reports whether a source that was refused is a valid document of the id that it has to have
// all the same: it may be stored at another time, or with other settings.
func (s *Store) IsWhole(src Source) bool {
	src, _, err := src.made()
	if err != nil {
		return false
	}
	draft, err := parse(src, s.opt.Rules, s.opt.MaxDocumentBytes)
	if err != nil {
		return false
	}
	doc := draft.Document()
	id, err := ID(doc)
	return err == nil && id == src.ID && (doc.HandoffID == "" || doc.HandoffID == id)
}
