package record

import (
	"slices"
	"sync"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/run"
)

// Runs returns the run records of a store, the newest first by the ts_utc of their handoffs, then by the last
// INDEX row. Records that cannot be read or proven are named in withheld instead.
func Runs(s *handoff.Store) (entries []run.Entry, withheld []error, err error) {
	found, withheld, err := s.Records().Carrying(run.Kind)
	for _, got := range found {
		if r, ok := recordIn(got.Body, run.Kind).(run.Record); ok {
			entries = append(entries, run.Entry{HandoffID: got.Entry.ID, Record: r})
		}
	}
	return entries, withheld, err
}

// NewestOfTask returns the id of the handoff with the newest record of a task. If there is none, the error is
// ErrInvalid.
func NewestOfTask(s *handoff.Store, taskID string) (string, error) {
	entries, _, err := Runs(s)
	if err != nil {
		return "", err
	}
	newest := slices.IndexFunc(entries, func(e run.Entry) bool { return e.Record.TaskID == taskID })
	if newest < 0 {
		return "", invalid("run `handoff onboard` for the recent tasks",
			"no record of the task %q in %s", taskID, s.Dir())
	}
	return entries[newest].HandoffID, nil
}

// Carried returns the function for Options.Carried that reads a store; see run.CarriedInto. It opens the store at
// its first call.
func Carried(open func() (*handoff.Store, error)) func(into run.Record) (run.Carried, error) {
	read := sync.OnceValues(func() ([]run.Entry, error) {
		s, err := open()
		if err != nil {
			return nil, err
		}
		entries, _, err := Runs(s)
		return entries, err
	})
	return func(into run.Record) (run.Carried, error) {
		entries, err := read()
		if err != nil {
			return run.Carried{}, err
		}
		return run.CarriedInto(entries, into), nil
	}
}
