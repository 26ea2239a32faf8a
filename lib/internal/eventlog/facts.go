package eventlog

import (
	"hash/maphash"
	"iter"
	"path"
	"strconv"
	"strings"
	"sync"

	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/index"
)

// Facts holds what events record. It keeps only the parts that are compared later.
type Facts struct {
	handoffs  map[form.Key]*Handoff
	Resumes   map[string]LoggedResume // by token, with the actions
	Resumed   []string                // the tokens, in order
	Adopted   int                     // how many handoffs were taken over without events
	AdoptedAt string                  // the time of the last such adoption, "" for never; earlier events are lost

	Repeats int // events that repeat what others record; other writers of this format log such events
	Repeat  int // the line of the first of them
}

// A Handoff is what events record about one handoff.
type Handoff struct {
	Line   int    // the line of the write event, 0 if there is none
	Offset int64  // the offset of that line; see Reading.Written
	sum    uint64 // a hash of its content
	ReadBy string // the read marks in the form of a row; the first mark of an operator counts

	Adopted  bool   // the file existed before the write event, so its history is incomplete
	Imported bool   // other replicas wrote it and have its events
	Pruned   bool   // it was pruned and not stored again
	Restored bool   // it was stored again after it was pruned
	Key      string // the fingerprint of the key that signed it, "" if it is not signed

	// Set by repairs: the document is gone, or the next write event replaces this one.
	Aside, Superseded bool
}

// NewFacts returns empty facts.
func NewFacts() *Facts {
	return &Facts{handoffs: make(map[form.Key]*Handoff), Resumes: make(map[string]LoggedResume)}
}

// Of returns what is recorded about the handoff id, or the zero Handoff. f may be nil.
func (f *Facts) Of(id string) Handoff {
	if f == nil {
		return Handoff{}
	}
	if k, ok := form.KeyOf(id); ok && f.handoffs[k] != nil {
		return *f.handoffs[k]
	}
	return Handoff{}
}

// Handoffs returns an iterator over all handoffs with facts, in no order.
func (f *Facts) Handoffs() iter.Seq2[string, Handoff] {
	return func(yield func(string, Handoff) bool) {
		for k, h := range f.handoffs {
			if !yield(k.String(), *h) {
				return
			}
		}
	}
}

// entry returns the entry of a handoff, to be changed. For a malformed id it returns an entry that is not
// kept.
func (f *Facts) entry(id string) *Handoff {
	k, ok := form.KeyOf(id)
	if !ok {
		return &Handoff{}
	}
	if f.handoffs[k] == nil {
		f.handoffs[k] = &Handoff{}
	}
	return f.handoffs[k]
}

// IsWritten reports whether there is a write event.
func (h Handoff) IsWritten() bool { return h.Line > 0 }

// HasMark reports whether a read mark is recorded.
func (h Handoff) HasMark(m index.Mark) bool {
	for entry := range strings.SplitSeq(h.ReadBy, ",") {
		if name, at, _ := strings.Cut(entry, ":"); name == m.Operator && at == m.Time {
			return true
		}
	}
	return false
}

// Marks returns the read mark of each operator that counts.
func (h Handoff) Marks() []index.Mark {
	return index.Row{}.WithMark(h.AllMarks()...).Marks()
}

// AllMarks returns every read mark that is recorded and was not removed.
func (h Handoff) AllMarks() []index.Mark { return index.Row{ReadBy: h.ReadBy}.Marks() }

// Collect adds a readable event.
func (f *Facts) Collect(e Parsed) {
	switch p := e.Content.(type) {
	case Written:
		f.write(p.HandoffID, Handoff{
			Line: e.Number, Offset: e.Offset, sum: p.sum(), Adopted: p.Adopted,
			Key: p.SigningKey,
		})
	case Pruned:
		f.entry(p.HandoffID).Pruned = true
	case Signed:
		f.entry(p.HandoffID).Key = p.Key
	case MarkedRead:
		f.mark(p, e.Number)
	case MarkedUnread:
		h := f.entry(p.HandoffID)
		h.ReadBy = (index.Row{ReadBy: h.ReadBy}).WithoutMarks(index.Mark{Operator: p.OperatorID, Time: p.Time}).ReadBy
	case Resumed:
		f.resume(LoggedResume{p.Consumption, e.Number})
	case Recovered:
		if p.AdoptedRows > 0 {
			f.Adopted, f.AdoptedAt = f.Adopted+p.AdoptedRows, e.Time
		}
	case Imported:
		for _, id := range p.HandoffIDs {
			h := f.entry(id)
			h.Restored = h.Restored || h.Pruned
			h.Imported, h.Pruned = true, false
		}
	case Repaired:
		for _, id := range p.Quarantined {
			f.entry(id).Aside = true
		}
		for _, id := range p.Superseded {
			f.entry(id).Superseded = true
		}
	}
}

var (
	idInEvent    = form.Pattern(`"handoff_id":"(sha256:[0-9a-f]{64})"`)
	tokenInEvent = form.Pattern(`"token":"([^"\\]+)"`)
)

// CollectAll adds events, whether or not they form a chain. From an unreadable event it takes the handoffs
// and the token that its text names, since these were in the store.
func (f *Facts) CollectAll(events []Parsed) {
	for _, e := range events {
		if e.Content != nil || e.Err == nil {
			f.Collect(e)
			continue
		}
		for _, m := range idInEvent().FindAllSubmatch(e.Text, -1) {
			f.write(string(m[1]), Handoff{Line: e.Number, Offset: e.Offset})
		}
		if m := tokenInEvent().FindSubmatch(e.Text); m != nil {
			f.resume(LoggedResume{Consumption{Token: string(m[1])}, e.Number})
		}
	}
}

// write adds that a handoff was written or imported. A second event about the same handoff is a repeat. That
// is not a fault by itself: the handoff may have been lost in between.
func (f *Facts) write(id string, event Handoff) {
	h := f.entry(id)
	event.Restored = h.Restored || h.Pruned
	switch {
	case h.Aside, h.Pruned: // written again after a repair or a prune: earlier facts do not count
		*h = event
	case h.IsWritten() && !h.Superseded:
		f.repeat(event.Line)
	default:
		event.ReadBy, event.Imported = h.ReadBy, h.Imported
		*h = event
	}
}

const maxRepeats = 4 << 10 // bytes of marks of one handoff, above which repeats are not kept

// mark adds a mark that a row can hold.
func (f *Facts) mark(m MarkedRead, line int) {
	if !form.IsSlug(m.OperatorID, document.MaxName) || !form.IsInstant(m.Time) {
		return
	}
	h, mark := f.entry(m.HandoffID), index.Mark{Operator: m.OperatorID, Time: m.Time}
	again := (index.Row{ReadBy: h.ReadBy}).IsReadBy(m.OperatorID)
	if again && !m.Synced { // others may have marked it too, and earlier
		f.repeat(line)
	}
	if again && (h.HasMark(mark) || len(h.ReadBy) > maxRepeats) {
		return
	}
	if h.ReadBy != "" {
		h.ReadBy += ","
	}
	h.ReadBy += mark.Operator + ":" + mark.Time
}

// repeat counts a repeat and keeps the line of the first.
func (f *Facts) repeat(line int) {
	if f.Repeats++; f.Repeats == 1 {
		f.Repeat = line
	}
}

// resume adds that a token was consumed. The first event about a token counts.
func (f *Facts) resume(r LoggedResume) {
	if _, known := f.Resumes[r.Token]; !known {
		f.Resumes[r.Token] = r
		f.Resumed = append(f.Resumed, r.Token)
	}
}

// MayLack reports whether a handoff may have no events, since its row was adopted.
func (f *Facts) MayLack(id string) bool { return f.Adopted > 0 && f.Of(id).isUnknown() }

// isUnknown reports whether no event records the origin of a handoff.
func (h Handoff) isUnknown() bool { return !h.IsWritten() && !h.Imported }

// Says reports whether the write event agrees with a row and its document.
func (h Handoff) Says(row index.Row, doc *document.Document) bool {
	return h.sum == writtenOf(row, doc).sum()
}

// writtenOf returns the content of the write event of a row. doc may be nil.
func writtenOf(row index.Row, doc *document.Document) Written {
	w := Written{From: row.From, To: row.To, Topic: row.Topic, Time: row.Time, FilePath: row.File}
	if doc != nil {
		w.SchemaVersion, w.ReferencesCount = doc.SchemaVersion, len(doc.References)
		w.Tags, w.BodyByteSize = doc.Tags, len(doc.Body)
	}
	return w
}

// seed is random for each process, so that no one can make different events with the same sum.
var seed = sync.OnceValue(maphash.MakeSeed)

// inRow is how many of the fields of compared are also in a row.
const inRow = 5

// compared returns the fields to compare with a row and its document, each with its name. A tag has no line
// break, so equal strings mean equal lists.
func (w Written) compared() [9][2]string {
	return [...][2]string{
		{"from", w.From}, {"to", w.To}, {"topic", w.Topic}, {"ts_utc", w.Time}, {"file", path.Base(w.FilePath)},
		{"schema_version", w.SchemaVersion}, {"references_count", strconv.Itoa(w.ReferencesCount)}, {"tags",
			strconv.Itoa(len(w.Tags)) + "\n" + strings.Join(w.Tags, "\n")},
		{"body_byte_size", strconv.Itoa(w.BodyByteSize)},
	}
}

// sum returns a hash of the fields that DiffersFrom compares.
func (w Written) sum() uint64 { return maphash.Comparable(seed(), w.compared()) }

// DiffersFrom returns the name of the first field in which the event differs from the row, or from doc if it
// is not nil.
func (w Written) DiffersFrom(row index.Row, doc *document.Document) string {
	ours, theirs := w.compared(), writtenOf(row, doc).compared()
	for i, one := range theirs {
		if one != ours[i] && (i < inRow || doc != nil) {
			return one[0]
		}
	}
	return ""
}

// A LoggedResume is a consumed token in the audit log.
type LoggedResume struct {
	Consumption
	Line int
}
