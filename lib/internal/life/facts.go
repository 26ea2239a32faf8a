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

// Facts holds what documents and events say about handoffs. Most handoffs have none: their documents have no
// reference that changes a state, and they were only read.
//
// Facts are lines of text, so that they can be stored as they are, and a line is parsed when it is needed:
//
//	document ID FROM TO FORM…      those of its references that change a state
//	event ID KEY OPERATOR SESSION TIME UNTIL    of the audit log; . is an empty field
//	gone ID                        the document is no longer here
//	row ID                         a row that was read; only if rows come without events
//	unread ID FILE                 the document was unreadable, and must be read again
//	adopted                        the store has rows without events
type Facts struct {
	lines []byte
	of    map[form.Key]entry
	names []mention
	acts  []eventRef

	rows    map[form.Key]bool   // the rows that were read
	unread  map[form.Key]string // files
	adopted bool

	lacksLog bool // there are no events

	covered

	// Trusts is optional. It reports whether a handoff has the signature that its sender requires.
	Trusts func(id, from string) bool
}

// An entry holds the positions of the lines about a handoff: the offset of its document, and the last of its
// mentions and events. All are counted from 1.
type entry struct{ document, names, acts int32 }

// A mention is a reference to a handoff in the document at by. next is the mention before it.
type mention struct {
	by, next   int32
	supersedes bool
}

// An eventRef is an element of the linked list of events of a handoff.
type eventRef struct{ at, next int32 }

// NewFacts returns empty facts.
func NewFacts() *Facts {
	return &Facts{covered: covered{hash: eventlog.Genesis}, of: make(map[form.Key]entry),
		rows: make(map[form.Key]bool), unread: make(map[form.Key]string)}
}

// Of returns what is known about the handoff id, or the zero Handoff.
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
	f.addEvents(&h, a.acts)
	return h
}

// Knows reports whether there are facts about the handoff id.
func (f *Facts) Knows(id string) bool {
	k, ok := form.KeyOf(id)
	_, known := f.of[k]
	return ok && known
}

// addEvents applies the events of a handoff to h. at is the last one.
func (f *Facts) addEvents(h *Handoff, at int32) {
	var lines [][]string
	for ; at > 0; at = f.acts[at-1].next {
		lines = append(lines, f.fields(f.acts[at-1].at))
	}
	for _, words := range slices.Backward(lines) {
		for i, word := range words {
			if word == none {
				words[i] = ""
			}
		}
		h.Life.Add(words[2], eventlog.Action{Operator: words[3], Session: words[4], Time: words[5], Until: words[6]})
	}
}

// fields returns the words of the line at an offset, which add has checked.
func (f *Facts) fields(at int32) []string {
	line, _, _ := bytes.Cut(f.lines[at-1:], []byte("\n"))
	return strings.Split(string(line), " ")
}

// AddDocument adds the references of a document. To add it again changes nothing.
func (f *Facts) AddDocument(id, from, to string, references []string) {
	words := []string{"document", id, from, to}
	for _, reference := range references {
		switch r, err := relation.Parse(reference); {
		case err != nil:
		case r.Kind == relation.Re, r.Kind == relation.Supersedes, r.Kind == relation.Expires:
			words = append(words, reference)
		}
	}
	if len(words) > 4 {
		f.add(strings.Join(words, " "))
	}
}

// none is an empty field. It is not a valid name.
const none = "."

// AddEvent adds an action or a resume that the audit log records. They must come in the order of the log.
func (f *Facts) AddEvent(c eventlog.Consumption) {
	_, _, _, isAct := eventlog.ParseKey(c.Token)
	if !isAct && strings.Contains(c.Token, "#") { // an action of another kind
		return
	}
	if !isAct {
		c.Token = "" // a resume token, which does not matter
	}
	f.add(strings.Join([]string{"event", c.HandoffID, cmp.Or(c.Token, none), cmp.Or(c.Operator, none),
		cmp.Or(c.Session, none), cmp.Or(c.Time, none), cmp.Or(c.Until, none)}, " "))
}

// add adds a line. It reports whether the line is well-formed.
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
		a := f.of[k]
		f.acts = append(f.acts, eventRef{at, a.acts})
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

// addDocument records the offset of the line of a document, unless the document is known.
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
		f.names = append(f.names, mention{at, o.names, kind == string(relation.Supersedes)})
		o.names = int32(len(f.names))
		f.of[other] = o
	}
	return false, true
}
