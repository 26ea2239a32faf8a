package eventlog

import (
	"cmp"
	"hash/maphash"
	"iter"
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/index"
)

// Facts is what events say. Of what they say of a handoff it keeps no more than has to be compared.
type Facts struct {
	handoffs map[form.Key]*Handoff
	Resumes  map[string]LoggedResume // by token, and the acts
	Resumed  []string                // the tokens, in order
	Adopted  Adoption                // what was once taken over without its events
	Anew     string                  // when that was last: what was before is lost; "" is never
	Machine  string                  // the fingerprint of the last regenerate

	Repeats int // events that record once more what others have recorded, as other writers of this envelope log it
	Repeat  int // the line of the first of them
}

// A Handoff is what events say of one handoff.
type Handoff struct {
	Line   int    // of the write event, 0 if there is none
	Offset int64  // of that line; see Reading.Written
	sum    uint64 // of what it says
	ReadBy string // the read marks, as a row has them; where an operator has several, the first counts

	since    int64 // when it came here first, in microseconds of Unix time; 0 if no event says that
	Adopted  bool  // it was here before it was written: what became of it until then is not known
	Imported bool  // other replicas have written it, and have its events
	Pruned   bool  // it was taken out of the store, and not stored again since
	Signed   bool  // a signature was stored with it, or put beside it

	// What repairs have said: the document is gone, or the next write event replaces the former.
	Aside, Superseded bool
}

// NewFacts returns facts about nothing.
func NewFacts() *Facts {
	return &Facts{handoffs: make(map[form.Key]*Handoff), Resumes: make(map[string]LoggedResume)}
}

// Of returns what is said of the handoff of an id, zero if nothing is, as by nil.
func (f *Facts) Of(id string) Handoff {
	if f == nil {
		return Handoff{}
	}
	if k, ok := form.KeyOf(id); ok && f.handoffs[k] != nil {
		return *f.handoffs[k]
	}
	return Handoff{}
}

// Handoffs goes through all of which something is said, in no order.
func (f *Facts) Handoffs() iter.Seq2[string, Handoff] {
	return func(yield func(string, Handoff) bool) {
		for k, h := range f.handoffs {
			if !yield(k.String(), *h) {
				return
			}
		}
	}
}

// about is what is said of a handoff, to be added to. What no handoff can be called is as good as not
// recorded.
func (f *Facts) about(id string) *Handoff {
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

// FirstSeen returns when it came into this store, the zero time if no event says that.
func (h Handoff) FirstSeen() time.Time {
	if h.since == 0 {
		return time.Time{}
	}
	return time.UnixMicro(h.since).UTC()
}

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
	var first index.Row
	for _, m := range (index.Row{ReadBy: h.ReadBy}).Marks() {
		first = first.WithMark(m)
	}
	return first.Marks()
}

// AllMarks returns every read mark that is recorded and was not taken back.
func (h Handoff) AllMarks() []index.Mark { return index.Row{ReadBy: h.ReadBy}.Marks() }

// Collect takes in what an event says that can be read.
func (f *Facts) Collect(e Parsed) {
	switch p := e.Content.(type) {
	case Written:
		f.write(p.HandoffID, Handoff{
			Line: e.Number, Offset: e.Offset, sum: p.sum(), since: e.micros(), Adopted: p.Adopted, Signed: p.SigningKey != "",
		})
	case Pruned:
		f.about(p.HandoffID).Pruned = true
	case Signed:
		f.about(p.HandoffID).Signed = true
	case MarkedRead:
		f.mark(p, e.Number)
	case MarkedUnread:
		h := f.about(p.HandoffID)
		h.ReadBy = (index.Row{ReadBy: h.ReadBy}).WithoutMarks(index.Mark{Operator: p.OperatorID, Time: p.Time}).ReadBy
	case Resumed:
		f.resume(LoggedResume{p.Consumption, e.Number})
	case Recovered:
		if f.Adopted.add(p); p.AdoptedRows > 0 {
			f.Anew = e.Time
		}
	case Regenerated:
		f.Machine = p.NewFingerprint
	case Begun:
		f.Machine = p.Fingerprint
	case Imported:
		for _, id := range p.HandoffIDs {
			h := f.about(id)
			h.Imported, h.Pruned, h.since = true, false, cmp.Or(h.since, e.micros())
		}
	case Repaired:
		for _, id := range p.Quarantined {
			f.about(id).Aside = true
		}
		for _, id := range p.Superseded {
			f.about(id).Superseded = true
		}
	}
}

var (
	idInEvent    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"handoff_id":"(sha256:[0-9a-f]{64})"`) })
	tokenInEvent = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"token":"([^"\\]+)"`) })
)

// CollectAll takes in what the events say, whether they follow each other or not. Of one that cannot
// be read it takes the handoffs and the token that it names: they were in the store.
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

// write takes in that a handoff was written or imported. Another event about the same one is a repeat,
// which is no fault by itself: the handoff may have been lost in between.
func (f *Facts) write(id string, event Handoff) {
	h := f.about(id)
	event.since = cmp.Or(h.since, event.since)
	switch {
	case h.Aside, h.Pruned: // written again after a repair, or restored: what was said of it before is over
		*h = event
	case h.IsWritten() && !h.Superseded:
		f.repeat(event.Line)
	default:
		event.ReadBy, event.Imported = h.ReadBy, h.Imported
		*h = event
	}
}

const maxRepeats = 4 << 10 // bytes of the marks of one handoff from which on repeats are not kept

// mark keeps the marks that a row can hold.
func (f *Facts) mark(m MarkedRead, line int) {
	if !form.IsSlug(m.OperatorID, document.MaxName) || !form.IsInstant(m.Time) {
		return
	}
	h, mark := f.about(m.HandoffID), index.Mark{Operator: m.OperatorID, Time: m.Time}
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

// repeat counts a repeat, and remembers where the first one stands.
func (f *Facts) repeat(line int) {
	if f.Repeats++; f.Repeats == 1 {
		f.Repeat = line
	}
}

// resume takes in that a token was consumed. The first event about it counts.
func (f *Facts) resume(r LoggedResume) {
	if _, known := f.Resumes[r.Token]; !known {
		f.Resumes[r.Token] = r
		f.Resumed = append(f.Resumed, r.Token)
	}
}

// MayLack reports whether a handoff and what became of it may have no events: if it was adopted, its
// write has none.
func (f *Facts) MayLack(id string) bool { return f.Adopted.Rows > 0 && f.Of(id).isUnknown() }

// isUnknown reports whether no event tells where a handoff came from.
func (h Handoff) isUnknown() bool { return !h.IsWritten() && !h.Imported }

// Says reports whether the write event says what a row and its document do.
func (h Handoff) Says(row index.Row, doc *document.Document) bool {
	return h.sum == writtenOf(row, doc).sum()
}

// writtenOf is what the write event of a row has to say, and of its document if that is not nil.
func writtenOf(row index.Row, doc *document.Document) Written {
	w := Written{From: row.From, To: row.To, Topic: row.Topic, Time: row.Time, FilePath: row.File}
	if doc != nil {
		w.SchemaVersion, w.ReferencesCount, w.Tags, w.BodyByteSize = doc.SchemaVersion, len(doc.References), doc.Tags, len(doc.Body)
	}
	return w
}

// seed is of this process alone: nobody can make events that differ and have the same sum.
var seed = sync.OnceValue(maphash.MakeSeed)

// inRow is how many of the fields that said returns a row has too.
const inRow = 5

// said returns what can be held against a row and its document, each with its name. No tag of a document
// has a line break, so that lists of as many tags which are the same in lines are the same.
func (w Written) said() [9][2]string {
	return [...][2]string{
		{"from", w.From}, {"to", w.To}, {"topic", w.Topic}, {"ts_utc", w.Time}, {"file", path.Base(w.FilePath)},
		{"schema_version", w.SchemaVersion}, {"references_count", strconv.Itoa(w.ReferencesCount)}, {"tags", strconv.Itoa(len(w.Tags)) + "\n" + strings.Join(w.Tags, "\n")},
		{"body_byte_size", strconv.Itoa(w.BodyByteSize)},
	}
}

// sum is of what DiffersFrom compares.
func (w Written) sum() uint64 { return maphash.Comparable(seed(), w.said()) }

// DiffersFrom returns the name of the first thing that the event says otherwise than the row, or than the
// document if there is one.
func (w Written) DiffersFrom(row index.Row, doc *document.Document) string {
	ours, theirs := w.said(), writtenOf(row, doc).said()
	for i, one := range theirs {
		if one != ours[i] && (i < inRow || doc != nil) {
			return one[0]
		}
	}
	return ""
}

// A LoggedResume is a consumed token as the audit log records it.
type LoggedResume struct {
	Consumption
	Line int
}
