package handoff

import (
	"bytes"
	"runtime"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/parallel"
)

// Carrying returns the handoffs whose document contains a mark, such as handoff-record=run/. They are sorted by ts_utc,
// newest first; of equal times the later row comes first. Each is proven as Read does. withheld has the errors of
// those that cannot be proven. Only files with the mark are proven, which keeps the call fast in a store of plain
// handoffs.
func (r Records) Carrying(mark string) (found []Stored, withheld []error, err error) {
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
		func(i int) { got[i], errs[i] = r.s.readAnnouncing(d, entries[i], mark) })
	for i := range entries {
		if got[i] != nil {
			found = append(found, *got[i])
		} else if errs[i] != nil {
			withheld = append(withheld, errs[i])
		}
	}
	return found, withheld, nil
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
