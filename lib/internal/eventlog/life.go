package eventlog

import (
	"cmp"
	"slices"
)

// A Life is what the ledger says became of a handoff. It is the same in whatever order the lines come.
//
// A handoff is taken in turns: somebody takes it, and either gives it back, with which the next turn begins, or
// ends it. Only the holder of a turn ends it. A line by somebody else does not count. Nor does a line about a
// turn that has not begun: two clones that do not hear of each other write such lines, and the notes tell what
// counts of them. Who ends a turn with done may reopen it, and so may the sender of
// the handoff: then it counts as given back.
type Life struct {
	Take, Archive Turns
	Done          Deed // by whom it was ended, zero if by nobody

	turns   []turn // in order
	resumed Deed   // the first resume: of a handoff that nobody had taken it is the take
}

// A turn is what the lines say of one of the takes of a handoff.
type turn struct {
	n        int
	take     Deed // zero for nobody's
	end      Deed
	act      Act  // with which it was ended
	reopened Deed // of a done: by whom it was taken back; it counts if that is who has ended it
	resent   Deed // of a done: that the sender has taken it back
	isWon    bool // a note says whose it is
	isJudged bool // a note says how it was ended
}

// Turns count how often an act was done and taken back: take and release, archive and unarchive.
type Turns struct {
	last Deed // the first act of the highest number
	at   int  // which one that is
	N    int  // how often it was taken back: the number of the next first act, or of that which holds
}

// Holds returns the first act, if it was not taken back.
func (t Turns) Holds() Deed {
	if t.at < t.N {
		return Deed{}
	}
	return t.last
}

// add takes in the n-th deed of a kind.
func (t *Turns) add(n int, d Deed) {
	if !t.last.IsDone() || n > t.at {
		t.last, t.at = d, n
	}
}

// undo takes in that the n-th turn is over.
func (t *Turns) undo(n int) { t.N = max(t.N, n+1) }

// Add takes in a line of the ledger.
func (l *Life) Add(key string, d Deed) {
	switch _, act, n, _ := ParseKey(key); act {
	case ActArchive:
		l.Archive.add(n, d)
	case ActUnarchive:
		l.Archive.undo(n)
	case ActTake, ActYield:
		if t := l.turn(n); act == ActYield || !t.isWon {
			t.take, t.isWon = d, act == ActYield
		}
		l.follow()
	case ActRelease, ActFree:
		l.turn(n).close(ActRelease, d, act == ActFree)
		l.follow()
	case ActDone, ActSettle:
		l.turn(n).close(ActDone, d, act == ActSettle)
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

// close takes in how a turn was ended. A note counts more than a line; of two lines it is the release.
func (t *turn) close(act Act, d Deed, isJudged bool) {
	isSame := isJudged == t.isJudged
	if t.act == "" || isJudged && !t.isJudged || isSame && isJudged == (act == ActDone) {
		t.end, t.act, t.isJudged = d, act, isJudged
	}
}

// EndedBy returns who has ended the n-th turn with done, zero for nobody.
func (l *Life) EndedBy(n int) Deed {
	for _, t := range l.turns {
		if t.n == n && t.act == ActDone {
			return t.end
		}
	}
	return Deed{}
}

func (t turn) isReopened() bool {
	return t.resent.IsDone() || t.reopened.IsDone() && t.reopened.Operator == t.end.Operator
}

// follow goes through the turns, as far as each began when the one before was given back.
func (l *Life) follow() {
	l.Take, l.Done = Turns{last: l.resumed}, Deed{}
	for n, t := range l.turns {
		if n == 0 {
			t.take = cmp.Or(t.take, l.resumed)
		}
		isOthers := t.take.IsDone() && t.take.Operator != t.end.Operator
		switch {
		case t.n != n:
			return
		case t.act == ActDone && !isOthers && t.isReopened():
		case t.act == ActDone && !isOthers:
			l.Take, l.Done = Turns{t.take, n, n}, t.end
			return
		case t.act != ActRelease || isOthers || !t.take.IsDone():
			l.Take = Turns{t.take, n, n}
			return
		}
		l.Take = Turns{N: n + 1}
	}
}

// Counts reports whether a line counts. A resume does if who resumes has had a turn, or nobody has.
func (l *Life) Counts(key string, d Deed) bool {
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
			return isOver && t.act == act && t.end == d
		}
	}
	return false
}
