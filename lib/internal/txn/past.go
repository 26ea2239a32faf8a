package txn

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/durable"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// A Past is what the audit log says became of the handoffs of a store, whether its chain holds or not.
type Past struct {
	Begun bool   // the log has an event
	Anew  string // when the log was begun anew, and what was before is lost; "" if it never was
	Size  int64  // of the log when it was read
	of    map[string]past
}

// A past is what the log says of one handoff.
type past struct {
	written bool     // by a command of this store: whatever became of it since is in the log too
	readers []string // who has marked it as read
}

// ReadPast reads what the audit log says of the handoff of an id, "" for all. A log that is missing
// has no events.
func ReadPast(d *durable.Dir, only string) (*Past, error) {
	p, mention := &Past{of: make(map[string]past)}, []byte(strings.TrimPrefix(only, form.IDPrefix))
	mention = mention[:min(len(mention), 16)] // longer ones take longer to look for
	size, err := eachLine(d, func(line []byte) {
		p.Begun = p.Begun || len(line) > 0 && line[0] == '{'
		if at, ok := eventlog.AdoptedAt(line); ok {
			p.Anew = string(at)
		} else if !bytes.Contains(line, mention) {
			return
		} else if id, ok := eventlog.WrittenID(line); ok {
			h := p.of[string(id)]
			p.of[string(id)] = past{true, h.readers}
		} else if id, operator, ok := eventlog.MarkOf(line); ok {
			h := p.of[string(id)]
			p.of[string(id)] = past{h.written, append(h.readers, string(operator))}
		}
	})
	p.Size = size
	return p, err
}

// eachLine calls do with each line of the audit log, and returns the size that the log had.
func eachLine(d *durable.Dir, do func(line []byte)) (size int64, err error) {
	log, err := openLogReader(d)
	if err != nil {
		return 0, err
	}
	defer log.Close()
	for line := range log.lines() {
		do(line)
	}
	return log.size, log.err
}

// FirstSeen returns when the handoffs of a store came into it, by id, as the audit log says.
func FirstSeen(s *store.Store) (map[string]string, error) {
	return store.InState(s, func(d *durable.Dir) (map[string]string, error) {
		seen := make(map[string]string)
		_, err := eachLine(d, func(line []byte) {
			ids, at, ok := eventlog.WrittenAt(line)
			for _, id := range ids {
				if ok && seen[id] == "" {
					seen[id] = string(at)
				}
			}
		})
		return seen, err
	})
}

// WrittenOn returns the ids of the handoffs that were written while a branch was checked out, as the
// audit log says.
func WrittenOn(d *durable.Dir, branch string) (map[string]bool, error) {
	written := make(map[string]bool)
	_, err := eachLine(d, func(line []byte) {
		if id, on, ok := eventlog.WrittenOn(line); ok && string(on) == branch {
			written[string(id)] = true
		}
	})
	return written, err
}

// Gap says which part of the past of a listed handoff the log lacks, "" if it has it all.
func (p *Past) Gap(row index.Row) string {
	known := p.of[row.ID]
	if !known.written {
		return "the audit log does not go back to the writing of this handoff: the state of the store was lost, or is that of another clone, or was restored or mended"
	}
	for _, m := range row.Marks() {
		if !slices.Contains(known.readers, m.Operator) {
			return fmt.Sprintf("INDEX.md has it as read by %s, of which the audit log knows nothing: the state of the store is older, or somebody else wrote that", m.Operator)
		}
	}
	return ""
}

// Probed returns what the audit log says of the newest run of a probe that came to an end, by a
// definition on a commit with no file changed, since a time.
func Probed(d *durable.Dir, like eventlog.Probed, since time.Time) (found eventlog.Probed, ok bool, err error) {
	_, err = eachLine(d, func(line []byte) {
		p, is := eventlog.ProbeOf(line)
		at, timed := form.Instant(p.RanAt)
		if is && timed && p.Probe == like.Probe && p.Definition == like.Definition && p.Commit == like.Commit && p.Changed == 0 && p.ExitCode >= 0 && !at.Before(since) {
			found, ok = p, true
		}
	})
	return found, ok && err == nil, err
}

// A logReader reads an audit log as it is when it is opened. It looks at the text alone, whether the
// chain holds or not.
type logReader struct {
	io.Closer
	text io.Reader
	size int64
	err  error
}

// openLogReader opens the log. One that is missing has no events.
func openLogReader(d *durable.Dir) (*logReader, error) {
	f, err := d.OpenText(layout.Log)
	if errors.Is(err, fs.ErrNotExist) {
		return &logReader{Closer: io.NopCloser(nil), text: bytes.NewReader(nil)}, nil
	}
	if err != nil {
		return nil, store.Odd(filepath.Join(d.Path(), layout.Log), err)
	}
	return &logReader{Closer: f, text: io.NewSectionReader(f, 0, f.Size()), size: f.Size()}, nil
}

// lines yields the lines of the log. A line that no event can have ends them, as an error: the rest cannot
// be told apart from damage.
func (r *logReader) lines() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		lines := bufio.NewScanner(r.text)
		lines.Buffer(make([]byte, 256<<10), layout.MaxEvent)
		for lines.Scan() && yield(lines.Bytes()) {
		}
		if r.err = lines.Err(); errors.Is(r.err, bufio.ErrTooLong) {
			r.err = &fault.CorruptError{File: layout.Log, Why: fmt.Sprintf("has a line of more than %d bytes, which is not an event", layout.MaxEvent)}
		}
	}
}
