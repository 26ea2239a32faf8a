package facts

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/log"
)

const (
	// Ahead is how far ahead of a clock an event may be and have an effect.
	Ahead = 5 * time.Minute

	leastRenewal = time.Minute
	mostRenewal  = 7 * 24 * time.Hour
)

// Rules say which operators are known, and which capabilities they have.
type Rules struct {
	Knows func(operator string, at time.Time) bool
	Can   func(operator, capability string, at time.Time) bool

	// Keys has the keys of each operator whose events count only with a seal by one of them. Those that were made here
	// count before if the operator IsSigner: the next sync seals them.
	Keys     map[string][]string
	IsSigner func(operator string) bool
}

// A View judges facts.
type View struct {
	*Facts
	Now   time.Time // zero: events have an effect whatever time they state
	Rules *Rules    // nil: everybody may do everything
}

// A Mark says that an operator has read a handoff.
type Mark struct {
	Operator string
	At       time.Time
}

// A Life is what happened to a handoff, as a view judges it.
type Life struct {
	Holder *Turn     // the take that holds it; nil if nobody does
	Until  time.Time // the end of the holder's lease; zero if it has none
	End    *Turn     // the done or withdraw; nil if it is open

	Reads      []Mark // by operator, in the order of their times
	IsArchived bool
	Archiver   string    // who archived it last, or showed it again
	ArchivedAt time.Time // and when

	Taken   *Turn // the last take, whether or not it holds
	Resumed *Turn // the first resume

	freed time.Time // when it was released or reopened last
}

// IsHeldBy reports whether an operator and session hold the handoff.
func (l *Life) IsHeldBy(operator, session string) bool {
	return l.IsHeld() && l.Holder.Operator == operator && l.Holder.Session == session
}

// IsOver reports whether the lease of the holder was over at a time.
func (l *Life) IsOver(at time.Time) bool {
	return l.Holder != nil && !l.Until.IsZero() && at.After(l.Until)
}

// Last returns the turn that the next one may end: the done or withdraw, else the take of the holder. It is nil if the
// handoff is open and nobody holds it.
func (l *Life) Last() *Turn { return cmp.Or(l.End, l.Holder) }

// IsReadBy reports whether an operator has read the handoff.
func (l *Life) IsReadBy(operator string) bool {
	return slices.ContainsFunc(l.Reads, func(m Mark) bool { return m.Operator == operator })
}

// TimeOf returns the time of an event about a handoff, and whether it has an effect.
func (v View) TimeOf(h *Handoff, stated time.Time) (at time.Time, hasEffect bool) {
	if stated.Before(h.at) {
		stated = h.at
	}
	return stated, v.Now.IsZero() || !stated.After(v.Now.Add(Ahead))
}

// admits reports whether the operator of an event was known at its time, and whether the event has the seal that it
// needs.
func (v View) admits(id, operator string, isOwn bool, at time.Time) bool {
	return v.Rules == nil || v.Rules.Knows(operator, at) &&
		(!v.needsSeal(id, operator) || isOwn && v.Rules.IsSigner != nil && v.Rules.IsSigner(operator))
}

// NeedsSeal reports whether the acts of an operator count only with a seal, which nothing here can make.
func (v View) NeedsSeal(operator string) bool {
	return !v.admits("", operator, true, v.Now) && v.needsSeal("", operator)
}

// needsSeal reports whether an event counts only with a seal, and has none.
func (v View) needsSeal(id, operator string) bool {
	if v.Rules == nil {
		return false
	}
	keys := v.Rules.Keys[operator]
	return len(keys) > 0 && !slices.ContainsFunc(keys, func(key string) bool { return v.Seals[key][id] })
}

// An Unsealed is an event that was made here and waits for the seal of its operator.
type Unsealed struct{ ID, Type, Operator string }

// Unsealed returns the events about a handoff that were made here and wait for a seal.
func (v View) Unsealed(h *Handoff) (all []Unsealed) {
	if v.Rules == nil || len(v.Rules.Keys) == 0 {
		return nil
	}
	for _, n := range h.Notes {
		if n.IsOwn && v.needsSeal(n.ID, n.Operator) {
			all = append(all, Unsealed{n.ID, n.Type, n.Operator})
		}
	}
	for _, t := range v.Turns(h) {
		if t.IsOwn && v.IsUnsent(t.ID) && v.needsSeal(t.ID, t.Operator) {
			all = append(all, Unsealed{t.ID, t.Type, t.Operator})
		}
	}
	return all
}

// can reports whether an operator has a capability at a time.
func (v View) can(operator, capability string, at time.Time) bool {
	return v.Rules == nil || v.Rules.Can(operator, capability, at)
}

// Life returns what happened to a handoff.
func (v View) Life(h *Handoff) *Life {
	l, reads := &Life{}, []Note(nil)
	for _, t := range v.Turns(h) {
		at, counts := v.Apply(l, h, t)
		if counts && (t.Type == log.Take || t.Type == log.Done || t.Type == log.Resume) {
			reads = append(reads, Note{log.MarkRead, t.Operator, t.ID, at, t.IsOwn})
		}
	}
	archived := Note{}
	for _, n := range h.Notes {
		at, hasEffect := v.TimeOf(h, n.At)
		n.At = at
		isParty := n.Operator == h.From || h.IsTo(n.Operator)
		switch isArchive := n.Type == log.Archive || n.Type == log.Unarchive; {
		case !hasEffect || !v.admits(n.ID, n.Operator, n.IsOwn, at):
		case !isArchive:
			reads = append(reads, n)
		case (isParty || v.can(n.Operator, "archive", at)) && compare(n, archived) > 0:
			archived = n
		}
	}
	l.IsArchived, l.Archiver, l.ArchivedAt = archived.Type == log.Archive, archived.Operator, archived.At
	l.read(reads)
	return l
}

// Counting returns the turns of a handoff that count, by their ids.
func (v View) Counting(h *Handoff) map[string]bool {
	l, all := &Life{}, map[string]bool{}
	for _, t := range v.Turns(h) {
		_, all[t.ID] = v.Apply(l, h, t)
	}
	return all
}

// EnderOf returns the turn with which somebody else ended the last take of an operator and session, also one that was
// made offline and lost; nil if nobody did, or if they hold the handoff again.
func (v View) EnderOf(h *Handoff, operator, session string) (by *Turn) {
	l, hadEver := &Life{}, false
	for _, t := range v.Turns(h) {
		had := l.IsHeldBy(operator, session)
		hadEver = hadEver || had
		if _, counts := v.Apply(l, h, t); !counts {
			continue
		}
		switch has := l.IsHeldBy(operator, session); {
		case has:
			by = nil
		case had && (t.Operator != operator || t.Session != session):
			by = t
		}
	}
	made := &Turn{Operator: operator, Session: session}
	isLost := func(t *Turn) bool {
		return t.Type == log.Take && v.Lost[t.ID] && v.Places[t.ID] == 0 && t.isBy(made)
	}
	if !hadEver && !l.IsHeldBy(operator, session) && slices.ContainsFunc(h.Turns, isLost) {
		return l.Taken
	}
	return by
}

func compare(a, b Note) int { return cmp.Or(a.At.Compare(b.At), strings.Compare(a.ID, b.ID)) }

// read sets Reads. A second mark of the same operator changes nothing.
func (l *Life) read(notes []Note) {
	if len(notes) > 1 {
		slices.SortFunc(notes, func(a, b Note) int {
			return cmp.Or(strings.Compare(a.Operator, b.Operator), compare(a, b))
		})
	}
	for _, n := range notes {
		last := len(l.Reads) - 1
		isRead := last >= 0 && l.Reads[last].Operator == n.Operator
		switch {
		case n.Type == log.MarkUnread && isRead:
			l.Reads = l.Reads[:last]
		case n.Type == log.MarkRead && !isRead && n.At.After(l.freed):
			l.Reads = append(l.Reads, Mark{n.Operator, n.At})
		}
	}
	slices.SortStableFunc(l.Reads, func(a, b Mark) int { return a.At.Compare(b.At) })
}

// A claim is what a turn may do to a life, as a view judges it.
type claim struct {
	*Turn
	at         time.Time
	isMine     bool // the operator and session of the turn hold the handoff
	endsHolder bool // it names the take of the holder
	endsEnd    bool // it names the done or withdraw
	isParty    bool // by the sender, or a human
	isOver     bool // a person takes over
}

// Apply applies a turn to the life of a handoff so far, and reports its time and whether it counts. If it does not, the
// life stays as it is.
func (v View) Apply(l *Life, h *Handoff, t *Turn) (at time.Time, counts bool) {
	at, hasEffect := v.TimeOf(h, t.At)
	if !hasEffect || !v.admits(t.ID, t.Operator, t.IsOwn, at) {
		return at, false
	}
	isHuman := v.can(t.Operator, "human", at)
	c := claim{Turn: t, at: at, isMine: l.IsHeldBy(t.Operator, t.Session),
		endsHolder: l.Holder != nil && slices.Contains(t.Of, l.Holder.ID),
		endsEnd:    l.End != nil && slices.Contains(t.Of, l.End.ID),
		isParty:    t.Operator == h.From || isHuman,
		isOver:     t.Over && (isHuman || h.IsTo(t.Operator))}
	switch t.Type {
	case log.Take, log.Resume:
		return at, l.take(c)
	case log.Renew:
		return at, l.renew(c)
	case log.Release:
		counts = l.IsHeld() && c.endsHolder && (c.isMine || c.isParty)
	case log.Done:
		counts = l.End == nil && (!l.IsHeld() || c.isMine && c.endsHolder)
	case log.Reopen:
		counts = c.endsEnd && (t.Operator == l.End.Operator || t.Operator == h.From)
	case log.Withdraw:
		counts = l.End == nil && l.Taken == nil && t.Operator == h.From
	}
	switch {
	case !counts:
	case t.Type == log.Done || t.Type == log.Withdraw:
		l.End = t
	default:
		l.Holder, l.End, l.Until, l.freed = nil, nil, time.Time{}, at
	}
	return at, counts
}

// IsHeld reports whether somebody holds the handoff.
func (l *Life) IsHeld() bool { return l.Holder != nil && l.End == nil }

// take applies a take or a resume.
func (l *Life) take(c claim) bool {
	isUsed := l.Resumed != nil && (l.Resumed.Operator != c.Operator || l.Resumed.Session != c.Session)
	switch {
	case c.Type == log.Resume && isUsed:
		return false
	case c.isMine:
		l.Until = later(l.Until, c.Until)
	case l.End != nil && !(c.isOver && c.endsEnd):
		return false
	case l.IsHeld() && !(c.endsHolder && (c.isOver || l.IsOver(c.at))):
		return false
	default:
		l.Holder, l.End, l.Until, l.Taken = c.Turn, nil, c.Until, c.Turn
	}
	if c.Type == log.Resume {
		l.Resumed = cmp.Or(l.Resumed, c.Turn)
	}
	return true
}

// renew applies a renewal.
func (l *Life) renew(c claim) bool {
	isLater := !l.Until.IsZero() && !c.Until.Before(l.Until.Add(leastRenewal)) && !c.Until.After(c.at.Add(mostRenewal))
	if !c.isMine || !c.endsHolder || !isLater {
		return false
	}
	l.Until = c.Until
	return true
}

// later returns the later end of a lease. Zero is no end.
func later(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return a
	}
	return b
}
