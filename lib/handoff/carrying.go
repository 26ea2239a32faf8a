package handoff

import (
	"bytes"
	"runtime"
	"slices"
	"sync"

	"github.com/seed-78daf238/handoff/lib/internal/index"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/life"
	"github.com/seed-78daf238/handoff/lib/internal/parallel"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// Carrying returns the handoffs whose body carries a record of a kind, such as run: the newest first by
// ts_utc, and of equal times the later row first. Each is proven as Read does; the errors of those that
// cannot be are returned as withheld. Only what announces such a record is proven, so that a store of
// many plain handoffs costs no more than reading its files.
func (r Records) Carrying(kind string) (found []Stored, withheld []error, err error) {
	d, err := r.s.at.Reader()
	if err != nil || d == nil {
		return nil, nil, err
	}
	defer d.Close()
	entries, _, err := r.s.at.Scan(d, store.Choice{Is: func(Entry) bool { return true }})
	if err != nil {
		return nil, nil, err
	}
	slices.Reverse(entries)
	slices.SortStableFunc(entries, func(a, b Entry) int { return index.CompareTimes(b.Time, a.Time) })
	got, errs := make([]*Stored, len(entries)), make([]error, len(entries))
	parallel.Each(len(entries), 2*runtime.GOMAXPROCS(0), func(i int) { got[i], errs[i] = r.s.announced(d, entries[i], "handoff-record="+kind+"/") })
	for i := range entries {
		if got[i] != nil {
			found = append(found, *got[i])
		} else if errs[i] != nil {
			withheld = append(withheld, errs[i])
		}
	}
	return found, withheld, nil
}

// Saying returns a function that names the handoffs whose documents say something, which were proven
// to do so. The first call reads the documents. With keep, a command that has changed
// the store saves the result for later readers. The function is for one goroutine.
func (r Records) Saying(about Subject, keep bool) func(what string) ([]Entry, error) {
	read := sync.OnceValues(func() (*life.Table, error) { return life.ReadSubjects(r.s.at, about, keep) })
	return func(what string) ([]Entry, error) {
		t, err := read()
		if err != nil {
			return nil, err
		}
		return t.Saying(what)
	}
}

// announced reads the handoff of an entry, nil if its text does not hold the mark.
func (s *Store) announced(d *disk.Dir, e Entry, mark string) (*Stored, error) {
	text, err := d.ReadFile(e.File, disk.MaxDocument)
	if err == nil && !bytes.Contains(text, []byte(mark)) {
		return nil, nil
	}
	got, err := s.load(d, e)
	if err != nil {
		return nil, err
	}
	return &got, nil
}

// A Made document was made from something else, such as a record.
type Made struct {
	Document
	Redacted []string // rules of the secret scan whose findings were replaced on the way
}
