package exchange

import (
	"cmp"
	"slices"
	"time"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// The kinds of effects.
const (
	kindMark      = "read"
	kindUnread    = "unread"
	kindAct       = "act"
	kindTombstone = "pruned"
)

// An effect is what others have done with a handoff: a read mark, one that was taken back, a line of the ledger, or a tombstone.
type effect struct {
	Kind                string `json:"kind"`
	handoff.Consumption        // of a mark or a tombstone: handoff, operator and time

	Turn   int    `json:"turn,omitempty"`   // of archiving, which a tombstone ends
	Writer string `json:"writer,omitempty"` // of a tombstone
	Seen   string `json:"seen,omitempty"`   // a tombstone here, by the clock of this machine
}

// tombstone is what the effect says if it is one.
func (e effect) tombstone() handoff.Tombstone {
	return handoff.Tombstone{HandoffID: e.HandoffID, Operator: e.Operator, Time: e.Time, Turn: e.Turn, Writer: e.Writer}
}

// key is the same for effects of which one counts.
func (e effect) key() effect {
	of := handoff.Consumption{HandoffID: e.HandoffID}
	switch e.Kind {
	case kindAct:
		of = e.Consumption
	case kindMark: // one that is later counts once the earlier ones were taken back
		of.Operator, of.Time = e.Operator, e.Time
	case kindUnread:
		of.Operator = e.Operator
	}
	return effect{Kind: e.Kind, Consumption: of}
}

// tell adds an effect. Of the times up to which an operator has taken back read marks the last counts, of the tombstones
// of a handoff that of the last turn.
func (h *held) tell(e effect) {
	if h.places == nil {
		h.places = make(map[effect]int)
		for i, other := range h.Told {
			h.places[other.key()] = i
		}
	}
	i, is := h.places[e.key()]
	if !is {
		h.places[e.key()] = len(h.Told)
		h.Told = append(h.Told, e)
		return
	}
	was := h.Told[i]
	if e.Kind == kindUnread && e.Time > was.Time || e.Kind == kindTombstone && e.Turn > was.Turn {
		e.Seen = was.Seen
		h.Told[i] = e
	}
}

// tellLines adds lines of a ledger.
func (h *held) tellLines(lines lines) {
	for _, line := range lines {
		h.tell(effect{Kind: kindAct, Consumption: line})
	}
}

// acts returns the lines of the ledger that wait.
func (h *held) acts() (all lines) {
	for _, e := range h.Told {
		if e.Kind == kindAct {
			all = append(all, e.Consumption)
		}
	}
	return all
}

// note adds what an event says that others have done. What no store can hold is passed over, and what its
// writer has from others: their logs have it too. What is done once counts as it was claimed, not as a log has
// it.
func (c *catch) note(writer string, s said) {
	e := markOf(s.HandoffID, s.Operator, s.Time)
	isWhole := form.IsID(s.HandoffID) && form.IsSlug(s.Operator, document.MaxName) && form.IsInstant(s.Time)
	switch {
	case s.Synced && !c.all:
		return
	case s.Type == eventlog.TypePrune && isWhole && s.Writer == "": // else it comes from that one too
		e.Kind, e.Turn, e.Writer = kindTombstone, s.Turn, writer
	case s.Type == eventlog.TypeMarkRead && isWhole:
	case s.Type == eventlog.TypeMarkUnread && isWhole:
		e.Kind = kindUnread
	case eventlog.IsConsumption(s.Type) && isLine(s.Consumption) && (c.near || isFiling(s.Act())):
		e = effect{Kind: kindAct, Consumption: s.Consumption}
	default:
		return
	}
	c.held.tell(e)
}

// isLine reports whether a ledger may have a line that others claim or tell of.
func isLine(c handoff.Consumption) bool {
	of, _, _, isAct := eventlog.ParseKey(c.Token)
	isKey := form.IsID(c.Token) || len(c.Token) >= 8 && form.IsSlug(c.Token, 128) || isAct && of == c.HandoffID
	isName := func(name string, most int) bool { return name == "" || form.IsSlug(name, most) }
	return isKey && form.IsID(c.HandoffID) && form.IsSlug(c.Operator, document.MaxName) && form.IsInstant(c.Time) &&
		handoff.CheckReason(c.Reason) == nil && isName(c.Accepted, 64) && isName(c.ConfirmedBy, document.MaxName) &&
		isName(c.Session, 128) && len(c.Signature) <= disk.MaxSignature
}

// isFiling reports whether an act is one that every clone may do by itself.
func isFiling(act eventlog.Act) bool { return isArchiving(act) || act.IsVerdict() }

// isArchiving reports whether an act puts a handoff away, or brings it back.
func isArchiving(act eventlog.Act) bool {
	return act == eventlog.ActArchive || act == eventlog.ActUnarchive
}

// takeEffects takes over the effects on handoffs that are here, as far as they count. The others wait, and are
// looked at again once something has come, or other rules may let them count.
func (x *exchange) takeEffects(ctx ctx, c *catch) error {
	judge := x.Exchange().Judge()
	stamp := judge.Stamp()
	isStill := stamp == c.held.Rules && len(c.said)+len(c.moves)+len(x.got.Received) == 0 && !c.near
	if isStill && !slices.ContainsFunc(c.held.Told, x.isOld) {
		return nil
	}
	c.held.Rules = stamp
	j := jury{judge: judge}
	if err := x.learnPast(ctx, c, &j); err != nil {
		return err
	}
	var ids []string
	for _, e := range c.held.Told {
		ids = append(ids, e.HandoffID)
	}
	here, err := x.Exchange().Here(ids)
	if err == nil {
		j.have, err = x.ledger()
	}
	if err != nil {
		return err
	}
	due := x.divide(c, j, here)
	came := handoff.Came{Marks: marksIn(due[kindMark]), Unread: marksIn(due[kindUnread])}
	var acts lines
	for _, e := range due[kindAct] {
		acts = append(acts, e.Consumption)
	}
	came.Acts = acts
	newMarks, newActs, err := x.Exchange().TakeOver(ctx, !x.asOwn, came)
	x.got.Marks, x.got.Tokens = x.got.Marks+newMarks, x.got.Tokens+newActs
	if err != nil {
		return err
	}
	return x.bury(ctx, c, due[kindTombstone])
}

// marksIn returns the read marks of effects by their handoffs.
func marksIn(effects []effect) map[string][]handoff.Mark {
	marks := make(map[string][]handoff.Mark)
	for _, e := range effects {
		marks[e.HandoffID] = append(marks[e.HandoffID], e.mark())
	}
	return marks
}

// divide leaves in what is held the effects that wait, and returns those that count now by their kinds. What will
// never count goes.
func (x *exchange) divide(c *catch, j jury, here map[string]handoff.Entry) map[string][]effect {
	told, due := c.held.Told, make(map[string][]effect)
	c.held.Told, c.held.places = nil, nil
	for _, e := range told {
		if e.Kind == kindTombstone {
			e.Seen = cmp.Or(e.Seen, x.Now().UTC().Format(time.RFC3339))
		}
		switch isDue, isVoid := j.judged(e, here[e.HandoffID], c.near || x.isOld(e)); {
		case isVoid:
		case isDue:
			due[e.Kind] = append(due[e.Kind], e)
		default:
			c.held.Told = append(c.held.Told, e)
		}
	}
	return due
}

// markOf is a read mark.
func markOf(id, operator, at string) effect {
	return effect{Kind: kindMark, Consumption: handoff.Consumption{HandoffID: id, Operator: operator, Time: at}}
}

// mark is what the effect says if it is a read mark.
func (e effect) mark() handoff.Mark { return handoff.Mark{Operator: e.Operator, Time: e.Time} }

// A jury judges effects and claims: by the rules of this store, and by what is known here of handoffs.
type jury struct {
	judge handoff.Judge
	have  ledger
	lives lives            // of effects, what waits included; nil where nothing tells of pruning
	past  map[string]*past // of what was pruned here
}

// judged says whether an effect on a handoff, which has no row if it is not here, counts now, or never will. A
// tombstone that was taken back counts for nothing, and nor does one that was known before: what it ended was
// restored here since. One of others has to be old.
func (j jury) judged(e effect, row handoff.Entry, isOld bool) (isDue, isVoid bool) {
	isHere, p := row.ID != "", j.past[e.HandoffID]
	switch e.Kind {
	case kindMark:
		return isHere && j.judge.Mark(e.mark()) == nil, false
	case kindUnread:
		return isHere && j.judge.Unread(e.mark()) == nil, false
	case kindTombstone:
		isVoid = e.tombstone().IsTakenBack(j.lives[e.HandoffID]) || p != nil && e.Turn <= p.turn
		return isHere && isOld && j.judge.Tombstone(e.tombstone(), row) == nil, isVoid
	}
	_, isVoid = j.have[e.Token]
	turns := p != nil && p.stays && isArchiving(e.Act()) // which a later tombstone, or return, is told by
	isDue = turns || e.Act().IsNote() || isHere && j.judge.Consumption(e.Consumption, row) == nil
	return isDue, isVoid // a note is our own, or of a neighbour
}
