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
// takes in what an archive has lost.
func (m *mending) rewrite() error {
	docs, names, err := m.stored()
	if err != nil {
		return err
	}
	placed := make(map[string]bool)
	var archives []string
	var all []rewriting
	err = eachIndex(m.dir, func(name string, text []byte) error {
		if name == index.Name || text == nil {
			return nil
		}
		archives = append(archives, name)
		all = append(all, m.normalise(name, text, docs, names, placed))
		return nil
	})
	if err != nil {
		return err
	}
	text, err := readIndex(m.dir, index.Name)
	if err != nil {
		return err
	}
	last := m.normalise(index.Name, text, docs, names, placed)
	if m.rebuild || len(text) == 0 {
		last = m.fresh(text, archives, placed, last)
	}
	m.complete(&last, archives, docs, names, placed)
	for _, r := range append(all, last) {
		if err := m.replaceWith(r, docs, names); err != nil {
			return err
		}
	}
	return nil
}

// normalise keeps the good rows of a file, each id once, with the marks that the log records, and every
// line that other people wrote. Blank lines between rows go.
func (m *mending) normalise(name string, text []byte, docs map[string]Document, names map[string]string, placed map[string]bool) rewriting {
	r := rewriting{name: name, old: text}
	var out bytes.Buffer
	blank, afterRow := 0, false
	for l := range index.Lines(string(text)) {
		trimmed := strings.Trim(l.Text, " \t\r")
		switch {
		case trimmed == "":
			blank++
			continue
		case l.IsRow:
			doc, good := docs[l.Row.ID]
			if !good || placed[l.Row.ID] || names[l.Row.ID] != l.Row.File || compareRow(l.Row.File, doc, Entry{l.Row}) != nil {
				continue
			}
			placed[l.Row.ID] = true
			if afterRow {
				blank = 0
			}
			row, marks := m.withMarks(m.found.rows[l.Row.ID].Row)
			row.File, r.marks = l.Row.File, r.marks+marks
			writeLines(&out, blank, row.String())
			blank, afterRow = 0, true
			continue
		case strings.Contains(trimmed, "sha256:") && strings.Contains(trimmed, "|"):
			continue // a damaged row: the copy keeps it
		}
		writeLines(&out, blank, strings.TrimRight(l.Text, "\r"))
		blank, afterRow = 0, false
	}
	r.text = out.Bytes()
	return r
}

func writeLines(out *bytes.Buffer, blank int, line string) {
	out.WriteString(strings.Repeat("\n", blank) + line + "\n")
}

func (m *mending) withMarks(row index.Row) (index.Row, int) {
	n := 0
	for _, mark := range m.marks[row.ID] {
		if !row.IsReadBy(mark.Operator) {
			row = row.WithMark(mark)
			n++
		}
	}
	return row, n
}

// fresh is a table without the rows of the old one, but with what other people wrote below it.
func (m *mending) fresh(text []byte, archives []string, placed map[string]bool, normal rewriting) rewriting {
	r := rewriting{name: index.Name, old: text, text: index.New(archives)}
	var notes []string
	for l := range index.Lines(string(normal.text)) {
		if l.IsRow {
			placed[l.Row.ID] = false
		} else if !l.IsFurniture() {
			notes = append(notes, l.Text)
		}
	}
	if len(notes) > 0 {
		r.text = append(r.text, "\n"+strings.Join(notes, "\n")+"\n"...)
	}
	return r
}

// complete adds rows for the good handoffs that no file lists, in the order of the log, and links.
func (m *mending) complete(r *rewriting, archives []string, docs map[string]Document, names map[string]string, placed map[string]bool) {
	var missing []string
	for id := range docs {
		if !placed[id] {
			missing = append(missing, id)
		}
	}
	slices.SortFunc(missing, func(a, b string) int {
		if la, lb := m.found.log.writes[a].line, m.found.log.writes[b].line; la != lb {
			return la - lb
		}
		return strings.Compare(docs[a].Time+a, docs[b].Time+b)
	})
	var rows []index.Row
	for _, id := range missing {
		d := docs[id]
		row := index.Row{ID: id, File: names[id], From: d.From, To: d.To, Topic: d.Topic, Time: d.Time}
		if old := m.found.rows[id]; old != nil {
			row.ReadBy = old.ReadBy
		}
		row, marks := m.withMarks(row)
		rows, r.marks = append(rows, row), r.marks+marks
	}
	r.added = missing
	if len(rows) > 0 {
		r.text = index.Append(r.text, rows)
	}
	linked := index.Archives(string(r.text))
	unlinked := slices.DeleteFunc(slices.Clone(archives), func(a string) bool { return slices.Contains(linked, a) })
	if len(unlinked) > 0 {
		r.text = index.AddArchives(r.text, unlinked)
	}
}

// replaceWith publishes a rewritten file, keeps the old one beside, and records what was done and which
// events were missing.
func (m *mending) replaceWith(r rewriting, docs map[string]Document, names map[string]string) error {
	events := r.name == index.Name
	st := step{begins: true, intent: journal.Intent{Op: journal.OpRepair, Index: r.name, IndexSHA256: sha256Hex(r.text)}}
	if events {
		st.events = m.missingEvents(docs, names)
	}
	torn := slices.ContainsFunc(m.found.report.Faults, func(f Finding) bool { return strings.Contains(f.Problem, "is torn") })
	if bytes.Equal(r.old, r.text) && len(st.events) == 0 && !(events && (torn || len(m.quarantined) > 0)) {
		return nil
	}
	payload := repairPayload{Index: r.name, AddedRows: firstIDs(r.added), AddedMarks: r.marks, Quarantined: firstIDs(m.quarantined)}
	if len(r.old) > 0 {
		payload.KeptAs = r.name + "." + m.stamp
		if err := m.keepCopy(m.dir, r.name, payload.KeptAs); err != nil {
			return err
		}
	}
	st.events = append(st.events, event{eventRepair, payload})
	st.commit = func() error { return m.replaceIndex(r.name, r.text) }
	if err := m.apply(st); err != nil {
		return err
	}
	m.did("wrote %s: %d rows added, %d read marks added, %d events added; the old file is %s", r.name, len(r.added), r.marks, len(st.events)-1, payload.KeptAs)
	return nil
}

// missingEvents returns the events that rows and marks should have and do not. A log that is missing as a
// whole begins with one event that says so.
func (m *mending) missingEvents(docs map[string]Document, names map[string]string) []event {
	if len(m.found.log.hashes) == 0 && len(docs) > 0 {
		return []event{{eventRecovered, recoveredPayload{Reason: "the audit log was missing", AdoptedRows: len(docs)}}}
	}
	var events []event
	for id, d := range docs {
		if _, ok := m.found.log.writes[id]; !ok && !m.found.log.adopted {
			events = append(events, event{eventWrite, m.writePayload(admitted{sealed{Document: d}, "unknown"}, names[id])})
		}
		row := m.found.rows[id]
		if row == nil || m.found.log.adopted {
			continue
		}
		for _, mark := range row.Marks() {
			if _, ok := m.found.log.marks[journal.Mark{ID: id, Operator: mark.Operator}]; !ok {
				events = append(events, event{eventMarkRead, markReadPayload{id, mark.Operator, mark.Time, true}})
			}
		}
	}
	slices.SortStableFunc(events, func(a, b event) int { return -strings.Compare(a.kind, b.kind) })
	return events
}
