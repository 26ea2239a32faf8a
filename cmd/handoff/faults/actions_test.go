//go:build linux

package faults_test

import (
	"cmp"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
)

// The actions are what the takes, releases and dones of many processes were told, and when.
type actions struct {
	mu   sync.Mutex
	acts []porcupine.Operation
}

// An act is what a command asks for.
type act struct{ what, topic, by string }

// A hold is what is true of a handoff at a moment.
type hold struct {
	holder string
	isDone bool
}

// addCommand adds a command with --operator that ended with an exit code. If nobody knows what came of it, it can take
// effect at any later time: the remote may still work on what a killed command has sent.
func (l *actions) addCommand(args []string, began time.Time, code int) {
	end, by := time.Now().UnixNano(), slices.Index(args, "--operator")
	if by < 0 {
		return
	}
	if code != 0 && code != 11 {
		end = math.MaxInt64
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.acts = append(l.acts, porcupine.Operation{Input: act{args[0], args[1], args[by+1]}, Call: began.UnixNano(),
		Output: code, Return: end})
}

// turns is what one handoff allows: it has one holder, who alone gives it back or finishes it.
var turns = porcupine.NondeterministicModel{
	Partition: func(all []porcupine.Operation) (parts [][]porcupine.Operation) {
		topic := func(o porcupine.Operation) string { return o.Input.(act).topic }
		slices.SortStableFunc(all, func(a, b porcupine.Operation) int { return cmp.Compare(topic(a), topic(b)) })
		for len(all) > 0 {
			n := slices.IndexFunc(all, func(o porcupine.Operation) bool { return topic(o) != topic(all[0]) })
			if n < 0 {
				n = len(all)
			}
			parts, all = append(parts, all[:n]), all[n:]
		}
		return parts
	},
	Init: func() []any { return []any{hold{}} },
	Step: func(state, in, out any) []any {
		now, a := state.(hold), in.(act)
		next, can := now, now.holder == a.by || now.holder == "" && !now.isDone
		switch a.what {
		case "take":
			can, next.holder = can && !now.isDone, a.by
		case "release":
			can, next.holder = can && !now.isDone, ""
		case "done":
			next = hold{a.by, true}
		}
		switch {
		case out == 0 && can:
			return []any{next}
		case out == 0, out == 11 && can:
			return nil
		case out == 11, !can:
			return []any{now}
		}
		return []any{now, next}
	},
}

// check fails unless all commands could have been given one after the other, each between its begin and its end.
func (l *actions) check(t *testing.T) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	switch porcupine.CheckOperationsTimeout(turns.ToModel(), l.acts, time.Minute) {
	case porcupine.Illegal:
		for _, o := range l.acts {
			t.Logf("%d to %d: %+v: %v", o.Call, o.Return, o.Input, o.Output)
		}
		t.Errorf("no order of these %d commands explains what they were told", len(l.acts))
	case porcupine.Unknown:
		t.Logf("the order of %d commands was not found in a minute", len(l.acts))
	}
}

// Actions by which two hold the same handoff are found.
func TestNoOrderHasTwoHolders(t *testing.T) {
	at := func(n int64, a act, code int) porcupine.Operation {
		return porcupine.Operation{Input: a, Call: n, Return: n + 2, Output: code}
	}
	for _, test := range []struct {
		acts []porcupine.Operation
		want bool
	}{
		{[]porcupine.Operation{at(1, act{"take", "a", "ann"}, 0), at(2, act{"take", "a", "ben"}, 11)}, true},
		{[]porcupine.Operation{at(1, act{"take", "a", "ann"}, 0), at(2, act{"take", "a", "ben"}, 0)}, false},
		{[]porcupine.Operation{at(1, act{"take", "a", "ann"}, -1), at(2, act{"take", "a", "ben"}, 0)}, true},
		{[]porcupine.Operation{at(1, act{"take", "a", "ann"}, 0), at(4, act{"release", "a", "ann"}, 0),
			at(7, act{"take", "a", "ben"}, 0), at(10, act{"done", "a", "ann"}, 0)}, false},
		{[]porcupine.Operation{at(1, act{"take", "a", "ann"}, 0), at(4, act{"done", "a", "ann"}, 0),
			at(7, act{"take", "a", "ben"}, 0)}, false},
		{[]porcupine.Operation{at(1, act{"take", "a", "ann"}, 11)}, false},
	} {
		if got := porcupine.CheckOperations(turns.ToModel(), test.acts); got != test.want {
			t.Errorf("%+v: %v, want %v", test.acts, got, test.want)
		}
	}
}
