package check

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// An indexRewrite is the new content of one index file.
type indexRewrite struct {
	name    string
	old     []byte
	layout  index.Layout
	text    []byte // of the layout
	added   []string
	marks   int
	forged  int      // the number of omitted read marks
	dropped []string // places of the lines that are omitted
}

// rewrite writes every index file with the right rows and marks. It writes the archives first, so that
// INDEX.md gets the rows that they lost. It creates missing archives, so that readers reach the later ones.
func (m *repair) rewrite() error {
	m.placed = make(map[string]bool, len(m.stored))
	var archives []string
	for _, f := range m.found.Indexes[1:] {
		archives = append(archives, f.Name)
		if err := m.publishRewrite(m.normalize(f, false)); err != nil {
			return err
		}
	}
	last := m.normalize(m.found.Indexes[0], m.rebuild)
	m.addMissing(&last, archives)
	return m.publishRewrite(last)
}

// normalize keeps the good rows of a file, each id once, and the text of people. If rebuild is set it keeps
// no rows. Damaged rows remain only in the copy of the file.
func (m *repair) normalize(f IndexFile, rebuild bool) indexRewrite {
	r := indexRewrite{name: f.Name, old: []byte(f.Text)}
	for l := range index.Lines(f.Text) {
		var row index.Row
		keep := false
		if l.IsRow && !rebuild {
			row, keep = m.placeRow(l.Row)
		}
		switch {
		case keep:
			more := len(row.Marks()) - len(l.Row.Marks())
			r.marks, r.forged = r.marks+max(more, 0), r.forged+max(-more, 0)
			r.layout.AddRow(row)
		case l.IsRow && rebuild:
			r.layout.SkipRow()
		case store.LooksLikeRow(l.Text): // treat it as a row
			r.layout.SkipRow()
			r.dropped = append(r.dropped, fmt.Sprintf("%s:%d", f.Name, l.Number))
		default:
			r.layout.Add(f.Text[l.Start:l.End])
		}
	}
	r.text = r.layout.Text()
	return r
}

// placeRow returns the right form of a row. ok is false if its document is not good or an earlier row lists
// it.
func (m *repair) placeRow(old index.Row) (index.Row, bool) {
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

// addMissing adds links, and rows for the good handoffs that no file lists, in the order of the log.
func (m *repair) addMissing(r *indexRewrite, archives []string) {
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

// publishRewrite replaces an index file, keeps a copy of the old one, and records the repair. The missing
// events are logged with INDEX.md.
func (m *repair) publishRewrite(r indexRewrite) error {
	payload := eventlog.Repaired{Index: r.name, AddedRows: eventlog.FirstIDs(r.added), AddedMarks: r.marks,
		Quarantined: []string{}}
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
	m.reportRewrite(r, payload, len(missing))
	return nil
}

// reportRewrite reports how an index file was rewritten: what was added, where the old file is, which lines
// it alone has, and which handoffs are lost.
func (m *repair) reportRewrite(r indexRewrite, payload eventlog.Repaired, events int) {
	old := "the file was as it should be"
	switch {
	case payload.KeptAs != "":
		old = "the old file is " + payload.KeptAs
	case len(r.old) == 0:
		old = "the file was missing or empty"
	}
	m.did("wrote %s: %s, %s and %s added; %s", r.name, fault.Count(len(r.added), "row"),
		fault.Count(r.marks, "read mark"), fault.Count(events, "event"), old)
	if r.forged > 0 {
		m.did("omitted %s, which no event records", fault.Count(r.forged, "read mark"))
	}
	if n := len(r.dropped); n > 0 {
		m.did("omitted %s, which only the old file has: %s", fault.Count(n, "line"), fault.Some(r.dropped))
	}
	if len(payload.Quarantined) > 0 {
		m.did("recorded as lost: %s; to restore one, write its original from git or a backup; "+
			"to keep a changed text, write it as a new handoff, without the line handoff_id, or with `handoff "+
			"write - --supersedes ID`", fault.Some(payload.Quarantined))
	}
}
