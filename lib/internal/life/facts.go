package life

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/relation"
)

// Facts are what documents and events say of handoffs. Of most there is nothing to be said: their
// documents have no reference that changes a state, and nobody did more than read them.
//
// They are lines of text, so that they can be kept as they are, and what is asked for is parsed again:
//
//	document ID FROM TO FORM…      those of its references that change a state
//	event ID TYPE KEY OPERATOR SESSION TIME    of the audit log; . is what it does not say
//	gone ID                        the document is not here any more
//	row ID                         of a row that was looked at; only where rows come without events
//	unread ID FILE                 the document could not be read, and has to be
//	adopted                        the store has rows without events
type Facts struct {
	lines []byte
	of    map[form.Key]about
	names []naming
	acts  []happening

	rows    map[form.Key]bool   // that were looked at
	unread  map[form.Key]string // files
	adopted bool

	lacksLog bool // there is no event

	covered

	// Asks says whether the operators file wants an approval of what one operator hands to another;
	// nil asks for none.
	Asks func(from, to string) bool

	// Decided says who has approved and who has rejected the handoff of an id; nil knows of nobody.
	Decided func(id string) eventlog.Decision

	// Trusts says whether a handoff of that sender has the signature that is asked for, if any is; nil
	// asks for none.
	Trusts func(id, from string) bool
}

// about says where the lines about a handoff are: the offset of its document, and the last of names
// and acts. All are counted from 1.
type about struct{ document, names, acts int32 }

// A naming is a form of the document at by that names a handoff; next is the one before.
type naming struct {
	by, next   int32
	supersedes bool
}

// A happening is an event of a handoff in a list of its events that is linked by number.
type happening struct{ at, next int32 }

// NewFacts returns facts about nothing.
func NewFacts() *Facts {
	return &Facts{covered: covered{hash: eventlog.Genesis}, of: make(map[form.Key]about), rows: make(map[form.Key]bool), unread: make(map[form.Key]string)}
}

// Of returns what is known of the handoff of an id, zero if nothing is.
func (f *Facts) Of(id string) (h Handoff) {
	if len(f.of) == 0 {
		return h
	}
	k, _ := form.KeyOf(id)
	a, known := f.of[k]
	if !known {
		return h
	}
	if a.document > 0 {
		fields := f.fields(a.document)
		h.From, h.To, h.Set = fields[2], fields[3], relation.Of(fields[4:])
	}
	for at := a.names; at > 0; at = f.names[at-1].next {
		n := f.names[at-1]
		by := f.fields(n.by)[1]
		if k, _ := form.KeyOf(by); f.of[k].document != n.by {
			continue // it is gone
		}
		if n.supersedes {
			h.Superseders = append(h.Superseders, by)
		} else {
			h.Replies = append(h.Replies, by)
		}
	}
	slices.Reverse(h.Superseders)
	slices.Reverse(h.Replies)
	f.happened(&h, a.acts)
	return h
}

// Knows reports whether anything is known of the handoff of an id.
func (f *Facts) Knows(id string) bool {
	k, ok := form.KeyOf(id)
	_, known := f.of[k]
	return ok && known
}

// happened takes in the events, the last of which is at.
func (f *Facts) happened(h *Handoff, at int32) {
	var events []Event
	for ; at > 0; at = f.acts[at-1].next {
		fields := f.fields(f.acts[at-1].at)
		for i, word := range fields {
			if word == none {
				fields[i] = ""
			}
		}
		events = append(events, Event{fields[2], fields[1], fields[3], eventlog.Deed{Operator: fields[4], Session: fields[5], Time: fields[6]}})
	}
	for _, e := range slices.Backward(events) {
		changes[e.Type](h, e)
	}
}

// fields returns the words of the line at an offset, which add has found to be good.
func (f *Facts) fields(at int32) []string {
	line, _, _ := bytes.Cut(f.lines[at-1:], []byte("\n"))
	return strings.Split(string(line), " ")
}

// AddDocument takes in what the references of a document say. Adding it again changes nothing.
func (f *Facts) AddDocument(id, from, to string, references []string) {
	words := []string{"document", id, from, to}
	for _, reference := range references {
		switch r, err := relation.Parse(reference); {
		case err != nil:
		case r.Kind == relation.Re, r.Kind == relation.Supersedes, r.Kind == relation.Expires, r.Kind == relation.Approve:
			words = append(words, reference)
		}
	}
	if len(words) > 4 {
		f.add(strings.Join(words, " "))
	}
}

// none stands for a word that is not there. No name is written so.
const none = "."

// AddEvent takes in an event. Events come in the order of the log.
func (f *Facts) AddEvent(e Event) {
	if changes[e.Type] == nil {
		return
	}
	if _, _, _, ok := eventlog.ParseKey(e.Key); !ok {
		e.Key = "" // a token, of which no more is asked
	}
	f.add(strings.Join([]string{"event", e.ID, e.Type, cmp.Or(e.Key, none), cmp.Or(e.Operator, none), cmp.Or(e.Session, none), cmp.Or(e.Time, none)}, " "))
}

// add takes in a line, and reports whether it is one.
func (f *Facts) add(line string) bool {
	kind, rest, _ := strings.Cut(line, " ")
	id, rest, _ := strings.Cut(rest, " ")
	k, ok := form.KeyOf(id)
	at := int32(len(f.lines)) + 1
	switch {
	case line == "adopted":
		f.adopted = true
	case !ok || strings.ContainsAny(line, "\n\r"):
		return false
	case kind == "document":
		if again, good := f.addDocument(k, at, rest); again || !good {
			return good
		}
	case kind == "event" && strings.Count(rest, " ") == 4:
		if name, _, _ := strings.Cut(rest, " "); changes[name] == nil {
			return false
		}
		a := f.of[k]
		f.acts = append(f.acts, happening{at, a.acts})
		a.acts = int32(len(f.acts))
		f.of[k] = a
	case kind == "gone":
		if a, known := f.of[k]; known {
			a.document = 0
			f.of[k] = a
		}
		delete(f.rows, k)
		delete(f.unread, k)
	case kind == "row":
		f.rows[k] = true
	case kind == "unread" && index.IsFile(rest):
		f.unread[k] = rest
	default:
		return false
	}
	f.lines = append(append(f.lines, line...), '\n')
	return true
}

// addDocument notes that the line of a document is at an offset, unless it is known.
func (f *Facts) addDocument(k form.Key, at int32, rest string) (again, good bool) {
	words := strings.Split(rest, " ")
	if len(words) < 3 {
		return false, false
	}
	if len(f.unread) > 0 {
		delete(f.unread, k)
	}
	a := f.of[k]
	if again = a.document > 0; again {
		return true, true
	}
	a.document = at
	f.of[k] = a
	for i, word := range words[2:] {
		kind, named, _ := strings.Cut(word, ":")
		other, ok := form.KeyOf(named)
		if isID := kind == string(relation.Re) || kind == string(relation.Supersedes); !isID {
			if r, err := relation.Parse(word); err != nil || r.Kind == "" {
				return false, false
			}
			continue
		}
		if !ok {
			return false, false
		}
		if slices.Contains(words[2:2+i], word) {
			continue
		}
		o := f.of[other]
		f.names = append(f.names, naming{at, o.names, kind == string(relation.Supersedes)})
		o.names = int32(len(f.names))
		f.of[other] = o
	}
	return false, true
}
