package txn

import (
	"errors"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
	"github.com/seed-78daf238/handoff/lib/internal/machine"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// begin makes a clone, or a work tree, of a store that is committed with the code a replica of its own
// (spec 5-clones). The fingerprint file commits it.
var begin = Operation{Name: "begin", committed: fingerprintIsThere, redo: setFingerprint}

// beginReplica makes a replica of the handoffs that are here, in a clone or a work tree that has no state
// yet (spec 5-clones): a writer id, the fingerprint of this machine, and the events that say what was found
// and proven.
func (x *Session) beginReplica(observed string) error {
	if err := x.Recover(); err != nil { // of a begin that was interrupted
		return err
	}
	if _, err := x.ownKey(); err != nil {
		return err
	}
	record, err := store.ReadMachine(x.State)
	if err != nil && !errors.Is(err, machine.ErrNoMachine) {
		return err
	}
	record.Fingerprint, record.WriterIDDefault = observed, x.Opt.Operator
	ids, err := x.foreign(eventlog.NewFacts())
	if err != nil {
		return err
	}
	events := []eventlog.Pending{{Type: eventlog.TypeBegin, Payload: eventlog.Begun{Fingerprint: observed, Writer: record.Writer}}}
	if len(ids) > 0 {
		events = append(events, eventlog.Pending{Type: eventlog.TypeImport, Payload: eventlog.Imported{HandoffIDs: ids}})
	}
	if err := x.nameMachine(&begin, record, "", events); err != nil {
		return err
	}
	x.Opt.Warn("this clone is a replica of its own from now on (" + record.Writer + "); " + fault.Count(len(ids), "handoff") + " came from others")
	return nil
}

// TakeOver records what git has brought since the last change: the rows that no event here speaks of,
// and whose documents verify. Rows that git has doubled are joined. Only a store that is committed
// with the code gets rows in this way.
func (x *Session) TakeOver() error {
	if x.Opt.Git != layout.GitTracked || x.seen() {
		return nil
	}
	if err := x.removeStaged(); err != nil { // of who was interrupted when it noted what it has seen
		return err
	}
	err := store.EachIndex(x.Dir, func(name string, text []byte) error {
		if joined, changed := index.Join(text); changed {
			return x.replaceIndex(name, text, joined)
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
	facts, err := eventlog.Read(log)
	done()
	if err != nil || facts.Bad != "" {
		return err // the change itself looks at the log, as far as it needs it
	}
	ids, err := x.foreign(facts.Facts)
	if err == nil && len(ids) > 0 {
		x.record(eventlog.Pending{Type: eventlog.TypeImport, Payload: eventlog.Imported{HandoffIDs: ids}})
	}
	return err
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
			if _, _, err := x.Load(x.Dir, l.Row); err == nil {
				given[l.Row.ID], ids = true, append(ids, l.Row.ID)
			}
		}
		return nil
	})
	return ids, err
}

// seen reports whether the index files are those that the last change of this replica has left.
func (x *Session) seen() bool {
	text, err := x.State.ReadFile(layout.SeenIndex, layout.MaxStateFile)
	return err == nil && len(text) > 0 && string(text) == x.indexStamps()
}

// noteSeen remembers the index files as they are. Where that fails the next change looks at all rows.
func (x *Session) noteSeen() {
	if x.Opt.Git == layout.GitTracked && !x.seen() {
		_ = x.State.Replace(layout.SeenIndex, []byte(x.indexStamps()), 0o600)
	}
}

// indexStamps returns what tells whether the index files were changed by others since, "" if that cannot be
// told: then they count as changed.
func (x *Session) indexStamps() string {
	stamps, err := store.IndexStamps(x.Dir)
	if err != nil {
		return ""
	}
	return stamps
}
