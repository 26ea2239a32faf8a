//go:build linux

package faults_test

import (
	"fmt"
	"hash/maphash"
	"slices"
	"strings"

	"github.com/anishathalye/porcupine"
)

// A shell is an operator in a session; a person has none.
type shell struct{ operator, session string }

// A request is a command about one handoff. From and to are when it was called and when it ended, in seconds by the
// clock: the end of time if nobody knows.
type request struct {
	id, act  string // the act: take, steal, done, release, undo, list
	by       shell
	lasts    int64 // the lease of a take in seconds, 0 for none
	from, to int64
}

// An answer is what a command said.
type answer struct {
	how    string // changed, existing, refused, unknown, or the state that a list shows
	until  int64  // the end of the lease
	turns  string // the numbers that the ledger may have for it, as "0,3,": any if empty
	holder shell  // who stands in the way; the zero shell if it was not said
	isDone bool
}

// A held is the life of a handoff, as [answer]s tell it. It has no pointers: states are compared.
type held struct {
	turn       int
	by         shell // who has taken it; the zero shell if nobody has
	soon, late int64 // when the lease ends, at the earliest and at the latest; 0 for no lease
	done       string
	fenced     string // shells whose take was ended by others, and who did not take it again
}

const never = int64(1) << 40

func (s shell) String() string { return s.operator + "/" + s.session }

func plus(set string, what string) string {
	list := append(strings.Fields(set), what)
	slices.Sort(list)
	return strings.Join(slices.Compact(list), " ")
}

func minus(set string, what string) string {
	return strings.Join(slices.DeleteFunc(strings.Fields(set), func(s string) bool { return s == what }), " ")
}

// An option is something that a command may do: its answer, and the life that follows.
type option struct {
	how  string
	turn int // in the ledger
	next held
}

// options are what a request may do. There are two if nobody can tell whether a lease is over.
func options(h held, r request) []option {
	same, refused, isFree := option{"existing", -1, h}, option{"refused", -1, h}, h.by == shell{}
	isFenced := slices.Contains(strings.Fields(h.fenced), r.by.String()) && h.by != r.by
	switch r.act {
	case "take", "steal":
		switch {
		case h.done != "":
			return []option{refused}
		case isFree:
			return []option{{"changed", h.turn, h.take(r)}}
		case h.by == r.by:
			return []option{same}
		}
		return takeOver(h, r)
	case "done":
		isTheirs := h.by.operator == r.by.operator && (h.by.session == "" || h.by.session == r.by.session)
		switch {
		case isFenced, h.done != "" && h.done != r.by.operator, h.done == "" && !isFree && !isTheirs:
			return []option{refused}
		case h.done != "":
			return []option{same}
		}
		next := h
		next.done = r.by.operator
		return []option{{"changed", h.turn, next}}
	case "release":
		switch {
		case h.done != "":
			return []option{refused}
		case !isFree && r.by.operator == "ann" && h.by.operator != "ann":
			return []option{{"changed", h.turn, h.revoked()}}
		case isFenced, !isFree && h.by.operator != r.by.operator:
			return []option{refused}
		case isFree:
			return []option{same}
		}
		return []option{{"changed", h.turn, h.free()}}
	case "undo":
		if h.done == "" {
			return []option{same}
		}
		return []option{{"changed", h.turn, h.free()}}
	}
	how := "open"
	if h.done != "" {
		how = "done"
	} else if !isFree {
		how = "taken"
	}
	return []option{{how, -1, h}}
}

// takeOver is what becomes of a take of what another shell has.
func takeOver(h held, r request) (all []option) {
	if r.act == "steal" || h.late != 0 && r.to >= h.soon {
		next := h.revoked()
		all = append(all, option{"changed", next.turn, next.take(r)})
	}
	if r.act == "take" && (h.late == 0 || r.from < h.late) {
		all = append(all, option{"refused", -1, h})
	}
	return all
}

// take begins a turn. When its lease ends is known from its answer.
func (h held) take(r request) held {
	h.by, h.fenced, h.soon, h.late = r.by, minus(h.fenced, r.by.String()), 0, 0
	if r.lasts > 0 {
		h.soon, h.late = r.from+r.lasts, min(r.to, never)+r.lasts
	}
	return h
}

func (h held) free() held {
	h.turn++
	h.by, h.done, h.soon, h.late = shell{}, "", 0, 0
	return h
}

func (h held) revoked() held {
	fenced := plus(h.fenced, h.by.String())
	h = h.free()
	h.fenced = fenced
	return h
}

// follow returns the lives that may follow after an answer, none if it cannot be.
func follow(h held, r request, a answer) (next []any) {
	if a.how == "unknown" {
		next = append(next, h)
	}
	for _, o := range options(h, r) {
		switch {
		case a.how == "unknown" && o.how == "changed":
			next = append(next, o.next)
		case a.how != o.how:
		case a.how == "refused" && a.holder != (shell{}) && !h.isInTheWay(a):
		case a.how == "changed" && a.turns != "" && !strings.Contains(","+a.turns, fmt.Sprintf(",%d,", o.turn)):
		case a.how == "changed" && a.until != 0 && (r.act == "take" || r.act == "steal"):
			o.next.soon, o.next.late = a.until, a.until
			next = append(next, o.next)
		case a.how == "existing" && a.until != 0 && (a.until < h.soon || a.until > h.late):
		default:
			next = append(next, o.next)
		}
	}
	return next
}

// isInTheWay reports whether an answer names who has the handoff, or who has finished it.
func (h held) isInTheWay(a answer) bool {
	if h.done != "" {
		return a.isDone && a.holder.operator == h.done
	}
	return !a.isDone && a.holder == h.by
}

// check compares a history with the model.
func check(history []porcupine.Operation) (porcupine.CheckResult, porcupine.LinearizationInfo) {
	seed := maphash.MakeSeed()
	model := porcupine.NondeterministicModel{
		Partition: func(all []porcupine.Operation) [][]porcupine.Operation {
			of := make(map[string][]porcupine.Operation)
			var parts [][]porcupine.Operation
			for _, op := range all {
				id := op.Input.(request).id
				of[id] = append(of[id], op)
			}
			for _, part := range of {
				parts = append(parts, part)
			}
			return parts
		},
		Init: func() []any { return []any{held{}} },
		Step: func(h, in, out any) []any { return follow(h.(held), in.(request), out.(answer)) },
		Hash: func(h any) uint64 { return maphash.Comparable(seed, h.(held)) },
	}
	return porcupine.CheckOperationsVerbose(model.ToModel(), history, checkTime)
}
