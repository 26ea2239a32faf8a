package txn

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// A Past is what the audit log of a store says of its handoffs, whether its chain holds or not. It reads of the
// first handoff that it is asked for alone, then all, and again once the log has grown. It is for one goroutine.
type Past struct {
	Store *store.Store

	facts *eventlog.Facts
	of    string // the id for which that was read, "" for all
	size  int64  // of the log when it was read
}

// About returns what is said of the handoff of an id, "" for all. A log that is missing says nothing.
func (p *Past) About(id string) (*eventlog.Facts, error) {
	return store.InState(p.Store, func(d *disk.Dir) (*eventlog.Facts, error) { return p.about(d, id) })
}

func (p *Past) about(d *disk.Dir, id string) (*eventlog.Facts, error) {
	log, done, err := openLog(d)
	if err != nil {
		return nil, err
	}
	defer done()
	if p.facts != nil && p.size == log.Size() && (p.of == "" || p.of == id) {
		return p.facts, nil
	}
	if p.facts != nil {
		id = ""
	}
	needles := []string{eventlog.TypeRecovered, strings.TrimPrefix(id, form.IDPrefix)}
	if needles[1] == "" {
		needles = nil
	}
	p.facts, p.of, p.size = eventlog.NewFacts(), id, log.Size()
	for e := range eventlog.Scan(log, 0, &err, needles...) {
		p.facts.CollectAll([]eventlog.Parsed{e})
	}
	return p.facts, err
}

// openLog opens the audit log. Something else at its name is ErrIntegrity.
func openLog(d *disk.Dir) (*io.SectionReader, func() error, error) {
	log, done, err := eventlog.Open(d)
	if err != nil {
		err = store.Odd(filepath.Join(d.Path(), disk.LogFile), err)
	}
	return log, done, err
}

// WrittenOn returns the ids of the handoffs that were written while a branch was checked out, as the
// audit log says.
func WrittenOn(d *disk.Dir, branch string) (map[string]bool, error) {
	written := make(map[string]bool)
	return written, each(d, func(w eventlog.Written) {
		if w.Branch == branch {
			written[w.HandoffID] = true
		}
	}, `"branch":"`+strings.ReplaceAll(branch, `"`, `\"`)+`"`)
}

// each calls do with the payloads of one type of the events whose lines contain a needle.
func each[T any](d *disk.Dir, do func(T), needle string) error {
	log, done, err := openLog(d)
	if err != nil {
		return err
	}
	defer done()
	for e := range eventlog.Scan(log, 0, &err, needle) {
		if p, ok := e.Content.(T); ok {
			do(p)
		}
	}
	return err
}

// gapOf says which part of the past of a listed handoff the log lacks, "" if it has it all.
func gapOf(row index.Row, known eventlog.Handoff) string {
	if !known.IsWritten() || known.Adopted {
		return "the audit log does not go back to the writing of this handoff: the state of the store was lost, or is that of another clone, or was restored or mended"
	}
	for _, m := range row.Marks() {
		if !(index.Row{ReadBy: known.ReadBy}).IsReadBy(m.Operator) {
			return fmt.Sprintf("INDEX.md has it as read by %s, of which the audit log knows nothing: the state of the store is older, or somebody else wrote that", m.Operator)
		}
	}
	return ""
}

// Probed returns what the audit log says of the newest run of a probe that came to an end, by a
// definition on a commit with no file changed, since a time.
func Probed(d *disk.Dir, like eventlog.Probed, since time.Time) (found eventlog.Probed, ok bool, err error) {
	err = each(d, func(p eventlog.Probed) {
		at, timed := form.Instant(p.RanAt)
		if timed && p.Probe == like.Probe && p.Definition == like.Definition && p.Commit == like.Commit && p.Changed == 0 && p.ExitCode >= 0 && !at.Before(since) {
			found, ok = p, true
		}
	}, like.Definition)
	return found, ok && err == nil, err
}
