package life

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/durable"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// The file layout.LifeCache has facts in blocks, so that it can grow. A block is lines of facts and
// one that says what they cover:
//
//	covers LOG LINE SUM STAMPS SUM
//
// the audit log up to a byte, the length and the checksum of the last line before that, the index
// files where rows are looked at, and the checksum of the block up to here. What does not hold, or
// covers another log, is as good as not there: all of it can be derived again.
const cacheHead = "handoff-life 1\n"

// perLine is about how long a line is.
const perLine = 160

// saving is what has to be known to keep facts.
type saving struct {
	covered
	blocks int
	kept   int   // how much of lines is in the file
	size   int64 // of the file as it was read; -1 if it cannot be appended to
}

// covered says how far facts go.
type covered struct {
	log    int64  // bytes of the audit log
	line   int64  // of them in the last line, without its end
	sum    uint32 // of that line
	stamps string // of the index files, - where they are not looked at
}

// String is the first line of the cache. It tells what the rest was derived from, so that one that covers
// less is continued and one that covers something else is made again.
func (c covered) String() string {
	return fmt.Sprintf("covers %d %d %08x %s ", c.log, c.line, c.sum, c.stamps)
}

// parse is the inverse of String, and returns the checksum that follows.
func (c *covered) parse(line string) (sum uint32, ok bool) {
	n, err := fmt.Sscanf(line, "covers %d %d %x %s %x", &c.log, &c.line, &c.sum, &c.stamps, &sum)
	return sum, n == 5 && err == nil
}

// parseCache returns the facts of a cache, as far as it is whole.
func parseCache(text []byte) *Facts {
	f := NewFacts()
	f.size = -1
	rest, ok := bytes.CutPrefix(text, []byte(cacheHead))
	if !ok {
		return f
	}
	f.lines = make([]byte, 0, len(rest))
	f.of = make(map[form.Key]about, len(rest)/perLine)
	for len(rest) > 0 {
		n := f.block(rest)
		if n < 0 {
			return f
		}
		if n == 0 {
			return parseCache(nil) // what was taken in of the block is not covered
		}
		rest = rest[n:]
	}
	f.size, f.kept = int64(len(text)), len(f.lines)
	return f
}

// block takes in the first block of text and returns its length: -1 if it is not whole, 0 if it holds
// what is no fact.
func (f *Facts) block(text []byte) int {
	at := 0
	if !bytes.HasPrefix(text, []byte("covers ")) { // else it has no facts
		if at = bytes.Index(text, []byte("\ncovers ")) + 1; at == 0 {
			return -1
		}
	}
	end := bytes.IndexByte(text[at:], '\n')
	if end < 0 {
		return -1
	}
	last := string(text[at : at+end])
	var c covered
	sum, ok := c.parse(last)
	if !ok {
		return -1
	}
	signed := at + len(c.String())
	if signed > at+end || !strings.HasPrefix(last, c.String()) || crc32.ChecksumIEEE(text[:signed]) != sum {
		return -1
	}
	for line := range bytes.Lines(text[:at]) {
		if !f.add(store.AsString(line[:len(line)-1])) {
			return 0
		}
	}
	f.covered = c
	f.blocks++
	return at + end + 1
}

const (
	worthKeeping = 8 << 10 // bytes of the log that each reader would look at again
	mostBlocks   = 200
)

// IsBehind reports whether layout.LifeCache lacks so much that readers take long for it: it is for who has
// changed a store, and reads little.
func IsBehind(d store.Dirs) bool {
	log, err := d.State.Lstat(layout.Log)
	if err != nil {
		return false
	}
	c, ok := lastCovered(d.State)
	if !ok {
		return log.Size >= worthKeeping || d.Opt.Git == layout.GitTracked
	}
	if news := log.Size - c.log; news < 0 || news >= worthKeeping {
		return true
	}
	return c.stamps != noStamps && c.stamps != stampsOf(d.Dir)
}

// lastCovered returns what the last line of the cache says that it covers.
func lastCovered(state *durable.Dir) (c covered, ok bool) {
	f, err := state.OpenSole(layout.LifeCache)
	if err != nil {
		return c, false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return c, false
	}
	tail := make([]byte, min(info.Size(), 256)) // no such line is so long
	if _, err := f.ReadAt(tail, info.Size()-int64(len(tail))); err != nil {
		return c, false
	}
	tail, whole := bytes.CutSuffix(tail, []byte("\n"))
	_, ok = c.parse(string(tail[bytes.LastIndexByte(tail, '\n')+1:]))
	return c, ok && whole
}

// noStamps stands for those of the index files where rows do not come without events.
const noStamps = "-"

// stampsOf returns what tells whether the index files were changed, "" if that cannot be told.
func stampsOf(d *durable.Dir) string {
	stamps, err := store.IndexStamps(d)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(stamps)))
}

// Unsaved returns what is to be kept in layout.LifeCache: to be appended to a file of so many bytes, or, if
// those are negative, to replace it.
func (f *Facts) Unsaved() (text []byte, behind int64) {
	if f.size < 0 || f.blocks >= mostBlocks {
		f.kept, behind = 0, -1
		text = append(text, cacheHead...)
	} else {
		behind = f.size
	}
	block := append(f.lines[f.kept:len(f.lines):len(f.lines)], f.covered.String()...)
	return fmt.Appendf(append(text, block...), "%08x\n", crc32.ChecksumIEEE(block)), behind
}
