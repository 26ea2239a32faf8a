package eventlog

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// An Act is something that was done with a handoff besides reading it: a line of the ledger, and an
// event whose type is handoff. and its name.
type Act string

// The acts. Take and release, done and reopen, archive and unarchive take turns, as often as people like; a
// rejection is for good, an approval until that.
const (
	ActTake      Act = "take"
	ActRelease   Act = "release"
	ActDone      Act = "done"
	ActReopen    Act = "reopen" // by who has ended it
	ActResend    Act = "resend" // by its sender
	ActArchive   Act = "archive"
	ActUnarchive Act = "unarchive"

	// Nobody does these by a command. They say how a contest between two clones ended, which the git remote
	// knows: whose a take is, by whom a turn was ended that others have ended too, and by whom it was given back.
	ActYield  Act = "yield"
	ActSettle Act = "settle"
	ActFree   Act = "free"

	ActApprove Act = "approve"
	ActReject  Act = "reject"
)

var acts = []Act{ActTake, ActRelease, ActDone, ActReopen, ActResend, ActArchive, ActUnarchive, ActYield, ActSettle, ActFree, ActApprove, ActReject}

// Type returns the type of the event of an act.
func (a Act) Type() string { return "handoff." + string(a) }

// Marks reports whether who does it has read the handoff.
func (a Act) Marks() bool { return a == ActTake || a == ActDone }

// Participle is what an act has made of a handoff: taken, released, done.
func (a Act) Participle() string {
	switch s := string(a); {
	case a == ActDone:
		return s
	case a == ActTake:
		return "taken"
	case a == ActResend:
		return ActReopen.Participle()
	case a == ActReject, a == ActReopen:
		return s + "ed"
	default:
		return s + "d"
	}
}

// IsNote reports whether it records how a contest between two clones ended.
func (a Act) IsNote() bool { return a == ActYield || a == ActSettle || a == ActFree }

// Reopens reports whether it takes back a done.
func (a Act) Reopens() bool { return a == ActReopen || a == ActResend }

// IsEnd reports whether it ends a turn.
func (a Act) IsEnd() bool { return a == ActRelease || a == ActDone }

// IsVerdict reports whether it says if others may take the handoff.
func (a Act) IsVerdict() bool { return a == ActApprove || a == ActReject }

// Key returns the token that the n-th act of its kind consumes, counted from 0: sha256:…#take.0. So
// exactly one of any number of those who take at once gets it, and after a release there is one more
// to be had. A release and a done have the number of the take that they end, a reopen that of the done that it takes back.
func (a Act) Key(id string, n int) string { return id + "#" + string(a) + "." + strconv.Itoa(n) }

// ParseKey is the inverse of Key. Resume tokens have another form.
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

// Act returns the act that a line of the ledger is about, "" for a resume.
func (c Consumption) Act() Act {
	_, act, _, _ := ParseKey(c.Token)
	return act
}

// Statement returns the text that is signed for an approval or a rejection: what is decided of which
// handoff, by whom, when and why, as RFC 8785 JSON.
func (c Consumption) Statement() ([]byte, error) {
	_, act, _, _ := ParseKey(c.Token)
	text, err := json.Marshal(struct { // in the order of the canonical form
		Act      Act    `json:"act"`
		ID       string `json:"handoff_id"`
		Operator string `json:"operator_id"`
		Reason   string `json:"reason"`
		Time     string `json:"ts_utc"`
	}{act, c.HandoffID, c.Operator, c.Reason, c.Time})
	if err != nil {
		return nil, err
	}
	return jsontree.Canonicalize(text)
}

// Deed returns who has consumed it, and when.
func (c Consumption) Deed() Deed { return Deed{c.Operator, c.Session, c.Time} }

// Event returns the event of a consumption: that of an act, else of a resume.
func (c Consumption) Event(marked bool, how How) Pending {
	kind := TypeResume
	if _, act, _, ok := ParseKey(c.Token); ok {
		kind = act.Type()
	}
	return Pending{Type: kind, Payload: Resumed{Consumption: c, Marked: marked, How: how}}
}

// A Decision says who has approved a handoff and who has rejected it, zero if nobody has. A line alone says
// neither: package approval judges which lines count.
type Decision struct{ Approved, Rejected Deed }

// A Deed is who did something, and when; the zero Deed is nobody's.
type Deed struct{ Operator, Session, Time string }

// IsDone reports whether somebody did it.
func (d Deed) IsDone() bool { return d.Time != "" }

// Informs reports whether a line with its end is an event that follows the hash prev and only informs: that
// somebody was shown something, or that something was checked. Such events belong to no change. It returns
// the hash of the event.
func Informs(line []byte, prev string) (hash string, ok bool) {
	switch e := ParseEvent(Line{Text: bytes.TrimSuffix(line, []byte("\n"))}); e.Type {
	case TypeSurface, TypeValidate, TypeProbe:
		return e.Hash, e.Err == nil && e.Prev == prev
	}
	return "", false
}

// IsConsumption reports whether an event of the type is also a line of the ledger.
func IsConsumption(eventType string) bool {
	name, ours := strings.CutPrefix(eventType, "handoff.")
	return ours && (eventType == TypeResume || slices.Contains(acts, Act(name)))
}
