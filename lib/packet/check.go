package packet

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/work"
)

// DefaultMaxAge is the default maximum age of a fresh packet.
const DefaultMaxAge = 48 * time.Hour

// An Input is one artifact to check: a packet as JSON, the facts of another kind, or the error from reading
// either.
type Input struct {
	Name  string // the name in the report, such as a file name or an id
	ID    string // of the stored handoff that carries it, or ""
	Data  []byte // a packet as JSON, if Facts is nil
	Facts *Facts
	Err   error // why the artifact is missing or cannot be read

	References []string // of the handoff that carries it
}

// CheckOptions are the options of Check. The zero value works.
type CheckOptions struct {
	Now        time.Time     // time.Now() if zero
	MaxAge     time.Duration // DefaultMaxAge if zero
	AllowEmpty []string      // packet fields that can be empty
	// Consumed asks the audit log for a token, or for "" and the id of a handoff; nil without a log.
	Consumed func(token, id string) (Use, error)
	Holders  func(token string) ([]string, error) // the stored packets with a token; nil without a store
	Answers  *Answers                             // as the resuming side understood the packet; nil if not asked

	Work func(references []string, f Facts) work.Verdict // compares with the work as it is now; nil compares nothing

	Standing func(id string) Relations // of a stored handoff; nil without a store

	ConfirmedBy string // who confirms answers in other words, or ""
}

// A Use is the consumption of a token, or of a handoff without one, in the audit log. The zero value means that it
// was never consumed.
type Use struct {
	Consumed  bool   `json:"-"`
	Operator  string `json:"operator"` // who consumed it; like Time and HandoffID "" if the log is damaged
	Time      string `json:"ts_utc"`
	HandoffID string `json:"handoff_id"`

	Gap   string    `json:"-"` // why the log may lack a consumption, or ""
	Since time.Time `json:"-"` // it may lack earlier ones; zero if it lacks none
}

// A Class is the verdict on resuming. A greater Class is worse.
type Class int

// The classes.
const (
	Clean       Class = iota // resuming is safe
	Operational              // fix or confirm the packet first
	Critical                 // there is nothing to resume from
)

// String returns CLEAN, OPERATIONAL or CRITICAL.
func (c Class) String() string { return [...]string{"CLEAN", "OPERATIONAL", "CRITICAL"}[c] }

// MarshalText returns the same text.
func (c Class) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// The names of the checks, in their order.
const (
	Schema        = "Schema"
	Freshness     = "Freshness"
	Token         = "Resume token"
	Replay        = "Replay test"
	WorkCheck     = "Work"         // only if the artifact describes its work
	StandingCheck = "Standing"     // only if it is superseded or has expired
	Instructions  = "Instructions" // only if a text gives dangerous ones
)

// A Result is the outcome of one check.
type Result struct {
	Check  string `json:"check"`
	Pass   bool   `json:"pass"`
	Reason string `json:"reason"`

	own string // the reason without quotations
}

// A Report is the result of Check. All its text is escaped and can be printed.
type Report struct {
	Name      string `json:"name"`
	HandoffID string `json:"handoff_id,omitempty"` // of a stored handoff
	Kind      string `json:"kind,omitempty"`
	Class     Class  `json:"classification"`
	// Schema, Freshness, Resume token and Replay test; then Standing, Work and Instructions, as they apply.
	Checks      []Result      `json:"checks"`
	Faults      []fault.Fault `json:"faults,omitempty"`
	Compared    []Comparison  `json:"compared,omitempty"`     // answers in other words than the packet's
	ConfirmedBy string        `json:"confirmed_by,omitempty"` // who confirmed them
	Notes       []string      `json:"notes,omitempty"`
	Consumed    *Use          `json:"consumed,omitempty"`    // nil if it was not consumed, or the log was not asked
	AgeSeconds  *int64        `json:"age_seconds,omitempty"` // nil if the time of the last update is unknown
	Recovery    []string      `json:"recovery_steps"`
	Escalation  string        `json:"escalation"`
}

// Check runs the four checks and classifies the artifact. It never fails: an unreadable artifact is Critical, and
// an uncertain one at least Operational. The verdict depends on the facts only. No wording of a packet can
// improve it.
func Check(in Input, o CheckOptions) Report {
	c := &checking{Input: in, o: o,
		report: Report{Name: show(in.Name), HandoffID: in.ID, Recovery: []string{}}}
	if c.o.Now.IsZero() {
		c.o.Now = time.Now()
	}
	if c.o.MaxAge == 0 {
		c.o.MaxAge = DefaultMaxAge
	}
	switch {
	case in.Err != nil:
		c.unreadable("the artifact is missing or cannot be read", in.Err)
	case in.Facts != nil:
		c.run(*in.Facts)
	default:
		c.packet(in.Data)
	}
	c.advise()
	return c.report
}

// Worst returns the worst class of the reports, or Clean if there are none.
func Worst(reports []Report) Class {
	worst := Clean
	for _, r := range reports {
		worst = max(worst, r.Class)
	}
	return worst
}

// checking is the state of a check.
type checking struct {
	Input
	o      CheckOptions
	gap    bool // the log can lack the token
	report Report
}

// packet checks a packet as JSON. Which fields can be empty is an option of the check, not a property of the
// packet.
func (c *checking) packet(data []byte) {
	v, err := read(data)
	if err != nil {
		c.unreadable("the artifact cannot be read as a packet", err)
		return
	}
	reading := Table().Read(v, nil)
	f := Table().Facts(label, reading.Record, Required())
	f.Faults, f.Texts = reading.Faults(c.o.AllowEmpty...), texts(v)
	c.run(f)
}

const notChecked = "not checked, there is no packet"

// unreadable reports an artifact that cannot be read.
func (c *checking) unreadable(reason string, err error) {
	c.report.Class = Critical
	c.add(Schema, false, reason+": "+causeOf(err))
	for _, name := range []string{Freshness, Token, Replay} {
		c.add(name, false, notChecked)
	}
	c.step("Ask the sender for the artifact, or write a new one from the state of the work.")
}

// run runs all checks, in the order of the report. It continues after a failure, so that a user can fix
// everything at once.
func (c *checking) run(f Facts) {
	c.report.Kind = show(f.Kind)
	f.Faults = slices.Concat(f.Faults, credentials(f.Texts))
	c.schema(f)
	c.freshness(f)
	c.token(f)
	c.replay(f)
	c.relations()
	c.work(f)
	c.instructions(f.Texts)
	for _, r := range c.report.Checks {
		if !r.Pass {
			c.atLeast(Operational)
		}
	}
}

// add adds the result of a check. The reason can contain text marked by aside.
func (c *checking) add(check string, pass bool, reason string) {
	c.report.Checks = append(c.report.Checks, Result{check, pass,
		asides().ReplaceAllString(reason, "$1"), asides().ReplaceAllString(reason, "$2")})
}

// aside marks a part of a reason that comes from others. own replaces it in text without quotations.
func aside(full, own string) string { return "\x00" + full + "\x01" + own + "\x00" }

var asides = form.Pattern("\x00([^\x01]*)\x01([^\x00]*)\x00")

// quoted returns text of the artifact for a reason.
func quoted(text string) string { return aside(quote(text), "…") }

// causeOf returns an error for a reason.
func causeOf(err error) string { return aside(show(err.Error()), fault.Plain(err)) }

const maxListed = 20 // entries of one kind in a report

// sayAll joins reasons up to the limit of a report. Without quotations, equal reasons appear once.
func sayAll(all []string) string {
	var full, own []string
	for _, reason := range all[:min(len(all), maxListed)] {
		full = append(full, asides().ReplaceAllString(reason, "$1"))
		if ours := asides().ReplaceAllString(reason, "$2"); !slices.Contains(own, ours) {
			own = append(own, ours)
		}
	}
	if more := len(all) - len(full); more > 0 {
		full = append(full, fmt.Sprintf("and %d more", more))
	}
	return aside(strings.Join(full, "; "), strings.Join(own, "; "))
}

// note adds a remark that does not change the verdict.
func (c *checking) note(format string, args ...any) {
	c.report.Notes = append(c.report.Notes, fmt.Sprintf(format, args...))
}

// step adds a recovery step, if it is not there yet.
func (c *checking) step(text string) {
	if !slices.Contains(c.report.Recovery, text) {
		c.report.Recovery = append(c.report.Recovery, text)
	}
}

// atLeast makes the verdict worse, never better.
func (c *checking) atLeast(class Class) { c.report.Class = max(c.report.Class, class) }
