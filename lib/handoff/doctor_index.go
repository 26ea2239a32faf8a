package handoff

import (
	"bytes"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/journal"
)

// A rewriting is the new content of one index file.
type rewriting struct {
	name      string
	old, text []byte
	added     []string
	marks     int
}

// rewrite gives every index file the rows and marks that it should have, archives first, so that INDEX.md
// takes in what an archive has lost. A linked archive that is missing is made anew, so that those behind
// it are found.
func (m *mending) rewrite() error {
	m.placed = make(map[string]bool)
	var archives []string
	var all []rewriting
	for _, f := range m.found.indexes[1:] {
		archives = append(archives, f.name)
		if f.text == nil {
			all = append(all, rewriting{name: f.name, text: index.New(nil)})
			continue
		}
		all = append(all, m.normalise(f))
	}
	old := m.found.indexes[0]
	last := m.normalise(old)
	if m.rebuild || len(old.text) == 0 {
		m.renew(&last, archives)
	}
	m.complete(&last, archives)
	for _, r := range append(all, last) {
		if err := m.publishRewriting(r); err != nil {
			return err
		}
	}
	return nil
}

// A layout is an index file in parts: what stands above the rows, the rows, and what other people wrote
// between and below them.
type layout struct {
	above, rows, below []string
	blank              int // lines that wait for what follows them
}

func (t *layout) add(l index.Line) {
	switch text := strings.TrimRight(l.Text, "\r"); {
	case strings.TrimSpace(text) == "":
		t.blank++
	case len(t.rows) == 0:
		t.flush(&t.above)
		t.above = append(t.above, text)
	case !l.IsFurniture(): // a second heading or a link among the rows came from another tool
		t.flush(&t.below)
		t.below = append(t.below, text)
	}
}

func (t *layout) addRow(row string) {
	if len(t.rows) == 0 {
		t.flush(&t.above)
	}
	t.blank = 0
	t.rows = append(t.rows, row)
}

func (t *layout) flush(part *[]string) {
	*part = append(*part, make([]string, t.blank)...)
	t.blank = 0
}

func (t *layout) text() []byte {
	t.flush(&t.below)
	var out bytes.Buffer
	for _, line := range slices.Concat(t.above, t.rows, t.below) {
		out.WriteString(line + "\n")
	}
	return out.Bytes()
}

// normalise keeps the good rows of a file, each id once, and every line that other people wrote, below the
// rows if it stood between them. Damaged rows and conflict markers remain in the copy of the file.
func (m *mending) normalise(f indexText) rewriting {
	r := rewriting{name: f.name, old: f.text}
	var t layout
	for l := range index.Lines(string(f.text)) {
		switch {
		case l.IsRow:
			if row, ok := m.take(l.Row); ok {
				r.marks += len(row.Marks()) - len(l.Row.Marks())
				t.addRow(row.String())
			}
		case looksLikeRow(l.Text) || isConflictMarker(l.Text):
		default:
			t.add(l)
		}
	}
	r.text = t.text()
	return r
}

// take returns what a row should be, if it lists a good document and no row before has done so.
func (m *mending) take(old index.Row) (index.Row, bool) {
	row, ok := m.stored[old.ID]
	if !ok || m.placed[old.ID] || row.File != old.File || !sameHandoff(row, old) {
		return row, false
	}
	m.placed[old.ID] = true
	if slices.Equal(row.Marks(), old.Marks()) {
		row.ReadBy = old.ReadBy
	}
	return row, true
}

// renew makes the table anew, without its rows but with what other people wrote.
func (m *mending) renew(r *rewriting, archives []string) {
	var notes []string
	for l := range index.Lines(string(r.text)) {
		if l.IsRow {
			m.placed[l.Row.ID] = false
		} else if !l.IsFurniture() {
			notes = append(notes, l.Text)
		}
	}
	r.text = index.New(archives)
	if len(notes) > 0 {
		r.text = append(r.text, "\n"+strings.Join(notes, "\n")+"\n"...)
	}
}

// complete adds rows for the good handoffs that no file lists, in the order of the log, and links.
func (m *mending) complete(r *rewriting, archives []string) {
	var missing []index.Row
	for id, row := range m.stored {
		if !m.placed[id] {
			missing = append(missing, row)
		}
	}
	for _, row := range m.inOrder(missing) {
		r.added = append(r.added, row.ID)
	}
	if len(missing) > 0 {
		r.text = index.Append(r.text, missing)
	}
	linked := index.Archives(string(r.text))
	unlinked := slices.DeleteFunc(slices.Clone(archives), func(a string) bool { return slices.Contains(linked, a) })
	if len(unlinked) > 0 {
		r.text = index.AddArchives(r.text, unlinked)
	}
}

// publishRewriting replaces an index file, keeps the old one beside, and records what was done. The events
// that were missing go with INDEX.md.
func (m *mending) publishRewriting(r rewriting) error {
	payload := repairPayload{Index: r.name, AddedRows: firstIDs(r.added), AddedMarks: r.marks, Quarantined: []string{}}
	st := step{begins: true, intent: journal.Intent{Op: journal.OpRepair, Index: r.name, IndexSHA256: sha256Hex(r.text)}}
	changed := !bytes.Equal(r.old, r.text)
	if r.name == index.Name {
		missing, err := m.missingEvents()
		if err != nil {
			return err
		}
		st.events = missing
		payload.Quarantined = append(payload.Quarantined, m.lost...)
		payload.Superseded, payload.LogKeptAs = m.superseded, m.logKeptAs
		changed = changed || len(missing)+len(m.lost) > 0 || m.logKeptAs != "" || m.found.log.torn
	}
	if !changed || (len(r.old) == 0 && len(m.stored) == 0 && len(m.found.log.hashes) == 0) {
		return nil
	}
	if len(r.old) > 0 && !bytes.Equal(r.old, r.text) {
		payload.KeptAs = r.name + "." + m.stamp
		if err := m.keepCopy(m.dir, payload.KeptAs, r.old); err != nil {
			return err
		}
	}
	missing := len(st.events)
	st.events = append([]event{{eventRepair, payload}}, st.events...)
	st.commit = func() error { return m.replaceIndex(r.name, r.text) }
	if err := m.apply(st); err != nil {
		return err
	}
	m.tell(r, payload, missing)
	return nil
}

func (m *mending) tell(r rewriting, payload repairPayload, events int) {
	old := "the file was as it should be"
	if payload.KeptAs != "" {
		old = "the old file is " + payload.KeptAs
	}
	m.did("wrote %s: %s, %s and %s added; %s", r.name, Count(len(r.added), "row"), Count(r.marks, "read mark"), Count(events, "event"), old)
	if len(payload.Quarantined) > 0 {
		m.did("recorded as lost until they are written again: %s", describe(payload.Quarantined))
	}
}
