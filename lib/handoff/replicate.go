package handoff

import (
	"context"

	"github.com/seed-78daf238/handoff/lib/fault"

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
func (x Exchange) Settle(ctx context.Context) (at Settled, err error) {
	defer func() { err = fault.Unpublished(err) }()
	if _, err := txn.Guard(x.s.at); err != nil {
		return at, err
	}
	err = txn.Locked(ctx, x.s.at, func(x *txn.Session) error {
		at.Writer, err = x.Writer()
		if err != nil {
			return err
		}
		log, done, err := eventlog.Open(x.State)
		if err != nil {
			return err
		}
		defer done()
		if err := x.Checkpoint(); err != nil { // others rely on what they are sent
			return err
		}
		_, at.LogSize, err = eventlog.Tail(log, log.Size())
		return err
	})
	return at, err
}

// State opens the state directory, nil if there is none. The caller closes it.
func (x Exchange) State() (*Dir, error) { return x.s.at.OpenPlace(x.s.opt.StateDir) }

// Outside opens the directory of the store in the user's state, and makes it where it is missing: what is
// exchanged with remotes lies there. ErrConfig is that there is no such place. The caller closes it.
func (x Exchange) Outside() (*Dir, error) { return x.s.at.Outside() }

// OutsidePath returns the path that [Exchange.Outside] opens, without making it.
func (x Exchange) OutsidePath() (string, error) { return x.s.at.OutsidePath() }

// CheckSent returns ErrIntegrity if the audit log is not what sync has sent of it, or more.
func (x Exchange) CheckSent() error { return x.s.at.CheckSent() }

// IsWhole reports whether a source that was refused is a valid document of the id that it has to have
// all the same: it may be stored at another time, or with other settings.
func (x Exchange) IsWhole(src Source) bool {
	src, _, err := src.made()
	if err != nil {
		return false
	}
	draft, err := parse(src, x.s.opt.Rules, x.s.opt.MaxDocumentBytes)
	if err != nil {
		return false
	}
	doc := draft.Document()
	id, err := ID(doc)
	return err == nil && id == src.ID && (doc.HandoffID == "" || doc.HandoffID == id)
}
