package record

import (
	"sync"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/run"
)

// Carried returns the function for Options.Carried that looks into a store, see run.CarriedInto. The
// store is read at the first call.
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
