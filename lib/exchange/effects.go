package exchange

import (
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// The kinds of effects.
const (
	kindMark   = "read"
	kindUnread = "unread"
	kindAct    = "act"
)

// An effect is something that another replica did with a handoff: a read mark, an undone read mark, or a ledger line.
type effect struct {
	Kind                string `json:"kind"`
	handoff.Consumption        // of a mark: handoff, operator and time

	Own bool `json:"own,omitempty"` // an action that this replica has claimed and not recorded
}

// key returns the same value for effects of which only one counts.
func (e effect) key() effect {
	of := handoff.Consumption{HandoffID: e.HandoffID}
	switch e.Kind {
	case kindAct:
		of = e.Consumption
	case kindMark: // a later mark counts if the earlier ones were undone
		of.Operator, of.Time = e.Operator, e.Time
	case kindUnread:
		of.Operator = e.Operator
	}
	return effect{Kind: e.Kind, Consumption: of}
}

// addEffect adds an effect. Of undone read marks of an operator, the last time counts.
func (h *held) addEffect(e effect) {
	if h.places == nil {
		h.places = make(map[effect]int)
		for i, other := range h.Effects {
			h.places[other.key()] = i
		}
	}
	i, is := h.places[e.key()]
	if !is {
		h.places[e.key()] = len(h.Effects)
		h.Effects = append(h.Effects, e)
		return
	}
	if e.Kind == kindUnread && e.Time > h.Effects[i].Time {
		h.Effects[i] = e
	}
}

// addLines adds lines of a ledger. own means that this replica has claimed them and not recorded them.
func (h *held) addLines(lines lines, own bool) {
	for _, line := range lines {
		h.addEffect(effect{Kind: kindAct, Consumption: line, Own: own})
	}
}

// acts returns the ledger lines that wait.
func (h *held) acts() (all lines) {
	for _, e := range h.Effects {
		if e.Kind == kindAct {
			all = append(all, e.Consumption)
		}
	}
	return all
}

// note adds the effects of an event of another replica. It skips malformed events, and events that their writer has
// from other replicas: these publish them too. A claimed action counts as claimed, not as logged.
func (c *intake) note(s eventInfo) {
	e := markOf(s.HandoffID, s.Operator, s.Time)
	isWhole := form.IsID(s.HandoffID) && form.IsSlug(s.Operator, document.MaxName) && form.IsInstant(s.Time)
	switch {
	case s.Synced && !c.all:
		return
	case s.Type == eventlog.TypeMarkRead && isWhole:
	case s.Type == eventlog.TypeMarkUnread && isWhole:
		e.Kind = kindUnread
	case eventlog.IsConsumption(s.Type) && IsLine(s.Consumption) && isFiling(s.Act()):
		e = effect{Kind: kindAct, Consumption: s.Consumption}
	default:
		return
	}
	c.held.addEffect(e)
}

// IsLine reports whether a ledger line from another replica is well-formed: some command can have written it.
func IsLine(c handoff.Consumption) bool {
	of, _, _, isAct := eventlog.ParseKey(c.Token)
	isKey := form.IsID(c.Token) || len(c.Token) >= 8 && form.IsSlug(c.Token, 128) || isAct && of == c.HandoffID
	isName := func(name string, most int) bool { return name == "" || form.IsSlug(name, most) }
	return isKey && form.IsID(c.HandoffID) && form.IsSlug(c.Operator, document.MaxName) && form.IsInstant(c.Time) &&
		handoff.CheckReason(c.Reason) == nil && isName(c.Accepted, 64) && isName(c.ConfirmedBy, document.MaxName) &&
		isName(c.Session, 128) && isName(c.Over, document.MaxName) &&
		(c.Until == "" || form.IsInstant(c.Until))
}

// isFiling reports whether an action needs no claim.
func isFiling(act eventlog.Act) bool {
	return act == eventlog.ActArchive || act == eventlog.ActUnarchive || act == eventlog.ActRenew
}

// takeEffects adds the effects that count, on handoffs that are stored here. The other effects wait. They are judged
// again by each sync.
func (x *exchange) takeEffects(ctx ctx, c *intake) error {
	if len(c.held.Effects) == 0 {
		return nil
	}
	j := jury{judge: x.Exchange().Judge()}
	var ids []string
	for _, e := range c.held.Effects {
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
	came := handoff.Received{Marks: marksIn(due[kindMark]), Unread: marksIn(due[kindUnread])}
	for _, e := range due[kindAct] {
		if e.Own {
			came.Own = append(came.Own, e.Consumption)
		} else {
			came.Acts = append(came.Acts, e.Consumption)
		}
	}
	newMarks, newActs, err := x.Exchange().TakeOver(ctx, !x.publishes, came)
	x.got.Marks, x.got.Tokens = x.got.Marks+newMarks, x.got.Tokens+newActs
	return err
}

// marksIn returns the read marks of effects by handoff.
func marksIn(effects []effect) map[string][]handoff.Mark {
	marks := make(map[string][]handoff.Mark)
	for _, e := range effects {
		marks[e.HandoffID] = append(marks[e.HandoffID], e.mark())
	}
	return marks
}

// divide returns the effects that count now, by kind, and leaves those that wait in c.held. Effects that can never
// count are dropped.
func (x *exchange) divide(c *intake, j jury, here map[string]handoff.Entry) map[string][]effect {
	told, due, gone := c.held.Effects, make(map[string][]effect), x.Exchange().Pruned()
	c.held.Effects, c.held.places = nil, nil
	for _, e := range told {
		row := here[e.HandoffID]
		switch isDue, isVoid := j.decide(e, row); {
		case isVoid, row.ID == "" && gone[e.HandoffID]:
		case isDue:
			due[e.Kind] = append(due[e.Kind], e)
		default:
			c.held.Effects = append(c.held.Effects, e)
		}
	}
	return due
}

// markOf returns the effect of a read mark.
func markOf(id, operator, at string) effect {
	return effect{Kind: kindMark, Consumption: handoff.Consumption{HandoffID: id, Operator: operator, Time: at}}
}

// mark returns the effect as a read mark.
func (e effect) mark() handoff.Mark { return handoff.Mark{Operator: e.Operator, Time: e.Time} }

// A jury judges effects and claims, by the rules of this store and by what is known here about handoffs.
type jury struct {
	judge handoff.Judge
	have  ledger
	lives lives // of claimed lines
}

// decide returns whether an effect counts now, or never will. row is zero if the handoff is not here.
func (j jury) decide(e effect, row handoff.Entry) (isDue, isVoid bool) {
	isHere := row.ID != ""
	switch e.Kind {
	case kindMark:
		return isHere && j.judge.Mark(e.mark()) == nil, false
	case kindUnread:
		return isHere && j.judge.Unread(e.mark()) == nil, false
	}
	_, isVoid = j.have[e.Token]
	return e.Act().IsNote() || isHere && j.judge.Consumption(e.Consumption, row) == nil, isVoid
}
