package journal

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/seed-78daf238/handoff/lib/internal/index"
)

// Carry applies a record to the text of INDEX.md and returns the result. Like [index.Append], it does not change text
// but may overwrite the memory after it.
func (r *Record) Carry(text []byte) []byte {
	if r.Table != nil {
		return r.Table
	}
	if len(r.Unset) > 0 {
		gone := make(map[string]bool, len(r.Unset))
		for _, id := range r.Unset {
			gone[id] = true
		}
		text = index.DropRows(text, gone)
	}
	if len(r.Set) > 0 {
		edits := make(map[string]index.Row, len(r.Set))
		for _, row := range r.Set {
			edits[row.ID] = row
		}
		text = index.SetRows(text, edits)
	}
	if len(r.Added) > 0 {
		if len(text) == 0 {
			text = index.New()
		}
		text = index.Append(text, r.Added)
	}
	if len(r.Links) > 0 {
		text = index.AddArchives(slices.Clip(text), r.Links)
	}
	return text
}

// A Story is the whole content of a journal, in order.
type Story struct {
	*Checkpoint
	Records []*Record

	// Files are the effects of the records on files, except INDEX.md and the files that only grow. A text is the
	// content that a file must have; nil means that the file must not exist.
	Files map[Name]*Text
}

// Story reads the whole journal.
func (j *Journal) Story() (*Story, error) {
	c, err := j.Checkpoint()
	if err != nil {
		return nil, err
	}
	s := &Story{Checkpoint: c, Files: make(map[Name]*Text)}
	err = j.EachRecord(func(r *Record) error {
		s.Records = append(s.Records, r)
		for _, g := range r.Gone {
			s.Files[g.Name] = nil
		}
		for _, list := range [][]File{r.New, r.Put} {
			for i := range list {
				s.Files[list[i].Name] = &list[i].Text
			}
		}
		return nil
	})
	return s, err
}

// Text returns the text that INDEX.md must have.
func (s *Story) Text() []byte {
	text := s.Table
	for _, r := range s.Records {
		text = r.Carry(text)
	}
	return text
}

// Knows reports whether text is a state of INDEX.md that the journal has: at the checkpoint, or after one of
// its records.
func (s *Story) Knows(text []byte) bool {
	h := HashOf(text)
	return h == s.Was || h == s.Checkpoint.Index ||
		slices.ContainsFunc(s.Records, func(r *Record) bool { return r.Index == h })
}

// IsDamaged reports whether text looks like an INDEX.md after a power cut. It is empty, has NUL bytes, or is
// the beginning of a known state.
func (s *Story) IsDamaged(text []byte) bool {
	if len(bytes.TrimSpace(text)) == 0 || bytes.IndexByte(text, 0) >= 0 {
		return true
	}
	state := s.Table
	if bytes.HasPrefix(state, text) {
		return true
	}
	for _, r := range s.Records {
		if state = r.Carry(state); bytes.HasPrefix(state, text) {
			return true
		}
	}
	return false
}

// rowsOf returns the first row of each id, and the ids in order.
func rowsOf(text []byte) (rows map[string]index.Row, order []string) {
	rows = make(map[string]index.Row)
	for l := range index.Lines(string(text)) {
		if _, again := rows[l.Row.ID]; l.IsRow && !again {
			rows[l.Row.ID], order = l.Row, append(order, l.Row.ID)
		}
	}
	return rows, order
}

// Merge merges an INDEX.md that someone saved with the journal. The rows come from the journal, all other
// text from the person. Each known row is as in the journal. If more is set, it also has marks that the journal does
// not have: git brings those of others, or a person typed them. They stay, and verify reports them. A missing row is
// restored if isThere reports that its document exists. An unknown row stays, and verify checks it, unless it was
// removed since the journal began.
func (s *Story) Merge(found []byte, more bool, isThere func(index.Row) (bool, error)) ([]byte, error) {
	text := found
	if len(text) > 0 && text[len(text)-1] != '\n' {
		text = append(slices.Clip(text), '\n')
	}
	gone := make(map[string]bool)
	for _, r := range s.Records {
		for _, id := range r.Unset {
			gone[id] = true
		}
	}
	ours, order := rowsOf(s.Text())
	seen := make(map[string]bool)
	text = index.Edit(text, index.Any, func(row index.Row) (index.Row, bool) {
		_, known := ours[row.ID]
		stays := !(known && seen[row.ID] || !known && gone[row.ID])
		seen[row.ID] = seen[row.ID] || stays
		return row, stays
	})
	have, theirs := rowsOf(text)
	change := &Record{}
	for _, id := range theirs {
		row, known := ours[id]
		if more {
			row = row.WithMark(have[id].Marks()...)
		}
		if known && row != have[id] {
			change.Set = append(change.Set, row)
		}
	}
	for _, id := range order {
		if _, there := have[id]; there {
			continue
		}
		there, err := isThere(ours[id])
		if err != nil {
			return nil, err
		}
		if there {
			change.Added = append(change.Added, ours[id])
		}
	}
	text = change.Carry(text)
	return (&Record{Links: s.lostLinks(text)}).Carry(text), nil
}

// lostLinks returns the archives that the text should link but does not.
func (s *Story) lostLinks(text []byte) []string {
	linked := index.Archives(string(text))
	return slices.DeleteFunc(index.Archives(string(s.Text())),
		func(name string) bool { return slices.Contains(linked, name) })
}

// DropUnlisted removes the handoffs from files that table does not list: git checked out another commit, so
// they must not return.
func DropUnlisted(files map[Name]*Text, table []byte) {
	listed := make(map[string]bool)
	for l := range index.Lines(string(table)) {
		if l.IsRow {
			listed[l.Row.File] = true
		}
	}
	for name := range files {
		if name.Place == Handoffs && index.IsFile(name.File) && !listed[name.File] {
			delete(files, name)
		}
	}
}

// Had reports whether a file had a text with the hash sum since the journal began, since a power cut may
// bring it back.
func (s *Story) Had(name Name, sum Hash) bool {
	if text := s.State[name.File]; name.Place == State && text != nil && text.SHA256 == sum {
		return true
	}
	is := func(f File) bool { return f.Name == name && f.SHA256 == sum }
	return slices.ContainsFunc(s.Records, func(r *Record) bool {
		return slices.ContainsFunc(r.New, is) ||
			slices.ContainsFunc(r.Put, is)
	})
}

// Removed returns the files that a record has removed and no later one created, with their hashes.
func (s *Story) Removed() map[Name]Hash {
	gone := make(map[Name]Hash)
	for _, r := range s.Records {
		for _, g := range r.Gone {
			if s.Files[g.Name] == nil {
				gone[g.Name] = g.SHA256
			}
		}
	}
	return gone
}

// StateFile returns the content that a file of the state must have, or nil if the journal does not know the file.
// The bytes of a large file are not known.
func (s *Story) StateFile(name string) *Text {
	return cmp.Or(s.Files[Name{State, name}], s.State[name])
}

// Tails returns the text that the records append to the audit log and to the ledger since the checkpoint.
func (s *Story) Tails() (log, ledger Tail) {
	log = Tail{s.Checkpoint.Log.Offset - int64(len(s.LogTail)), [][]byte{s.LogTail}}
	ledger = Tail{s.Checkpoint.Ledger.Offset - int64(len(s.LedgerTail)), [][]byte{s.LedgerTail}}
	for _, r := range s.Records {
		log.Parts, ledger.Parts = append(log.Parts, r.LogText), append(ledger.Parts, r.LedgerText)
	}
	return log, ledger
}

// A Tail is the end of a file that only grows, in parts, since a large one is not copied.
type Tail struct {
	Offset int64
	Parts  [][]byte
}

// End returns the offset after the tail.
func (t Tail) End() int64 {
	end := t.Offset
	for _, part := range t.Parts {
		end += int64(len(part))
	}
	return end
}
