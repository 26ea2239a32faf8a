package bundle

import (
	"unicode/utf8"

	"github.com/seed-78daf238/handoff/lib/exchange"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// rules check the order of the lines, and each line.
type rules struct {
	last place
	ids  map[string]bool // of the handoffs so far
}

// newRules returns the rules for the line after the header.
func newRules() rules { return rules{ids: make(map[string]bool)} }

// check returns why a line is not allowed here, "" if it is.
func (r *rules) check(l Line) (why string) {
	at := l.place()
	switch order := at.compare(r.last); {
	case order == 0:
		return "comes twice"
	case order < 0:
		return "does not come in its order"
	}
	r.last = at
	if why = l.check(at.of); why != "" {
		return why
	}
	if l.Handoff != nil {
		r.ids[at.of] = true
	} else if !r.ids[at.of] {
		return "is of a handoff that is not in the bundle"
	}
	return ""
}

// check returns what is wrong with a line by itself, "" if nothing is.
func (l Line) check(of string) string {
	switch {
	case !form.IsID(of):
		return "has no handoff_id as its id"
	case l.Handoff != nil:
		return l.Handoff.check()
	case l.Read != nil:
		return checkMark(l.Read.Operator, l.Read.Time)
	}
	c := *l.Consumed
	c.Reason = "" // only an import refuses one: a newer rule can find a credential in it
	if !exchange.IsLine(c) {
		return "has what no ledger has"
	}
	return ""
}

// check returns what is wrong with the line of a handoff, "" if nothing is. The store checks the document itself.
func (h Handoff) check() string {
	switch {
	case len(h.Signatures) > maxSigs:
		return "has too many signatures"
	case !utf8.ValidString(h.Text):
		return "has a text that is not UTF-8"
	}
	for _, s := range h.Signatures {
		if s == "" || len(s) > maxText {
			return "has an empty signature, or one that is too long"
		}
	}
	return ""
}

// checkMark returns what is wrong with an operator and a time, "" if nothing is.
func checkMark(operator, at string) string {
	switch {
	case !form.IsSlug(operator, document.MaxName):
		return "names no operator"
	case !form.IsInstant(at):
		return "has a ts_utc that is not a time"
	}
	return ""
}

// check returns what is wrong with the first line, "" if nothing is.
func (h Header) check() string {
	switch {
	case !form.IsInstant(h.Created):
		return "has a created_utc that is not a time"
	case h.Origin.Writer != "" && !form.IsWriter(h.Origin.Writer):
		return "has a writer that is not w- and 16 hexadecimal digits"
	}
	return ""
}
