package bundle

import (
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// rules are what each line has to obey, and all of them together.
type rules struct {
	kind int
	key  string
	ids  map[string]bool // of the handoffs
}

// newRules begins with the line after the header.
func newRules() rules { return rules{ids: make(map[string]bool)} }

// check says why a line cannot stand here, "" if it can.
func (r *rules) check(l Line) (why string) {
	kind, key := l.place()
	switch {
	case kind == r.kind && key == r.key:
		return "comes twice"
	case kind < r.kind || kind == r.kind && key < r.key:
		return "does not come in its order"
	}
	r.kind, r.key = kind, key
	if why = l.check(); why != "" {
		return why
	}
	if l.Handoff != nil {
		r.ids[key] = true
	} else if !r.ids[l.about()] {
		return "is of a handoff that is not in the bundle"
	}
	return ""
}

// check says what is wrong with a line by itself.
func (l Line) check() string {
	if !form.IsID(l.about()) {
		return "has no handoff_id as its id"
	}
	switch {
	case l.Handoff != nil:
		return l.Handoff.check()
	case l.Read != nil:
		return whoAndWhen(l.Read.Operator, l.Read.Time)
	}
	return l.Consumed.check()
}

// check says what is wrong with the line of a handoff, "" if nothing is. The document itself goes through
// all that a written one does.
func (h Handoff) check() string {
	switch {
	case h.FirstSeen != "" && !form.IsInstant(h.FirstSeen):
		return "has a first_seen that is not a time"
	case len(h.Signatures) > maxSigs:
		return "has too many signatures"
	}
	for _, s := range h.Signatures {
		if s == "" || len(s) > maxText {
			return "has an empty signature, or one that is too long"
		}
	}
	return ""
}

// check says what is wrong with the line of a consumed token, "" if nothing is. A ledger is append-only:
// what no command would have written never gets into one.
func (c Consumed) check() string {
	of, _, _, isAct := eventlog.ParseKey(c.Token)
	isToken := len(c.Token) >= 8 && form.IsSlug(c.Token, 128) || form.IsID(c.Token) || isAct && of == c.ID
	switch {
	case !isToken:
		return "has a token that no ledger has"
	case c.Session != "" && !form.IsSlug(c.Session, 128):
		return "has a session that no ledger has"
	case len(c.Reason) > maxText, len(c.Accepted) > 0 && strings.Trim(c.Accepted, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "":
		return "has an accepted or reason that no ledger has"
	}
	return whoAndWhen(c.Operator, c.Time)
}

// whoAndWhen says what is wrong with an operator and an instant, "" if nothing is.
func whoAndWhen(operator, at string) string {
	switch {
	case !form.IsSlug(operator, document.MaxName):
		return "names no operator"
	case !form.IsInstant(at):
		return "has a ts_utc that is not a time"
	}
	return ""
}

// check says what is wrong with the first line, "" if nothing is.
func (h Header) check() string {
	writer, isWriter := strings.CutPrefix(h.Writer, "w-")
	switch {
	case !form.IsInstant(h.Created):
		return "has a created_utc that is not a time"
	case h.Writer != "" && !(isWriter && len(writer) == 16 && form.IsHex(writer)):
		return "has a writer that is not w- and 16 hexadecimal digits"
	}
	return ""
}
