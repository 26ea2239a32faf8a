package life

import (
	"bytes"
	"fmt"

	"hash/crc32"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// The cache layout.Facts has facts, so that readers need not derive them from the whole log. Its first line says what
// the others were derived from:
//
//	handoff-facts 1 LOG HASH STAMPS
//
// the audit log up to a byte, the hash of the last event before it, and the index files where rows are looked at. One
// that covers another log is as good as not there. Commands that change the store write it.
const cacheHead = "handoff-facts 1 %d %s %s\n"

// worthKeeping is how many bytes of the log each reader may have to look at.
const worthKeeping = 64 << 10

// covered says how far facts go.
type covered struct {
	log    int64  // bytes of the audit log
	hash   string // that the next event has to name
	stamps string // of the index files, - where they are not looked at
}

// parseCache returns the facts of a cache, those about nothing if it holds anything else.
func parseCache(text []byte) *Facts {
	f := NewFacts()
	first, lines, _ := bytes.Cut(text, []byte("\n"))
	c, ok := parseCovered(first)
	if !ok {
		return f
	}
	f.lines = make([]byte, 0, len(lines))
	f.of = make(map[form.Key]about, len(lines)/perLine)
	for line := range bytes.Lines(lines) {
		if !f.add(store.AsString(bytes.TrimSuffix(line, []byte("\n")))) {
			return NewFacts()
		}
	}
	f.covered = c
	return f
}

// perLine is about how long a line is.
const perLine = 160

func parseCovered(line []byte) (c covered, ok bool) {
	n, err := fmt.Sscanf(string(line)+"\n", cacheHead, &c.log, &c.hash, &c.stamps)
	return c, n == 3 && err == nil && c.log >= 0
}

// Keep writes the facts into the cache, for commands that only read.
func (f *Facts) Keep(s *store.Store) {
	first := fmt.Appendf(nil, cacheHead, f.covered.log, f.covered.hash, f.covered.stamps)
	s.Cache(disk.Facts, append(first, f.lines...))
}

// IsBehind reports whether what is kept lacks so much of a log of some size that readers take long for it.
func IsBehind(s *store.Store, log int64) bool {
	c, _ := parseCovered(s.CachedLine(disk.Facts))
	return log-c.log >= worthKeeping || log < c.log
}

// noStamps stands for those of the index files where rows do not come without events.
const noStamps = "-"

// stampsOf returns what tells whether the index files were changed, "" if that cannot be told.
func stampsOf(d *disk.Dir) string {
	stamps, err := store.IndexStamps(d)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(stamps)))
}
