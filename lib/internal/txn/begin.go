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

// beginReplica makes a replica of a clone or work tree that has handoffs but no state. It records a writer
// id, the fingerprint of this machine, and events for the handoffs that it found and verified.
func (x *Session) beginReplica(observed string) error {
	if err := x.Recover(); err != nil { // of an interrupted beginReplica
		return err
	}
	record, err := store.ReadMachine(x.State)
	if err == nil && record.Fingerprint == observed {
		return nil // the interrupted one had finished
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
	events := []eventlog.Pending{{Type: eventlog.TypeBegin,
		Payload: eventlog.Begun{Fingerprint: observed, Writer: record.Writer}}}
	if len(ids) > 0 {
		events = append(events, eventlog.Pending{Type: eventlog.TypeImport,
			Payload: eventlog.Imported{HandoffIDs: ids}})
	}
	if err := x.nameMachine("begin", record, events); err != nil {
		return err
	}
	x.Opt.Warn("this clone is a replica now (" + record.Writer + "); " + fault.Count(len(ids), "handoff") +
		" came from others")
	return nil
}

// TakeOver records the rows that git has brought since the last change. It takes rows that have no event and
// whose documents verify. Only a store that is committed with the code gets rows this way.
func (x *Session) TakeOver() error {
	if x.Opt.Git != disk.GitTracked || !x.elsewhere && !x.merges {
		return nil
	}
	log, done, err := eventlog.Open(x.State)
	if err != nil {
		return err
	}
	defer done()
	facts, err := eventlog.Read(log)
	if err != nil || facts.Bad != "" {
		return err // the change itself checks the part of the log that it needs
	}
	ids, err := x.foreign(facts.Facts)
	if err != nil || len(ids) == 0 {
		return err
	}
	return x.commit(&change{Record: journal.Record{Op: "import"}, events: []eventlog.Pending{{Type: eventlog.TypeImport,
		Payload: eventlog.Imported{HandoffIDs: ids}}}})
}

// foreign returns the ids of rows that have no event and whose documents verify.
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
