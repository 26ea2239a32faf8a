package record

import (
	"slices"
	"sync"
	"time"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/run"
)

// Carried returns the function for Options.Carried that looks into a store: at the earlier records of the
// same project, so that a record which is written again is sealed as it was before. The store is read
// at the first call.
func Carried(open func() (*handoff.Store, error)) func(into run.Record) ([]run.Assumption, error) {
	read := sync.OnceValues(func() ([]run.Entry, error) {
		s, err := open()
		if err != nil {
			return nil, err
		}
		entries, _, err := Runs(s)
		return entries, err
	})
	return func(into run.Record) ([]run.Assumption, error) {
		entries, err := read()
		if err != nil {
			return nil, err
		}
		earlier := slices.DeleteFunc(slices.Clone(entries), func(e run.Entry) bool {
			return e.Record.ProjectID != into.ProjectID || !before(e.Record.CreatedAt, into.CreatedAt)
		})
		assumptions, _ := run.Carry(earlier)
		return run.Assumptions(assumptions), nil
	}
}

// before compares two times of run records.
func before(a, b string) bool {
	first, errA := time.Parse(time.RFC3339Nano, a)
	second, errB := time.Parse(time.RFC3339Nano, b)
	return errA == nil && errB == nil && first.Before(second)
}
