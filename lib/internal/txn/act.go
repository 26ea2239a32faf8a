package txn

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// An ActReceipt says who did something with a handoff, and when.
type ActReceipt struct {
	ID       string       `json:"handoff_id"`
	Act      eventlog.Act `json:"act"`
	Operator string       `json:"operator"`
	Session  string       `json:"session_id,omitempty"`
	Time     string       `json:"ts_utc"`
	Status   string       `json:"status"` // StatusChanged, or StatusExisting: it was so before
	State    string       `json:"state"`  // of the handoff: that of the act, else as it is now

	Over       string   `json:"over,omitempty"` // why nothing is to be done with what was taken
	Successors []string `json:"superseded_by,omitempty"`
}

// A TakenError says that somebody else has a handoff, or that it is ended. It wraps no class: nothing
// is wrong with the store.
type TakenError struct {
	ID    string
	By    eventlog.Deed
	Ended bool
}

// newTakenError says who stands in the way of an act: who has ended the handoff, or else who holds it.
func newTakenError(id string, l eventlog.Life) *TakenError {
	if l.Done.IsDone() {
		return &TakenError{id, l.Done, true}
	}
	return &TakenError{id, l.Take.Holds(), false}
}

// Error names who has the handoff, in their own spelling but quoted: the name came from a command line.
func (e *TakenError) Error() string {
	who := fault.Own(e.By.Operator)
	if e.By.Session != "" {
		who += " (session " + fault.Own(e.By.Session) + ")"
	}
	if e.Ended {
		return fmt.Sprintf("%s was done by %s at %s", e.ID, who, e.By.Time)
	}
	return fmt.Sprintf("%s is taken by %s since %s", e.ID, who, e.By.Time)
}

// Plain does not say by whom.
func (e *TakenError) Plain() string {
	if e.Ended {
		return "the handoff was done before"
	}
	return "the handoff is taken by somebody else"
}

// Hint says what to do next.
func (e *TakenError) Hint() string {
	if e.Ended {
		return "`handoff next` shows what is open"
	}
	return "take another one: `handoff next` shows it; who has it gives it back with `handoff release`"
}

// Verdict is that of a packet that was resumed before.
func (e *TakenError) Verdict() string { return "CRITICAL" }

// Act does an act, which c names by its HandoffID, Operator, Session, Reason and Time. What was done
// before is existing: then c is who did it. The error is a *TakenError where somebody else has the
// handoff, or it is ended. Verdicts are for [Session.Decide].
func (x *Session) Act(a eventlog.Act, c eventlog.Consumption) (_ eventlog.Consumption, existing bool, err error) {
	ledger, err := x.readLedger()
	if err != nil {
		return c, false, err
	}
	life, err := ledger.Life(c.HandoffID)
	if err != nil {
		return c, false, err
	}
	before, n, err := plan(a, c, life)
	if err != nil || before.IsDone() {
		c.Operator, c.Session, c.Time = before.Operator, before.Session, before.Time
		return c, true, err
	}
	if n < 0 { // nobody had done what would be taken back
		return c, true, nil
	}
	if a == eventlog.ActDone && !life.Take.Holds().IsDone() && x.Opt.Git.IsShared() { // so that a take elsewhere is heard of
		return as(c, a, n), false, x.consume(string(a), true, as(c, eventlog.ActTake, n), as(c, a, n))
	}
	c = as(c, a, n)
	return c, false, x.consume(string(a), a.Marks(), c)
}

// Decide adds an approval or a rejection, behind those that are there and do not count.
func (x *Session) Decide(a eventlog.Act, c eventlog.Consumption) error {
	ledger, err := x.readLedger()
	if err != nil {
		return err
	}
	if _, err := ledger.Life(c.HandoffID); err != nil {
		return err
	}
	for n := 0; ; n++ {
		c.Token = a.Key(c.HandoffID, n)
		if by, err := ledger.consumed(c.Token); err != nil {
			return err
		} else if by == nil {
			return x.consume(string(a), false, c)
		}
	}
}

// plan returns which of its kind an act is, or who has done it before, or -1 where there is nothing to
// take back.
func plan(a eventlog.Act, c eventlog.Consumption, l eventlog.Life) (before eventlog.Deed, n int, err error) {
	taken := l.Take.Holds()
	others := l.Done.IsDone() && l.Done.Operator != c.Operator || !l.Done.IsDone() && taken.IsDone() && taken.Operator != c.Operator
	switch a {
	case eventlog.ActTake:
		if others || l.Done.IsDone() || taken.IsDone() && taken.Session != c.Session {
			return before, 0, newTakenError(c.HandoffID, l)
		}
		return taken, l.Take.N, nil
	case eventlog.ActDone:
		if others {
			return before, 0, newTakenError(c.HandoffID, l)
		}
		return l.Done, l.Take.N, nil
	case eventlog.ActRelease:
		if others || l.Done.IsDone() {
			return before, 0, newTakenError(c.HandoffID, l)
		}
		return before, turn(taken, l.Take.N), nil
	case eventlog.ActReopen, eventlog.ActResend:
		if a == eventlog.ActReopen && l.Done.IsDone() && l.Done.Operator != c.Operator {
			return before, 0, fault.New(fault.ErrDenied, "ask "+l.Done.Operator+", who ended it, or its sender",
				"the operator %s may not reopen what %s has ended", fault.Own(c.Operator), fault.Own(l.Done.Operator))
		}
		return before, turn(l.Done, l.Take.N), nil
	case eventlog.ActUnarchive:
		return before, turn(l.Archive.Holds(), l.Archive.N), nil
	}
	if before = l.Archive.Holds(); !before.IsDone() && taken.IsDone() && !l.Done.IsDone() {
		return before, 0, newHeldError(c.HandoffID, taken)
	}
	return before, l.Archive.N, nil
}

// newHeldError refuses to put away what somebody works on.
func newHeldError(id string, by eventlog.Deed) error {
	args := id + " --operator " + by.Operator
	advice := "`handoff done " + args + "` ends it, `handoff release " + args + "` gives it back; then archive it"
	return fault.New(fault.ErrInvalid, advice,
		"%s is taken by %s since %s, and not done", id, fault.Own(by.Operator), by.Time)
}

// turn returns the number of a turn that stands, -1 if there is nothing to take back.
func turn(holds eventlog.Deed, n int) int {
	if !holds.IsDone() {
		return -1
	}
	return n
}

// Life returns what the ledger says of a handoff. Where the audit log has an act of it that the ledger
// lacks, that is ErrIntegrity.
func (l *Ledger) Life(id string) (life eventlog.Life, err error) {
	for key := range l.lost {
		if of, _, _, ok := eventlog.ParseKey(key); ok && of == id {
			return life, &fault.CorruptError{File: l.path, Why: "lacks what the audit log records of " + id}
		}
	}
	return Lives(store.AsString(l.Text), id)[id], nil
}

// ReadLives reads what the ledger of a state directory says of all handoffs, or of one alone. It is
// for who only wants to know: the ledger is not compared with the audit log, which takes as long as
// reading that.
func ReadLives(d *disk.Dir, only string) (map[string]eventlog.Life, error) {
	text, err := d.ReadIfThere(disk.Ledger, disk.MaxLedger)
	return Lives(store.AsString(text[:disk.WholeLines(text)]), only), store.Odd(disk.Ledger, err)
}

// Lives returns what the lines of a ledger say of all handoffs, or of one alone.
func Lives(text, only string) map[string]eventlog.Life {
	lives := make(map[string]eventlog.Life)
	mark := `"handoff_id":"` + only
	for only != "" && text != "" { // most lines are not about it
		at := strings.Index(text, mark)
		if at < 0 {
			return lives
		}
		start := strings.LastIndexByte(text[:at], '\n') + 1
		line, rest, _ := strings.Cut(text[start:], "\n")
		addLine(lives, line)
		text = rest
	}
	for text != "" {
		var line string
		line, text, _ = strings.Cut(text, "\n")
		addLine(lives, line)
	}
	return lives
}

// addLine adds what a line of the ledger says to the lives of the handoffs. It looks for the few fields
// that count and parses nothing: the ledger of a large store is read by each command that takes.
func addLine(lives map[string]eventlog.Life, line string) {
	id := field(line, `"handoff_id":"`)
	l := lives[id]
	l.Add(field(line, `"token":"`), eventlog.Deed{Operator: field(line, `"operator_id":"`), Session: field(line, `"session_id":"`), Time: field(line, `"ts_utc":"`)})
	lives[id] = l
}

// field returns the value that follows the name of a field in a line of the ledger. It is written
// without an escape; a quote inside of another value has one.
func field(line, name string) string {
	_, rest, _ := strings.Cut(line, name)
	value, _, _ := strings.Cut(rest, `"`)
	return value
}

// TakeOverToken adds what another store has consumed, and reports whether it is new here. A verdict is new
// where others are known that do not count.
func (x *Session) TakeOverToken(c eventlog.Consumption) (isNew bool, err error) {
	ledger, err := x.readLedger()
	if err != nil {
		return false, err
	}
	id, kind, n, isAct := eventlog.ParseKey(c.Token)
	if kind == eventlog.ActReopen { // by anybody else it would stand in the way of the one that counts
		life, err := ledger.Life(id)
		if err != nil || life.EndedBy(n).Operator != c.Operator {
			return false, err
		}
	}
	for {
		by, err := ledger.consumed(c.Token)
		if err != nil {
			return false, err
		}
		if by == nil {
			break
		}
		if !kind.IsVerdict() || by.Deed() == c.Deed() && by.Signature == c.Signature {
			return false, nil
		}
		n++
		c.Token = kind.Key(id, n)
	}
	if !isAct {
		return true, x.consume("resume", true, c)
	}
	return true, x.consume(string(kind), kind.Marks(), c)
}

// ReadVerdicts returns the approvals and rejections that the ledger of a state directory has, by handoff.
// None of them counts because it is there.
func ReadVerdicts(d *disk.Dir) (map[string][]eventlog.Consumption, error) {
	text, err := d.ReadIfThere(disk.Ledger, disk.MaxLedger)
	all := make(map[string][]eventlog.Consumption)
	for line := range bytes.Lines(text[:disk.WholeLines(text)]) {
		id, kind, _, ok := eventlog.ParseKey(LineKey(line))
		if !ok || !kind.IsVerdict() {
			continue
		}
		if c, ok := ParseConsumption(bytes.TrimSuffix(line, []byte("\n"))); ok {
			all[id] = append(all[id], c)
		}
	}
	return all, store.Odd(disk.Ledger, err)
}
