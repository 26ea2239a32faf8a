package check

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/facts"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/log"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// A Head is a position in the log: the number of events, and the hash of the last one. With a head you can
// tell later whether the log still has those events.
type Head struct {
	Count int    `json:"count"`
	Hash  string `json:"hash"`
}

// String returns the head as COUNT:HASH.
func (c Head) String() string { return fmt.Sprintf("%d:%s", c.Count, c.Hash) }

// ParseHead is the inverse of String. It accepts a newline at the end. Any other text is fault.ErrInvalid.
func ParseHead(text string) (Head, error) {
	text = strings.TrimSuffix(text, "\n")
	n, hash, _ := strings.Cut(text, ":")
	count, err := strconv.Atoi(n)
	c := Head{count, hash}
	isHash := count > 0 && form.IsDigest(hash) || count == 0 && hash == log.Genesis
	if err != nil || c.String() != text || !isHash {
		return Head{}, fault.Invalid("use the output of `handoff log --head`", "%.200q is not COUNT:HASH", text)
	}
	return c, nil
}

// CheckLog proves the chain of the log, and that it continues an earlier head, which may be nil. It returns the head.
// If something is wrong, the error is fault.ErrIntegrity and has the place of the first line that is known to be bad.
func CheckLog(ctx context.Context, s *store.Store, expect *Head) (Head, error) {
	none := Head{0, log.Genesis}
	pin := s.Pin()
	l := newReading(expect)
	defer l.close()
	var err error
	if l.file, _, err = s.OpenLog(); err != nil {
		return none, err
	}
	err = l.readOn()
	if line, why := l.bad(pin); err == nil && why != "" {
		err = fault.At(log.FileName, line, fault.Integrity("run `"+repair+"`", "%s:%d: %s", log.FileName, line, why))
	}
	if err == nil && l.file == nil {
		err = s.CheckLost()
	}
	return l.head(), cmp.Or(err, l.lacks(), ctx.Err())
}

// A reading is what the log says.
type reading struct {
	facts  *facts.Facts
	file   *os.File // nil if there is no log
	damage error
	count  int
	expect *Head
	hash   string // of the event that expect has counted last
}

func newReading(expect *Head) *reading {
	return &reading{facts: facts.New(), expect: expect}
}

func (l *reading) close() {
	if l.file != nil {
		l.file.Close()
	}
}

func (l *reading) head() Head { return Head{l.count, l.facts.At.Hash} }

// readOn reads what was appended since the last time.
func (l *reading) readOn() error {
	if l.file == nil || l.damage != nil {
		return nil
	}
	info, err := l.file.Stat()
	if err != nil {
		return err
	}
	l.facts.At, err = log.Read(l.file, info.Size(), l.facts.At, func(change []log.Event) {
		for _, e := range change {
			if l.count++; l.expect != nil && l.count == l.expect.Count {
				l.hash = e.Hash()
			}
		}
		l.facts.Add(change)
	})
	switch {
	case errors.As(err, new(*log.Damage)):
		l.damage, err = err, nil
	case errors.Is(err, log.ErrOther):
		err = fault.Busy("run the command again", "another process repairs the log")
	}
	return err
}

// bad returns why the chain is bad, and the number of the first bad line: it breaks, or it has not the line at the pin.
// If it is good, why is "".
func (l *reading) bad(pin log.Point) (line int, why string) {
	switch {
	case l.file == nil:
		return 0, ""
	case l.damage != nil:
		why = "the chain breaks here, and what follows is not proven"
	case pin.Offset > 0 && !log.Has(l.file, l.facts.At.Offset, pin):
		why = "the log has not the last line that you left there: its end was cut, or it was written anew"
	default:
		return 0, ""
	}
	return l.line(), why
}

// line returns the number of the line behind the good beginning.
func (l *reading) line() int {
	n, piece := 1, make([]byte, 1<<20)
	for r := io.NewSectionReader(l.file, 0, l.facts.At.Offset); ; {
		size, err := r.Read(piece)
		n += bytes.Count(piece[:size], []byte("\n"))
		if err != nil {
			return n
		}
	}
}

// lacks returns an error if the log does not continue the expected head.
func (l *reading) lacks() error {
	const advice = "compare the log with a backup"
	switch e := l.expect; {
	case e == nil || e.Count == 0 || l.hash == e.Hash:
		return nil
	case l.count < e.Count:
		return fault.Integrity(advice, "%s: its end was cut: it has %s, and had %d", log.FileName,
			fault.Count(l.count, "event"), e.Count)
	default:
		return fault.Integrity(advice, "%s: it was written anew: event %d has the hash %s, and had %s", log.FileName,
			e.Count, l.hash, e.Hash)
	}
}
