package handoff

import (
	"bytes"
	"runtime"
	"sync"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/life"
	"github.com/seed-78daf238/handoff/lib/internal/parallel"
)

// Runs returns the handoffs whose body contains a record of a run. They are sorted by ts_utc,
// newest first; of equal times the later row comes first. Each is proven as Read does. withheld has the errors of
// those that cannot be proven. Only files that mention such a record are proven, which keeps the call fast in a store
// of plain handoffs.
func (r Records) Runs() (found []Stored, withheld []error, err error) {
	d, err := r.s.at.Reader()
	if err != nil || d == nil {
		return nil, nil, err
	}
	defer d.Close()
	entries, err := r.s.List(Filter{})
	if err != nil {
		return nil, nil, err
	}
	entries = NewestFirst(entries)
	got, errs := make([]*Stored, len(entries)), make([]error, len(entries))
	parallel.Each(len(entries), 2*runtime.GOMAXPROCS(0),
		func(i int) { got[i], errs[i] = r.s.readAnnouncing(d, entries[i], "handoff-record=run/") })
	for i := range entries {
		if got[i] != nil {
			found = append(found, *got[i])
		} else if errs[i] != nil {
			withheld = append(withheld, errs[i])
		}
	}
	return found, withheld, nil
}

// Matching returns a function that returns the handoffs whose documents have a given answer to a subject. The first
// call reads and proves the documents. If keep is set, the answers are cached for later readers; only a command that
// writes sets it. The function is not safe for concurrent use.
func (r Records) Matching(about Subject, keep bool) func(what string) ([]Entry, error) {
	read := sync.OnceValues(func() (*life.Table, error) { return life.ReadSubjects(r.s.at, about, keep) })
	return func(what string) ([]Entry, error) {
		t, err := read()
		if err != nil {
			return nil, err
		}
		return t.Find(what)
	}
}

// readAnnouncing reads the handoff of an entry. It returns nil if the text does not contain mark.
func (s *Store) readAnnouncing(d *disk.Dir, e Entry, mark string) (*Stored, error) {
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
	Redacted []string // the secret rules whose findings were replaced
}
