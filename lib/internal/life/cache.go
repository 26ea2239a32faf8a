package life

import (
	"bytes"
	"fmt"

	"hash/crc32"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// The cache disk.Facts stores facts, so that readers need not derive them from the whole log. Its first line
// names what they were derived from:
//
//	handoff-facts 3 LOG HASH STAMPS
//
// LOG is the length of the audit log. HASH is the hash of the last event before that. STAMPS are the stamps
// of the index files, if rows matter. A cache of another log is ignored. Commands that change the store write
// it.
const cacheHead = "handoff-facts 3 %d %s %s\n"

// Step is the number of bytes of the log after which a small cache is written. Until then each reader parses them
// itself, a few events. Writing a large cache takes longer, so it is written after a sixty-fourth of its size.
const Step = 4 << 10

// covered is the part of the store that facts cover.
type covered struct {
	log    int64  // the length of the audit log in bytes
	hash   string // the hash that the next event must name
	stamps string // of the index files, - if they do not matter
}

// parseCache returns the facts of a cache, or empty facts if it is malformed.
func parseCache(text []byte) *Facts {
	f := NewFacts()
	first, lines, _ := bytes.Cut(text, []byte("\n"))
	c, ok := parseCovered(first)
	if !ok {
		return f
	}
	f.lines = make([]byte, 0, len(lines))
	f.of = make(map[form.Key]entry, len(lines)/perLine)
	for line := range bytes.Lines(lines) {
		if !f.add(store.AsString(bytes.TrimSuffix(line, []byte("\n")))) {
			return NewFacts()
		}
	}
	f.covered = c
	return f
}

// perLine is the approximate length of a line.
const perLine = 160

func parseCovered(line []byte) (c covered, ok bool) {
	n, err := fmt.Sscanf(string(line)+"\n", cacheHead, &c.log, &c.hash, &c.stamps)
	return c, n == 3 && err == nil && c.log >= 0
}

// Keep writes the facts to the cache, for commands that only read.
func (f *Facts) Keep(s *store.Store) {
	first := fmt.Appendf(nil, cacheHead, f.covered.log, f.covered.hash, f.covered.stamps)
	s.Cache(disk.Facts, append(first, f.lines...))
}

// IsBehind reports whether the cache lacks so much of a log of the given length that reading the rest is
// slow.
func IsBehind(s *store.Store, log int64) bool {
	line, size := s.CachedLine(disk.Facts)
	c, _ := parseCovered(line)
	return log-c.log > size/64 || log < c.log
}

// noStamps replaces the stamps if rows do not come without events.
const noStamps = "-"

// stampsOf returns a string that changes with the index files, or "" if that fails.
func stampsOf(d *disk.Dir) string {
	stamps, err := store.IndexStamps(d)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(stamps)))
}
