package check

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// A rewriting is the new content of one index file.
type rewriting struct {
	name    string
	old     []byte
	layout  index.Layout
	text    []byte // of the layout
	added   []string
	marks   int
	dropped []string // places of the lines that are left out
}

// rewrite gives every index file the rows and marks that it should have, archives first, so that
// INDEX.md takes in what an archive has lost. An archive that is missing or was emptied is made anew,
// so that those behind it are found.
func (m *mending) rewrite() error {
	m.placed = make(map[string]bool, len(m.stored))
	var archives []string
	for _, f := range m.found.Indexes[1:] {
		archives = append(archives, f.Name)
		if err := m.publishRewriting(m.normalise(f, false)); err != nil {
			return err
		}
	}
	last := m.normalise(m.found.Indexes[0], m.rebuild)
	m.complete(&last, archives)
	return m.publishRewriting(last)
}

// normalise keeps the good rows of a file, each id once, or none if all are made anew, and what other people
// wrote. Damaged rows, conflict markers and links that lead nowhere remain in the copy of the file.
func (m *mending) normalise(f IndexFile, anew bool) rewriting {
	r := rewriting{name: f.Name, old: []byte(f.Text)}
	text := strings.TrimPrefix(f.Text, ByteOrderMark)
	var sides Conflict
	far := m.found.FarLinks()
	for l := range index.Lines(text) {
		isMarker, place := sides.IsMarker(l.Text), fmt.Sprintf("%s:%d", f.Name, l.Number)
		var row index.Row
		keep := false
		if l.IsRow && !anew {
			row, keep = m.take(l.Row)
		}
		switch {
		case keep:
			r.marks += len(row.Marks()) - len(l.Row.Marks())
			r.layout.AddRow(row)
		case l.IsRow && anew:
			r.layout.SkipRow()
		case store.LooksLikeRow(l.Text): // as rows do
			r.layout.SkipRow()
			r.dropped = append(r.dropped, place)
		case isMarker, slices.Contains(far, index.LinkedArchive([]byte(l.Text))):
			r.dropped = append(r.dropped, place)
		default:
			r.layout.Add(text[l.Start:l.End])
		}
	}
	r.text = r.layout.Text()
	return r
}

// take returns what a row should be, if it lists a good document and no row before has done so.
func (m *mending) take(old index.Row) (index.Row, bool) {
	doc, ok := m.stored[old.ID]
	if !ok || m.placed[old.ID] || doc.File != old.File || !store.SameHandoff(*doc.Row, old) {
		return old, false
	}
	row := *doc.Row
	m.placed[row.ID] = true
	if slices.Equal(row.Marks(), old.Marks()) {
		row.ReadBy = old.ReadBy
	}
	return row, true
}

// complete adds rows for the good handoffs that no file lists, in the order of the log, and links.
func (m *mending) complete(r *rewriting, archives []string) {
	var missing []index.Row
	for id, row := range m.stored {
		if !m.placed[id] {
			missing = append(missing, *row.Row)
		}
	}
	for _, row := range m.inOrder(missing) {
		r.added = append(r.added, row.ID)
		r.layout.AppendRow(row)
	}
	r.text = r.layout.Text()
	linked := index.Archives(string(r.text))
	unlinked := slices.DeleteFunc(slices.Clone(archives), func(a string) bool { return slices.Contains(linked, a) })
	if len(unlinked) > 0 {
		r.text = index.AddArchives(r.text, unlinked)
	}
}

// publishRewriting replaces an index file, keeps the old one beside, and records what was done. The events
// that were missing go with INDEX.md.
func (m *mending) publishRewriting(r rewriting) error {
	payload := eventlog.Repaired{Index: r.name, AddedRows: eventlog.FirstIDs(r.added), AddedMarks: r.marks, Quarantined: []string{}}
	var missing []eventlog.Pending
	changed := !bytes.Equal(r.old, r.text)
	if r.name == disk.IndexFile {
		var err error
		if missing, err = m.missingEvents(); err != nil {
			return err
		}
		payload.Quarantined = append(payload.Quarantined, m.lost...)
		payload.Superseded, payload.LogKeptAs = m.superseded, m.logKeptAs
		changed = changed || len(missing)+len(m.lost) > 0 || m.logKeptAs != "" || m.found.Log.Torn != ""
	}
	if !changed || (len(r.old) == 0 && len(m.stored)+len(m.lost) == 0 && m.found.Log.Count == 0) {
		return nil
	}
	if len(r.old) > 0 && !bytes.Equal(r.old, r.text) {
		payload.KeptAs = r.name + "." + m.stamp
		if err := m.keepCopy(m.Dir, payload.KeptAs, r.old); err != nil {
			return err
		}
	}
	events := append([]eventlog.Pending{{Type: eventlog.TypeRepair, Payload: payload}}, missing...)
	if err := m.Reindex(r.name, r.text, events); err != nil {
		return err
	}
	m.tell(r, payload, len(missing))
	return nil
}

// tell reports how an index file was written anew: what was added, what became of the old file, what only
// that one has, and which handoffs are recorded as lost.
func (m *mending) tell(r rewriting, payload eventlog.Repaired, events int) {
	old := "the file was as it should be"
	switch {
	case payload.KeptAs != "":
		old = "the old file is " + payload.KeptAs
	case len(r.old) == 0:
		old = "the file was missing or empty"
	}
	m.did("wrote %s: %s, %s and %s added; %s", r.name, fault.Count(len(r.added), "row"), fault.Count(r.marks, "read mark"), fault.Count(events, "event"), old)
	if n := len(r.dropped); n > 0 {
		m.did("left out %s that only the old file has now: %s", fault.Count(n, "line"), fault.Some(r.dropped))
	}
	if len(payload.Quarantined) > 0 {
		m.did("recorded as lost until they are written again: %s; to have one back, write it as it was, from git or a backup; "+
			"what was changed in it can be written as a handoff of its own, without the line handoff_id, or with `handoff write - --supersedes ID`", fault.Some(payload.Quarantined))
	}
}

// readLoose reads the archives behind a gap in their numbers.
func (m *mending) readLoose() (err error) {
	for _, name := range m.found.LooseArchives() {
		text, readErr := store.ReadIndex(m.Dir, name)
		m.loose, err = append(m.loose, IndexFile{Name: name, Text: store.AsString(text)}), errors.Join(err, readErr)
	}
	return err
}

// displaceLoose puts these archives aside. What they list is in INDEX.md by now, if its document is
// there, with its marks.
func (m *mending) displaceLoose() error {
	for _, f := range m.loose {
		if err := m.quarantine(m.Dir, f.Name, "no index file links it"); err != nil {
			return err
		}
	}
	return nil
}
