package txn

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// An ActReceipt is the result of an action on a handoff.
type ActReceipt struct {
	ID       string       `json:"handoff_id"`
	Act      eventlog.Act `json:"act"`
	Operator string       `json:"operator"`
	Session  string       `json:"session_id,omitempty"` // that took it
	Time     string       `json:"ts_utc"`
	Until    string       `json:"until,omitempty"` // the end of the lease
	Status   string       `json:"status"`          // StatusChanged, or StatusExisting if nothing changed
	// the state of the handoff: that of the action, otherwise as it is now
	State string `json:"state"`
	Reply string `json:"reply_id,omitempty"` // the answer that was stored with the action

	Over       string   `json:"over,omitempty"` // why a handoff that was taken needs no work
	Successors []string `json:"superseded_by,omitempty"`
}

// A TakenError is the error for a handoff that another operator holds, or that is done. It wraps no class,
// since nothing is wrong with the store.
type TakenError struct {
	ID    string
	By    eventlog.Action
	Ended string // "done" or "withdrawn" by By; "" if By holds the handoff
	Lost  bool   // By has ended the take of this session, which no longer holds the handoff
	Same  bool   // a session of the same operator holds it, and no session asks
}

// newTakenError names the operator who prevents an action: the one who finished the handoff, otherwise the
// holder.
func newTakenError(c eventlog.Consumption, l eventlog.Life) *TakenError {
	if l.Done.IsDone() {
		return &TakenError{ID: c.HandoffID, By: l.Done, Ended: "done"}
	}
	held := l.Take.Holds()
	return &TakenError{ID: c.HandoffID, By: held, Same: held.Operator == c.Operator && c.Session == ""}
}

// Error names the holder. The name is quoted, since it came from a command line.
func (e *TakenError) Error() string {
	who := fault.Own(e.By.Operator)
	if e.By.Session != "" {
		who += " (session " + fault.Own(e.By.Session) + ")"
	}
	if e.Ended != "" {
		return fmt.Sprintf("%s was %s by %s at %s", e.ID, e.Ended, who, e.By.Time)
	}
	if e.Lost {
		return fmt.Sprintf("you no longer hold %s: %s ended your take at %s", e.ID, who, e.By.Time)
	}
	until := ""
	if e.By.Until != "" {
		until = ", until " + e.By.Until
	}
	return fmt.Sprintf("%s is taken by %s since %s%s", e.ID, who, e.By.Time, until)
}

// Plain omits the holder.
func (e *TakenError) Plain() string {
	if e.Ended != "" {
		return "the handoff was " + e.Ended + " before"
	}
	if e.Lost {
		return "another session ended the take of this one"
	}
	return "the handoff is taken by another operator or session"
}

// Hint returns what to do next.
func (e *TakenError) Hint() string {
	if e.Ended != "" {
		return "`handoff next` shows what is open"
	}
	if e.Lost {
		return "take it again: `handoff take " + e.ID + "`"
	}
	if e.Same {
		return "`handoff release " + e.ID + "` ends the take of your other session; `handoff next` shows another"
	}
	return "`handoff next` shows another; its holder can run `handoff release`"
}

// Verdict returns the verdict of a packet that was resumed already.
func (e *TakenError) Verdict() string { return "CRITICAL" }

// Act performs the action a. c names the handoff, operator, session, reason and time, and for a resume the token. If
// the action was performed before, existing is true and the returned Consumption names who did it; for a resume the
// error is a *ConsumedError. If another operator or session holds the handoff, or it is done, the error is a
// *TakenError.
func (x *Session) Act(a eventlog.Act, c eventlog.Consumption, over Lapse) (_ eventlog.Consumption, existing bool,
	err error) {
	ledger, err := x.readLedger()
	if err != nil {
		return c, false, err
	}
	a, before, lines, err := ledger.lines(a, c, over)
	switch {
	case errors.Is(err, ErrNotHeld):
		return c, true, nil
	case err != nil:
		return c, false, err
	case len(lines) == 0:
		c.Operator, c.Session, c.Time, c.Until = before.Operator, before.Session, before.Time, before.Until
		return c, true, nil
	case x.Opt.Git.IsShared():
	case a == eventlog.ActDone, lines[0].Token == eventlog.ActTake.Key(c.HandoffID, 0):
		lines = lines[len(lines)-1:] // no other clone has to learn of a take
	}
	return lines[len(lines)-1], false, x.consume(cmp.Or(string(a), "resume"), true, lines...)
}

// Renew extends the leases of the given handoffs to c.Until, if the operator and session of c still hold them.
func (x *Session) Renew(c eventlog.Consumption, ids []string) error {
	c.Time = x.Now()
	for _, c.HandoffID = range ids {
		ledger, err := x.readLedger()
		if err != nil {
			return err
		}
		if life := ledger.Life(c.HandoffID); life.Done.IsDone() || !life.Take.Holds().IsBy(c.Operator, c.Session) {
			continue
		}
		n := 0
		for ledger.find(eventlog.ActRenew.Key(c.HandoffID, n)) != nil {
			n++
		}
		c.Token = eventlog.ActRenew.Key(c.HandoffID, n)
		if err := x.consume(string(eventlog.ActRenew), true, c); err != nil {
			return err
		}
	}
	return nil
}

// A Lapse says when a take is no longer protected, so that another operator or session can take the handoff over.
type Lapse struct {
	Grace time.Duration // how long after the end of its lease
	Dead  string        // the session that is known to have ended, if its operator takes over
	Any   bool          // a person decides, or the sender releases or reopens
}

// has reports whether c may take over from the holder.
func (l Lapse) has(held eventlog.Action, c eventlog.Consumption) bool {
	isDead := l.Dead != "" && held.IsBy(c.Operator, l.Dead)
	return l.Any || isDead || held.IsOver(c.Time, l.Grace)
}

// act returns the action that a request comes to. For those who may, the release of what another operator holds is a
// revoke, and the reopening of what another finished is a resend.
func (l Lapse) act(a eventlog.Act, c eventlog.Consumption, life eventlog.Life) eventlog.Act {
	held := life.Take.Holds()
	switch {
	case a == eventlog.ActRelease && l.Any && held.IsDone() && held.Operator != c.Operator:
		return eventlog.ActRevoke
	case a == eventlog.ActReopen && l.Any && life.Done.Operator != c.Operator:
		return eventlog.ActResend
	}
	return a
}

// takeOver returns the lines that replace the take of a holder, which was the n-th.
func takeOver(c eventlog.Consumption, held eventlog.Action, n int) []eventlog.Consumption {
	end := nthAct(c, eventlog.ActRevoke, n)
	end.Until = ""
	c.Over = held.Operator
	return []eventlog.Consumption{end, nthAct(c, eventlog.ActTake, n+1)}
}

// plan returns the number of an action among those of its kind. If it was performed before, before names who
// did it. If there is nothing to undo, n is -1. A take of what is held replaces the n-th take.
func plan(a eventlog.Act, c eventlog.Consumption, l eventlog.Life, over Lapse) (before eventlog.Action, n int,
	err error) {
	taken := l.Take.Holds()
	isHeld := taken.IsDone() && !l.Done.IsDone()
	others := l.Done.IsDone() && l.Done.Operator != c.Operator || isHeld && taken.Operator != c.Operator
	switch a {
	case eventlog.ActTake:
		switch {
		case l.Done.IsDone():
			return before, 0, newTakenError(c, l)
		case !isHeld || taken.IsBy(c.Operator, c.Session):
			return taken, l.Take.N, nil
		case over.has(taken, c):
			return before, l.Take.N, nil
		}
		return before, 0, newTakenError(c, l)
	case eventlog.ActDone:
		if others || isHeld && isOtherSession(taken, c) {
			return before, 0, newTakenError(c, l)
		}
		return l.Done, l.Take.N, fence(c, l)
	case eventlog.ActRelease:
		if others || l.Done.IsDone() {
			return before, 0, newTakenError(c, l)
		}
		return before, openNumber(taken, l.Take.N), fence(c, l)
	case eventlog.ActRevoke:
		if l.Done.IsDone() {
			return before, 0, newTakenError(c, l)
		}
		return before, openNumber(taken, l.Take.N), nil
	case eventlog.ActReopen, eventlog.ActResend:
		if a == eventlog.ActReopen && l.Done.IsDone() && l.Done.Operator != c.Operator {
			return before, 0, fault.Denied("ask "+l.Done.Operator+", or the sender",
				"%s may not reopen a handoff that %s finished", fault.Own(c.Operator), fault.Own(l.Done.Operator))
		}
		return before, openNumber(l.Done, l.Take.N), nil
	case eventlog.ActUnarchive:
		return before, openNumber(l.Archive.Holds(), l.Archive.N), nil
	}
	if before = l.Archive.Holds(); !before.IsDone() && taken.IsDone() && !l.Done.IsDone() {
		return before, 0, newHeldError(c.HandoffID, taken)
	}
	return before, l.Archive.N, nil
}

// isOtherSession reports whether a session holds the handoff that is not the one of c.
func isOtherSession(taken eventlog.Action, c eventlog.Consumption) bool {
	return taken.Session != "" && taken.Session != c.Session
}

// fence returns an error if the take of the operator and session of c was ended by another, and not repeated since.
func fence(c eventlog.Consumption, l eventlog.Life) error {
	if by := l.RevokedBy(c.Operator, c.Session); by.IsDone() {
		if l.Done.IsDone() {
			return newTakenError(c, l)
		}
		return &TakenError{ID: c.HandoffID, By: by, Lost: true}
	}
	return nil
}

// newHeldError returns the error for archiving a handoff that is taken.
func newHeldError(id string, by eventlog.Action) error {
	args := id + " --operator " + by.Operator
	advice := "run `handoff done " + args + "`, or `handoff release " + args + "`; then archive it"
	return fault.Invalid(advice,
		"%s is taken by %s since %s and not done", id, fault.Own(by.Operator), by.Time)
}

// openNumber returns n, or -1 if there is nothing to undo.
func openNumber(holds eventlog.Action, n int) int {
	if !holds.IsDone() {
		return -1
	}
	return n
}

// Life returns what the ledger records about a handoff.
func (l *Ledger) Life(id string) eventlog.Life {
	return l.Lives(id)[id]
}

// ReadLives returns what the ledger of a state directory records about all handoffs, or about the handoff
// only. It is for readers: it does not compare the ledger with the audit log, since that takes as long as
// reading the log.
func ReadLives(d *disk.Dir, only string) (map[string]eventlog.Life, error) {
	l, err := readWhole(d)
	return l.Lives(only), err
}

// Lives returns what the ledger records about all handoffs, or about the handoff only.
func (l *Ledger) Lives(only string) map[string]eventlog.Life {
	lives := make(map[string]eventlog.Life)
	for line := range l.about(only) {
		addLine(lives, line)
	}
	return lives
}

// readWhole returns the whole lines of the ledger of a state directory.
func readWhole(d *disk.Dir) (*Ledger, error) {
	text, err := d.ReadIfThere(disk.Ledger, disk.MaxLedger)
	return &Ledger{Text: text[:disk.WholeLines(text)]}, store.AsCorrupt(disk.Ledger, err)
}

// about returns the lines about a handoff, with one byte search, or all lines if id is "".
func (l *Ledger) about(id string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for text := store.AsString(l.Text); text != ""; {
			if id != "" {
				at := strings.Index(text, `"handoff_id":"`+id)
				if at < 0 {
					return
				}
				text = text[strings.LastIndexByte(text[:at], '\n')+1:]
			}
			var line string
			if line, text, _ = strings.Cut(text, "\n"); !yield(line) {
				return
			}
		}
	}
}

// addLine adds a line of the ledger to lives. It finds the few fields that it needs and parses nothing, since
// each take reads the whole ledger.
func addLine(lives map[string]eventlog.Life, line string) {
	id := field(line, `"handoff_id":"`)
	l := lives[id]
	l.Add(field(line, `"token":"`), eventlog.Action{Operator: field(line, `"operator_id":"`),
		Session: field(line, `"session_id":"`), Time: field(line, `"ts_utc":"`), Until: field(line, `"until":"`)})
	lives[id] = l
}

// field returns the value after the name of a field in a line of the ledger. Such a value has no escape, and
// a quote inside another value is escaped.
func field(line, name string) string {
	_, rest, _ := strings.Cut(line, name)
	value, _, _ := strings.Cut(rest, `"`)
	return value
}

// ReadReasons returns the reasons in the ledger of a state directory, by the handoff, the act and the time.
func ReadReasons(d *disk.Dir) (map[[3]string]string, error) {
	reasons := make(map[[3]string]string)
	l, err := readWhole(d)
	for line := range l.about("") {
		if c, ok := ParseConsumption([]byte(line)); ok && c.Reason != "" {
			reasons[[3]string{c.HandoffID, string(c.Act()), c.Time}] = c.Reason
		}
	}
	return reasons, err
}
