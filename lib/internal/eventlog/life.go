package eventlog

import (
	"cmp"
	"slices"
)

// A Life is what the ledger records about a handoff. It does not depend on the order of the lines.
//
// A handoff is taken in turns. An operator takes it, and then releases it, which starts the next turn, or
// finishes it. Only the holder can release or finish it, and such lines of others do not count. Others can revoke
// the take, for example because its lease is over; the number of the turn therefore fences off a former holder.
// Who may revoke is judged before the line is added. Lines about a turn that has not begun do not count: clones
// that have not synced write such lines, and the notes decide which of them count. The operator who finished a
// turn, or the sender of the handoff, can reopen it. Then it counts as released.
type Life struct {
	Take, Archive Toggle
	Done          Action // who finished it, zero if no one

	turns   []turn // in order
	renewed []Action
	resumed Action // the first resume; it is the take if the handoff was never taken
}

// A turn is what the lines record about one take of a handoff.
type turn struct {
	n        int
	take     Action // zero if unknown
	lost     Action // the take of this clone, if a note says that another counts
	end      Action
	act      Act    // the act that ended the turn
	revoked  Action // who ended the take of another
	reopened Action // who reopened a done; it counts if the same operator finished it
	resent   Action // a reopening of a done by the sender
	isWon    bool   // a note decides who holds it
	isJudged bool   // a note decides how it ended
}

// A Toggle counts how often an act was performed and undone: take and release, archive and unarchive.
type Toggle struct {
	last Action // the first action with the highest number
	at   int    // its number
	N    int    // how often it was undone, which is the number of the next or present action
}

// Holds returns the last action, or the zero Action if it was undone.
func (t Toggle) Holds() Action {
	if t.at < t.N {
		return Action{}
	}
	return t.last
}

// add adds the n-th action of a kind.
func (t *Toggle) add(n int, d Action) {
	if !t.last.IsDone() || n > t.at {
		t.last, t.at = d, n
	}
}

// undo records that the n-th action was undone.
func (t *Toggle) undo(n int) { t.N = max(t.N, n+1) }

// Add adds a line of the ledger.
func (l *Life) Add(key string, d Action) {
	switch _, act, n, _ := ParseKey(key); act {
	case ActArchive:
		l.Archive.add(n, d)
	case ActUnarchive:
		l.Archive.undo(n)
	case ActTake, ActYield:
		switch t := l.turn(n); {
		case act == ActYield && !t.isWon:
			t.take, t.lost, t.isWon = d, t.take, true
		case act == ActYield || !t.isWon:
			t.take = d
		default:
			t.lost = d
		}
		l.follow()
	case ActRelease, ActFree:
		l.turn(n).close(ActRelease, d, act == ActFree)
		l.follow()
	case ActDone, ActSettle:
		l.turn(n).close(ActDone, d, act == ActSettle)
		l.follow()
	case ActRevoke:
		l.turn(n).revoked = d
		l.follow()
	case ActRenew:
		l.renewed = append(l.renewed, d)
		l.follow()
	case ActReopen:
		l.turn(n).reopened = d
		l.follow()
	case ActResend:
		l.turn(n).resent = d
		l.follow()
	case "":
		l.resumed = cmp.Or(l.resumed, d)
		l.follow()
	}
}

// turn returns the n-th turn.
func (l *Life) turn(n int) *turn {
	i, has := slices.BinarySearchFunc(l.turns, n, func(t turn, n int) int { return cmp.Compare(t.n, n) })
	if !has {
		l.turns = slices.Insert(l.turns, i, turn{n: n})
	}
	return &l.turns[i]
}

// close records how a turn ended. A note counts more than a line. Of two lines the release counts.
func (t *turn) close(act Act, d Action, isJudged bool) {
	isSame := isJudged == t.isJudged
	if t.act == "" || isJudged && !t.isJudged || isSame && isJudged == (act == ActDone) {
		t.end, t.act, t.isJudged = d, act, isJudged
	}
}

// Had returns all takes and ends of the handoff, oldest turn first. A resume comes before them.
func (l *Life) Had() (all []Action) {
	all = append(all, l.resumed)
	for _, t := range l.turns {
		all = append(all, t.take, t.lost)
		if t.act == ActDone {
			all = append(all, t.end)
		}
	}
	return slices.DeleteFunc(all, func(d Action) bool { return !d.IsDone() })
}

// ending returns who ended a turn, and how. A note counts more than a line, and a revoke more than other lines.
func (t turn) ending() (by Action, act Act, isRevoked bool) {
	isRevoked = t.revoked.IsDone() && (!t.isJudged || t.act == ActRelease && t.end == t.revoked)
	if isRevoked {
		return t.revoked, ActRelease, true
	}
	return t.end, t.act, false
}

// RevokedBy returns the action that ended the last take of an operator and session: a revoke, or an earlier take in
// another clone. The session must then take the handoff again before it can finish it. RevokedBy returns the zero
// Action if no action ended the take, or if the session holds the handoff again.
func (l *Life) RevokedBy(operator, session string) (by Action) {
	if l.Take.Holds().IsBy(operator, session) {
		return by
	}
	for _, t := range l.turns[:min(l.Take.N+1, len(l.turns))] {
		switch end, _, isRevoked := t.ending(); {
		case t.lost.IsBy(operator, session):
			by = t.take
		case !t.take.IsBy(operator, session):
		case isRevoked:
			by = end
		default:
			by = Action{}
		}
	}
	return by
}

// isEndedBy reports whether a release, a revoke or a done ended the turn.
func (t turn) isEndedBy(act Act, d Action) bool {
	end, how, isRevoked := t.ending()
	if act == ActRevoke {
		return isRevoked && end == d
	}
	return !isRevoked && how == act && end == d
}

func (t turn) isReopened() bool {
	return t.resent.IsDone() || t.reopened.IsDone() && t.reopened.Operator == t.end.Operator
}

// follow applies the turns in order, as long as each began with the release of the one before.
func (l *Life) follow() {
	l.Take, l.Done = Toggle{last: l.resumed}, Action{}
	for n, t := range l.turns {
		if n == 0 {
			t.take = cmp.Or(t.take, l.resumed)
		}
		end, act, isRevoked := t.ending()
		isOthers := t.take.IsDone() && t.take.Operator != end.Operator && !isRevoked
		switch {
		case t.n != n:
			return
		case act == ActDone && !isOthers && t.isReopened():
		case act == ActDone && !isOthers:
			l.Take, l.Done = Toggle{t.take, n, n}, end
			return
		case act != ActRelease || isOthers || !t.take.IsDone():
			l.Take = Toggle{l.lease(t.take), n, n}
			return
		}
		l.Take = Toggle{N: n + 1}
	}
}

// lease returns a take with the end of its lease after renewals.
func (l *Life) lease(take Action) Action {
	if take.Until == "" {
		return take
	}
	for _, d := range l.renewed {
		if d.IsBy(take.Operator, take.Session) && d.Time >= take.Time && d.Until > take.Until {
			take.Until = d.Until
		}
	}
	return take
}

// Counts reports whether a line counts. A resume counts if its operator had a turn, or there was no turn.
func (l *Life) Counts(key string, d Action) bool {
	_, act, n, isAct := ParseKey(key)
	if !isAct && len(l.turns) == 0 {
		return true
	}
	for i, t := range l.turns {
		isOver := i < l.Take.N || l.Done.IsDone()
		switch {
		case i > l.Take.N || t.n != i:
			return false
		case !isAct && t.take.Operator == d.Operator:
			return true
		case isAct && n == i && act == ActTake:
			return t.take == d
		case isAct && n == i && act.Reopens():
			return t.act == ActDone && t.isReopened() && (t.reopened == d || t.resent == d)
		case isAct && n == i:
			return isOver && t.isEndedBy(act, d)
		}
	}
	return false
}
