package packet

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
)

// DefaultMaxAge is the age up to which a packet is fresh.
const DefaultMaxAge = 48 * time.Hour

// An Input is one artifact to check: a packet as JSON, the facts of another kind, or the error that
// came instead of either.
type Input struct {
	Name  string // what the report calls it, such as a file name or an id
	ID    string // of the stored handoff that carries it, "" for none
	Data  []byte // a packet as JSON, when Facts is nil
	Facts *Facts
	Err   error // the artifact is missing or cannot be read

	Faults []fault.Fault // of what stands around the record, such as a view that shows something else

	References []string // of the handoff that carries it
}

// CheckOptions say what the checks measure against. The zero value is the real world.
type CheckOptions struct {
	Now        time.Time                            // time.Now() when zero
	MaxAge     time.Duration                        // DefaultMaxAge when zero
	AllowEmpty []string                             // packet fields that may be empty
	Consumed   func(token, id string) (Use, error)  // asks the ledger for a token, or "" and the id of a handoff; nil when there is none
	Holders    func(token string) ([]string, error) // names the stored handoffs whose packets have a token; nil when there is no store
	Answers    *Answers                             // what the resuming side understood; nil when it was not asked

	Work func(references []string, f Facts) Work // compares with the work as it is now; nil when nobody looks

	// Probe confirms the claims of the artifact of an id, "" for one that is not stored; nil runs nothing.
	Probe func(id string, references []string) []Probed

	Standing func(id string) Standing // of a stored handoff; nil when there is no store

	ConfirmedBy string // who says that answers in other words mean the same, "" for nobody
}

// Work is what became of the work since the artifact was written. Its zero value is for one that says
// nothing of that.
type Work struct {
	Pass   bool
	Reason string   // in our own words
	Files  []string // that are no longer as they were
	Advice string
}

// A Use is what a ledger says of a token, or of a handoff without one. Its zero value says that it was
// never consumed.
type Use struct {
	Consumed  bool   `json:"-"`
	Operator  string `json:"operator"` // who consumed it, when, and from which handoff, as far as the ledger is legible
	Time      string `json:"ts_utc"`
	HandoffID string `json:"handoff_id"`

	Gap   string    `json:"-"` // why it may have been consumed without the ledger's knowledge, "" if it cannot
	Since time.Time `json:"-"` // what was consumed before, the ledger may not know; zero if it knows all
}

// A Class says whether to resume. A greater Class is worse.
type Class int

// The classes.
const (
	Clean       Class = iota // resuming is safe
	Operational              // the packet must be mended or confirmed first
	Critical                 // there is nothing to resume from
)

// String returns CLEAN, OPERATIONAL or CRITICAL.
func (c Class) String() string { return [...]string{"CLEAN", "OPERATIONAL", "CRITICAL"}[c] }

// MarshalText returns the same as String.
func (c Class) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// The names of the checks, in their order.
const (
	Schema        = "Schema"
	Freshness     = "Freshness"
	Token         = "Resume token"
	Replay        = "Replay test"
	WorkCheck     = "Work"     // only of what says something about the work
	StandingCheck = "Standing" // only of what is superseded or has expired
	Probes        = "Probes"   // only where the claims of the artifact are put to the test
)

// A Result is the outcome of one check.
type Result struct {
	Check  string `json:"check"`
	Pass   bool   `json:"pass"`
	Reason string `json:"reason"`

	own string // the reason without what it quotes
}

// A Report is what Check found. All its text is escaped: it can be shown as it is.
type Report struct {
	Name        string        `json:"name"`
	HandoffID   string        `json:"handoff_id,omitempty"` // of what is stored
	Kind        string        `json:"kind,omitempty"`
	Class       Class         `json:"classification"`
	Checks      []Result      `json:"checks"` // always Schema, Freshness, Resume token, Replay test; then Standing, Work and Probes, if there are any
	Faults      []fault.Fault `json:"faults,omitempty"`
	Claims      []Claim       `json:"claims,omitempty"`       // text that claims authority over the verdict
	Compared    []Comparison  `json:"compared,omitempty"`     // answers in other words than those of the packet
	ConfirmedBy string        `json:"confirmed_by,omitempty"` // who said that they mean the same
	Probed      []Probed      `json:"probes,omitempty"`
	Notes       []string      `json:"notes,omitempty"`
	Consumed    *Use          `json:"consumed,omitempty"`    // by whom, nil if the ledger says that nobody did or was not asked
	AgeSeconds  *int64        `json:"age_seconds,omitempty"` // nil when the time of the last update is unknown
	Recovery    []string      `json:"recovery_steps"`
	Escalation  string        `json:"escalation"`
}

// Check runs the four checks and classifies the artifact. It never fails: what cannot be read is
// Critical, what is uncertain at least Operational. The verdict depends on the facts alone, and no
// wording of a packet can improve it.
func Check(in Input, o CheckOptions) Report {
	c := &checking{o: o, id: in.ID, around: in.Faults, references: in.References, report: Report{Name: show(in.Name), HandoffID: in.ID, Recovery: []string{}}}
	if c.o.Now.IsZero() {
		c.o.Now = time.Now()
	}
	if c.o.MaxAge == 0 {
		c.o.MaxAge = DefaultMaxAge
	}
	switch {
	case in.Err != nil:
		c.gone("the artifact is missing or cannot be read", in.Err)
	case in.Facts != nil:
		c.run(*in.Facts)
	default:
		c.packet(in.Data)
	}
	c.advise()
	return c.report
}

// Worst returns the worst class of the reports, Clean for none.
func Worst(reports []Report) Class {
	worst := Clean
	for _, r := range reports {
		worst = max(worst, r.Class)
	}
	return worst
}

// checking is one artifact on its way through the checks.
type checking struct {
	o      CheckOptions
	id     string
	around []fault.Fault

	references []string

	gap    bool // the ledger may lack the token
	report Report
}

// packet checks a packet as JSON. What may be empty is decided here and not when it is read: it is the
// wish of who checks, and no property of the packet.
func (c *checking) packet(data []byte) {
	v, err := read(data)
	if err != nil {
		c.gone("the artifact cannot be read as a packet", err)
		return
	}
	reading := Table().Read(v, nil)
	f := factsOf(reading.Record)
	f.Faults, f.Texts = reading.Faults(c.o.AllowEmpty...), texts(v)
	c.run(f)
	c.claimedFields(v)
}

const notChecked = "not checked, there is no packet"

// gone reports an artifact that there is nothing to check of.
func (c *checking) gone(reason string, err error) {
	c.report.Class = Critical
	c.add(Schema, false, reason+": "+because(err))
	for _, name := range []string{Freshness, Token, Replay} {
		c.add(name, false, notChecked)
	}
	c.step("Ask the sender for the artifact, or write a new one from the state of the work.")
}

// run goes through the checks, in the order of the report. All run, also after one that fails: who
// mends a packet wants to know everything at once.
func (c *checking) run(f Facts) {
	c.report.Kind = show(f.Kind)
	f.Faults = slices.Concat(f.Faults, c.around, credentials(f.Texts))
	c.schema(f)
	c.freshness(f)
	c.token(f)
	c.replay(f)
	c.standing()
	c.work(f)
	c.probes()
	c.claims(f.Texts)
	for _, r := range c.report.Checks {
		if !r.Pass {
			c.atLeast(Operational)
		}
	}
}

// add notes the result of a check. In the reason, what is quoted is marked as aside does.
func (c *checking) add(check string, pass bool, reason string) {
	c.report.Checks = append(c.report.Checks, Result{check, pass, asides().ReplaceAllString(reason, "$1"), asides().ReplaceAllString(reason, "$2")})
}

// aside marks a part of a reason that comes from others, with what stands for it in our own words.
func aside(full, own string) string { return "\x00" + full + "\x01" + own + "\x00" }

var asides = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("\x00([^\x01]*)\x01([^\x00]*)\x00") })

// quoted is a text of the artifact in a reason.
func quoted(text string) string { return aside(quote(text), "…") }

// because is an error in a reason.
func because(err error) string { return aside(show(err.Error()), fault.Plain(err)) }

const maxListed = 20 // of the same kind in one report

// sayAll joins as many reasons as a report lists, and what is the same in our own words once.
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

// note adds what is worth knowing and decides nothing.
func (c *checking) note(format string, args ...any) {
	c.report.Notes = append(c.report.Notes, fmt.Sprintf(format, args...))
}

// step adds a recovery step, once: several checks may ask for the same.
func (c *checking) step(text string) {
	if !slices.Contains(c.report.Recovery, text) {
		c.report.Recovery = append(c.report.Recovery, text)
	}
}

// atLeast makes the verdict worse, never better.
func (c *checking) atLeast(class Class) { c.report.Class = max(c.report.Class, class) }
