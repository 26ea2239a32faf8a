package handoff

import (
	"context"
	"io"

	"github.com/seed-78daf238/handoff/lib/exchange/bundle"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/exchange"
	"github.com/seed-78daf238/handoff/lib/internal/log"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// SyncOptions choose what a sync does: only receive, only say what would be sent, or give the remote back what it
// lacks.
type SyncOptions = exchange.Options

// A SyncReport is what a sync did. Received counts documents, Sent lines. Held are documents that may not be stored
// yet, Lost the turns that were made offline and do not count. More says that it has to run again.
type SyncReport = exchange.Report

// A LostTurn is a turn that was made offline and does not count.
type LostTurn = exchange.Lost

// Sync exchanges the store with its remote: it receives what others did, and sends what was done here. The error is
// ErrBusy if another sync runs, ErrIntegrity if the remote lost or changed what was read before, ErrConfig for the
// remote's settings, and without a class if it cannot be reached.
func (s *Store) Sync(ctx context.Context, o SyncOptions) (SyncReport, error) {
	if err := s.Maintenance().Ready(); err != nil {
		return SyncReport{}, err
	}
	s.bringIn(ctx)
	x, err := s.exchange()
	if err != nil {
		return SyncReport{}, err
	}
	defer x.Remote.Close()
	return x.Sync(ctx, o)
}

// HasSynced reports whether the store was ever exchanged, and with what.
func (s *Store) HasSynced() (remote string, has bool) {
	look, err := s.look(true)
	if err != nil {
		return "", false
	}
	return look.Sync.Remote, look.Sync.Remote != ""
}

// A Held is a received document that may not be stored yet. Why says what lets it in.
type Held = exchange.Held

// Held returns the received documents that may not be stored yet.
func (s *Store) Held() ([]Held, error) { return exchange.Waiting(s.at) }

// Unsent returns how many documents, facts and turns of this clone its remote does not have, as far as the store knows.
// It is 0 before the first sync.
func (s *Store) Unsent() (n int, err error) {
	look, err := s.look(false)
	if err != nil {
		return 0, err
	}
	err = s.unsent(look, func(log.Event) { n++ })
	return n, err
}

// unsent calls do with the events of this clone that its remote does not have.
func (s *Store) unsent(look *store.Look, do func(log.Event)) error {
	if look.Sync.Remote == "" {
		return nil
	}
	from := look.Sync.Logs[look.Writer].Through
	if from == (log.Point{}) {
		from = log.Start
	}
	return s.at.EventsFrom(from, look.At, func(e log.Event) {
		h := look.Of(e.Payload.ID)
		if _, is := happened[e.Type]; is && e.Payload.Here == nil && h != nil && !h.Pruned && look.IsUnsent(e.ID()) {
			do(e)
		}
	})
}

func (s *Store) exchange() (*exchange.Exchange, error) {
	if s.opt.Remote == nil {
		return nil, fault.Config("name one with --remote, or add a git remote", "this store has no remote")
	}
	_, err := s.look(false) // once for all that follows
	if err != nil {
		return nil, err
	}
	r, name, err := s.opt.Remote(s)
	if err != nil {
		return nil, err
	}
	return &exchange.Exchange{At: s.at, Remote: r, Name: name, RecordOf: recordOf, Sign: s.opt.Sign}, nil
}

// Export writes a bundle: the documents of handoffs, and with state what happened to them. ids are as in Read. A bundle
// can be imported anywhere.
func (s *Store) Export(w io.Writer, ids []string, withState bool) (entries []Entry, err error) {
	if entries, err = s.FindEach(ids); err != nil {
		return nil, err
	}
	batch, err := (&exchange.Exchange{At: s.at}).Bundle(idsOf(entries), withState)
	if err != nil {
		return nil, err
	}
	return entries, bundle.Write(w, batch, true)
}

// Import stores the documents of a bundle, all or none, and with state what happened to them. The receipts have the
// order of the bundle; those of a dry run have only ids. A damaged bundle is ErrIntegrity, a malformed line
// ErrInvalid. Other errors are those of Write.
func (s *Store) Import(ctx context.Context, r io.Reader, withState, isDry bool) ([]Receipt, error) {
	if err := s.Maintenance().Ready(); err != nil {
		return nil, err
	}
	lines, err := bundle.Read(r)
	if err != nil {
		return nil, err
	}
	x := exchange.Exchange{At: s.at, RecordOf: recordOf}
	ids, outcomes, err := x.Import(ctx, lines, withState, isDry)
	if err != nil {
		return nil, fault.Unpublished(err)
	}
	receipts := make([]Receipt, len(ids))
	for i, id := range ids {
		receipts[i].ID = id
		if isDry {
			continue
		}
		receipts[i].Path, receipts[i].Status = s.at.RelPath(outcomes[i].File), StatusCreated
		if outcomes[i].IsExisting {
			receipts[i].Status = StatusExisting
		}
		if e, err := s.Find(id); err == nil {
			receipts[i].Time = e.Time
		}
	}
	return receipts, nil
}

// OwnPath returns the directory of the store in the user's state, "" if the user has none that can be written.
func (s *Store) OwnPath() string { return s.at.OwnPath() }
