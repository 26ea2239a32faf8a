package handoff

import (
	"context"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

// Settled describes a store of this machine without unfinished changes.
type Settled struct {
	Writer  string // the id of the replica
	LogSize int64  // the bytes of the audit log that are durable
}

// Settle completes or undoes an interrupted change, and returns the state of the store. It creates a store that does
// not exist yet. Errors are those of Write.
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
		if err := x.Checkpoint(); err != nil { // other clones rely on what they are sent
			return err
		}
		_, at.LogSize, err = eventlog.Tail(log, log.Size())
		return err
	})
	return at, err
}

// State opens the state directory. It returns nil if there is none. The caller closes it.
func (x Exchange) State() (*Dir, error) { return x.s.at.OpenToRead(x.s.opt.StateDir) }

// Outside opens the directory of the store in the user's state, with the data of syncs. It creates the directory if
// needed. The error is ErrConfig if the user has no state directory. The caller closes it.
func (x Exchange) Outside() (*Dir, error) { return x.s.at.Outside() }

// OutsidePath returns the path that [Exchange.Outside] opens, without creating it.
func (x Exchange) OutsidePath() (string, error) { return x.s.at.OutsidePath() }

// IsWhole reports whether a refused source is a valid document with the required id. It may then be accepted at
// another time, or with other settings.
func (x Exchange) IsWhole(src Source) bool {
	src, _, err := src.resolve()
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
