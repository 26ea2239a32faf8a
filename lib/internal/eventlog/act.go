package eventlog

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// An Act is a kind of action on a handoff, such as take. Each action is a line of the ledger, and an event of
// type handoff. plus its name.
type Act string

// The acts. Take and release, done and reopen, archive and unarchive alternate as often as people like.
const (
	ActTake      Act = "take"
	ActRenew     Act = "renew" // extends the lease of a take
	ActRelease   Act = "release"
	ActRevoke    Act = "revoke" // ends the take of another operator or session
	ActDone      Act = "done"
	ActReopen    Act = "reopen" // by the operator who finished the handoff
	ActResend    Act = "resend" // by its sender
	ActArchive   Act = "archive"
	ActUnarchive Act = "unarchive"

	// No command performs the next three. They record who won a contest between two clones, which the git
	// remote knows: who holds a take, who finished it, and who released it.
	ActYield  Act = "yield"
	ActSettle Act = "settle"
	ActFree   Act = "free"

	// ActResume takes a handoff and uses up a resume token, which is then the key of its line.
	ActResume Act = ""
)

var acts = []Act{ActTake, ActRenew, ActRelease, ActRevoke, ActDone, ActReopen, ActResend, ActArchive, ActUnarchive,
	ActYield, ActSettle, ActFree}

// Type returns the type of the event of an act.
func (a Act) Type() string { return "handoff." + string(a) }

// Marks reports whether the act also marks the handoff as read.
func (a Act) Marks() bool { return a == ActTake || a == ActDone }

// Participle returns the state that an act leads to: taken, released, done.
func (a Act) Participle() string {
	switch a {
	case ActTake, ActYield:
		return "taken"
	case ActDone, ActSettle:
		return "done"
	case ActRevoke, ActFree:
		return "released"
	case ActReopen, ActResend:
		return "reopened"
	case ActRenew:
		return "renewed"
	}
	return string(a) + "d"
}

// IsNote reports whether the act records who won a contest between two clones.
func (a Act) IsNote() bool { return a == ActYield || a == ActSettle || a == ActFree }

// Waits reports whether a handoff waits for its recipients again after the act.
func (a Act) Waits() bool { return a == ActRelease || a == ActRevoke || a.Reopens() }

// Reopens reports whether the act undoes a done.
func (a Act) Reopens() bool { return a == ActReopen || a == ActResend }

// Key returns the token that the n-th action of its kind consumes, counted from 0: sha256:…#take.0. So
// exactly one of several operators who take at the same time succeeds, and each release permits one more
// take. A release, a revoke and a done have the number of the take that they end. A reopen has the number of the
// done that it undoes. Renewals are counted over all takes.
func (a Act) Key(id string, n int) string { return id + "#" + string(a) + "." + strconv.Itoa(n) }

// ParseKey is the inverse of Key. ok is false for a resume token.
func ParseKey(key string) (id string, act Act, n int, ok bool) {
	id, rest, isAct := strings.Cut(key, "#")
	name, digits, _ := strings.Cut(rest, ".")
	act = Act(name)
	if !isAct || !form.IsID(id) || len(digits) > 6 || !form.IsDigits(digits) || !slices.Contains(acts, act) {
		return "", "", 0, false
	}
	n, err := strconv.Atoi(digits)
	return id, act, n, err == nil && act.Key(id, n) == key
}

// Act returns the act of a line of the ledger, or "" for a resume.
func (c Consumption) Act() Act {
	_, act, _, _ := ParseKey(c.Token)
	return act
}

// Action returns who consumed the token, and when.
func (c Consumption) Action() Action { return Action{c.Operator, c.Session, c.Time, c.Until} }

// Event returns the event of a consumption: that of its act, or of a resume.
func (c Consumption) Event(marked bool, how How) Pending {
	kind := TypeResume
	if _, act, _, ok := ParseKey(c.Token); ok {
		kind = act.Type()
	}
	return Pending{Type: kind, Payload: Resumed{Consumption: c, Marked: marked, How: how}}
}

// An Action is who performed an act, and when. The zero Action means that no one did. Until is the end of the lease
// of a take, "" if it has none.
type Action struct{ Operator, Session, Time, Until string }

// IsDone reports whether the action was performed.
func (d Action) IsDone() bool { return d.Time != "" }

// IsBy reports whether an operator performed the action in a session.
func (d Action) IsBy(operator, session string) bool {
	return d.Operator == operator && d.Session == session
}

// IsOver reports whether the lease of a take was over at a time, at least for the time grace. Times have the form of
// RFC 3339.
func (d Action) IsOver(now string, grace time.Duration) bool {
	end, ok := form.Instant(d.Until)
	at, isTime := form.Instant(now)
	return ok && isTime && !at.Before(end.Add(grace))
}

// Informs reports whether a line, with its newline, is an informing event that follows the hash prev. Such an
// event records that handoffs were shown or something was checked, and belongs to no change. hash is the hash
// of the event.
func Informs(line []byte, prev string) (hash string, ok bool) {
	switch e := ParseEvent(Line{Text: bytes.TrimSuffix(line, []byte("\n"))}); e.Type {
	case TypeSurface, TypeValidate:
		return e.Hash, e.Err == nil && e.Prev == prev
	}
	return "", false
}

// IsConsumption reports whether an event of the type is also a line of the ledger.
func IsConsumption(eventType string) bool {
	name, ours := strings.CutPrefix(eventType, "handoff.")
	return ours && (eventType == TypeResume || slices.Contains(acts, Act(name)))
}
