package handoff

import (
	"bytes"
	"runtime"
	"slices"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/parallel"
)

const carriedAtOnce = 1024 // documents in memory

// Carrying calls do for each handoff whose file contains mark, such as the one of a record. They come sorted by ts_utc,
// newest first; of equal times the later row comes first. Each is proven as Read does, or do gets the error. Only files
// that contain the mark are proven, which keeps the call fast in a store of plain handoffs.
func (r Records) Carrying(mark string, do func(Stored, error)) error {
	d, err := r.s.at.Reader()
	if err != nil || d == nil {
		return err
	}
	defer d.Close()
	entries, err := r.s.List(Filter{})
	if err != nil {
		return err
	}
	for some := range slices.Chunk(NewestFirst(entries), carriedAtOnce) {
		got, errs := make([]*Stored, len(some)), make([]error, len(some))
		parallel.Each(len(some), 2*runtime.GOMAXPROCS(0),
			func(i int) { got[i], errs[i] = r.s.readAnnouncing(d, some[i], mark) })
		for i := range some {
			if got[i] != nil {
				do(*got[i], errs[i])
			}
		}
	}
	return nil
}

// readAnnouncing reads the handoff of an entry. It returns nil if the text does not contain mark.
func (s *Store) readAnnouncing(d *disk.Dir, e Entry, mark string) (*Stored, error) {
	text, err := d.ReadFile(e.File, disk.MaxDocument)
	if err == nil && !bytes.Contains(text, []byte(mark)) {
		return nil, nil
	}
	got, err := s.load(d, e)
	return &got, err
}

// A Made document was made from something else, such as a record.
type Made struct {
	Document
	Redacted []string // the secret rules whose findings were replaced
}
