package txn

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// A History is what the audit log of a store records about its handoffs, even if its chain is broken. The
// first call reads the events of one handoff, later calls read all, and again when the log has grown. It is
// not safe for concurrent use.
type History struct {
	Store *store.Store

	facts *eventlog.Facts
	of    string // the id of the events that were read, "" for all
	size  int64  // the size of the log that was read
}

// About returns the facts about the handoff id, or about all if id is "". A missing log has no facts.
func (p *History) About(id string) (*eventlog.Facts, error) {
	return store.InState(p.Store, func(d *disk.Dir) (*eventlog.Facts, error) { return p.read(d, id) })
}

func (p *History) read(d *disk.Dir, id string) (*eventlog.Facts, error) {
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
	for e := range eventlog.Scan(eventlog.ParseEvent, log, 0, &err, needles...) {
		p.facts.CollectAll([]eventlog.Parsed{e})
	}
	return p.facts, err
}

// openLog opens the audit log. If it is not a regular file, the error is ErrIntegrity.
func openLog(d *disk.Dir) (*io.SectionReader, func() error, error) {
	log, done, err := eventlog.Open(d)
	if err != nil {
		err = store.AsCorrupt(filepath.Join(d.Path(), disk.LogFile), err)
	}
	return log, done, err
}

// each calls do with the payloads of type T in the events whose lines contain needle, in the last bytes of the log.
func each[T any](d *disk.Dir, last int64, do func(T), needle string) error {
	log, done, err := openLog(d)
	if err != nil {
		return err
	}
	defer done()
	for e := range eventlog.Scan(eventlog.ParseEvent, log, max(0, log.Size()-last), &err, needle) {
		if p, ok := e.Content.(T); ok {
			do(p)
		}
	}
	return err
}

// gapOf returns which events of a listed handoff the log lacks, or "" if it has all.
func gapOf(row index.Row, known eventlog.Handoff) string {
	if !known.IsWritten() || known.Adopted {
		return "the audit log does not record the writing of this handoff: the state of the store was lost, " +
			"restored or repaired, or belongs to another clone"
	}
	for _, m := range row.Marks() {
		if !(index.Row{ReadBy: known.ReadBy}).IsReadBy(m.Operator) {
			return fmt.Sprintf("INDEX.md lists it as read by %s, but the audit log does not: the state of the "+
				"store is older, or someone else edited INDEX.md", m.Operator)
		}
	}
	return ""
}
