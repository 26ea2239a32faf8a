package txn

import (
	"errors"
	"io/fs"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/journal"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// beginReplica makes a replica of the handoffs that are here, in a clone or a work tree that has no state
// yet: a writer id, the fingerprint of this machine, and the events that say what was found
// and proven.
func (x *Session) beginReplica(observed string) error {
	if err := x.Recover(); err != nil { // of a begin that was interrupted
		return err
	}
	record, err := store.ReadMachine(x.State)
	if err == nil && record.Fingerprint == observed {
		return nil // that one has begun, and was not known to have
	}
	if err != nil && !errors.Is(err, disk.ErrNoMachine) && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	record.Complete()
	record.Fingerprint, record.WriterIDDefault, record.FirstSeenUTC = observed, x.Opt.Operator, x.Now()
	ids, err := x.foreign(eventlog.NewFacts())
	if err != nil {
		return err
	}
	events := []eventlog.Pending{{Type: eventlog.TypeBegin, Payload: eventlog.Begun{Fingerprint: observed, Writer: record.Writer}}}
	if len(ids) > 0 {
		events = append(events, eventlog.Pending{Type: eventlog.TypeImport, Payload: eventlog.Imported{HandoffIDs: ids}})
	}
	if err := x.nameMachine("begin", record, "", events); err != nil {
		return err
	}
	x.Opt.Warn("this clone is a replica of its own from now on (" + record.Writer + "); " + fault.Count(len(ids), "handoff") + " came from others")
	return nil
}

// TakeOver records what git has brought since the last change: the rows that no event here speaks of,
// and whose documents verify. Rows that git has doubled are joined. Only a store that is committed
// with the code gets rows in this way.
func (x *Session) TakeOver() error {
	if x.Opt.Git != disk.GitTracked {
		return nil
	}
	if !x.elsewhere && !x.merges {
		return nil
	}
	c := &change{Record: journal.Record{Op: "import"}}
	err := store.EachIndex(x.Dir, func(name string, text []byte) error {
		if joined, changed := index.Join(text); changed {
			x.setIndex(c, name, joined)
		}
		return nil
	})
	if err != nil {
		return err
	}
	log, done, err := eventlog.Open(x.State)
	if err != nil {
		return err
	}
	defer done()
	facts, err := eventlog.Read(log)
	if err != nil || facts.Bad != "" {
		return err // the change itself looks at the log, as far as it needs it
	}
	ids, err := x.foreign(facts.Facts)
	if err != nil {
		return err
	}
	if len(ids) > 0 {
		c.events = append(c.events, eventlog.Pending{Type: eventlog.TypeImport, Payload: eventlog.Imported{HandoffIDs: ids}})
	}
	if len(ids)+len(c.Put)+len(c.Table) > 0 {
		return x.commit(c)
	}
	return nil
}

// foreign returns the ids of the rows that no event speaks of, and whose documents verify.
func (x *Session) foreign(known *eventlog.Facts) (ids []string, err error) {
	given := make(map[string]bool)
	err = store.EachIndex(x.Dir, func(_ string, text []byte) error {
		for l := range index.Lines(string(text)) {
			h := known.Of(l.Row.ID)
			if !l.IsRow || given[l.Row.ID] || h.IsWritten() || h.Imported || known.MayLack(l.Row.ID) {
				continue
			}
			_, _, err := x.Load(x.Dir, l.Row)
			isProven, err := store.IsProven(err)
			if err != nil {
				return err
			}
			if isProven {
				given[l.Row.ID], ids = true, append(ids, l.Row.ID)
			}
		}
		return nil
	})
	return ids, err
}
