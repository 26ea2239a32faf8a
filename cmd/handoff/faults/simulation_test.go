//go:build linux

package faults_test

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A simulation cuts the power in a model, and looks at what the program makes of what is left.
type simulation struct {
	*sweep
	base tree // before the command
	doer site // gives the commands; that of the sweep, or one of another program, looks at what is left
}

func newSimulation(t *testing.T, bin string, sc scenario) *simulation {
	t.Helper()
	needs(t, "strace")
	s := &simulation{sweep: newSweep(t, bin, sc)}
	s.doer = s.site
	var err error
	if s.base, err = readTree(s.root); err != nil {
		t.Fatal(err)
	}
	return s
}

// history gives a command on a tree and returns what it did.
func (s *simulation) history(on tree, command []string) history {
	s.t.Helper()
	if err := on.make(s.root); err != nil {
		s.t.Fatal(err)
	}
	calls, r, err := s.doer.record(s.dir, command...)
	if err == nil && r.code != 0 {
		err = errors.New(r.stderr)
	}
	var h history
	if err == nil {
		h, err = on.replay(s.root, calls)
	}
	if err == nil {
		err = h.isLike(s.root)
	}
	if err != nil {
		s.t.Fatalf("%v: %v", command, err)
	}
	return h
}

// one makes the tree of a remnant, and says what is wrong with what the program makes of it: before another command,
// after one, and after the command of the scenario is given again.
func (s *simulation) one(r remnant, isOther bool) (faults []string) {
	if err := r.grow().make(s.root); err != nil {
		s.t.Fatal(err)
	}
	code := -1
	if r.isLast {
		code = 0
	}
	check := func(when string, now *view) {
		now.rows, now.read = now.stored, now.marks // the table may lag behind
		for _, f := range s.after(now, result{code: code}) {
			faults = append(faults, when+f)
		}
	}
	now := look(s.dir)
	check("", now)
	if s.isNew("cut", now) || len(faults) > 0 {
		faults = append(faults, s.readers(now)...)
	}
	if isOther {
		if other := s.run("write", "e.md"); other.code != 0 {
			return append(faults, fmt.Sprintf("another write has exit code %d: %s", other.code, other.stderr))
		}
		check("after another write: ", look(s.dir))
	}
	again := s.repeat(result{code: code})
	if !isOther { // nothing may have changed, and the table lags behind until something does
		again = slices.DeleteFunc(again, func(f string) bool { return strings.Contains(f, "INDEX.md") })
	}
	return append(faults, again...)
}

// try looks at remnants, or at some of them, and returns the first damage.
func (s *simulation) try(list []remnant, most int) (found string, tried int) {
	for i, r := range some(list, most, s.name) {
		if faults := s.one(r, i%2 == 0); len(faults) > 0 {
			return fmt.Sprintf("%s: %q", r.what, faults), i + 1
		}
		tried++
	}
	return "", tried
}

// A portion is how much of what there is a simulation does.
type portion struct{ combinations, cuts, kills, ofEach int }

func portionOf() portion {
	return map[string]portion{"": {16, 20, 1, 6}, "ci": {24, 60, 3, 12}, "all": {256, 1e6, 1e6, 400}}[mode()]
}

// simulated are the scenarios whose power is cut in the model.
func simulated() []scenario {
	list := slices.DeleteFunc(scenarios(), func(sc scenario) bool { return sc.isRepair })
	if mode() == "" {
		return []scenario{scenarioOf("first write"), scenarioOf("batch")}
	}
	return list
}

// Whatever file systems may lose of what was not synced, wherever the power is cut: what was acknowledged is there,
// each change is there or not, and commands go on. That holds too for cuts of a command that comes after a killed one.
func TestSimulatedCuts(t *testing.T) {
	t.Parallel()
	bin, p := build(t, ""), portionOf()
	for _, sc := range simulated() {
		t.Run(sc.name, func(t *testing.T) {
			t.Parallel()
			s := newSimulation(t, bin, sc)
			h := s.history(s.base, sc.command)
			found, sum := s.try(h.remnants(0, nil, p.combinations), p.cuts)
			if found != "" {
				t.Error(found)
			}
			for _, n := range some(h.kills(), p.kills, sc.name) {
				found, tried := s.try(s.afterKill(h, n).remnants(n+1, nil, p.combinations), p.ofEach)
				if sum += tried; found != "" {
					t.Errorf("killed after %s, then %s", h.steps[n-1].what, found)
				}
			}
			t.Logf("%d steps, %d trees", len(h.steps), sum)
		})
	}
}

// kills are the numbers of steps after which a kill leaves something else than before.
func (h history) kills() (list []int) {
	for n := 1; n < len(h.steps); n++ {
		if h.steps[n-1].ends && h.steps[n-1].does != isSynced {
			list = append(list, n)
		}
	}
	return list
}

// appended is the number of the step that appends to the log.
func (h history) appended() int {
	return 1 + slices.IndexFunc(h.steps, func(s step) bool {
		return strings.HasPrefix(s.what, "content of project/.run/handoff-events")
	})
}

// afterKill is what the same command does after a kill behind step n.
func (s *simulation) afterKill(h history, n int) history {
	return h.then(n, s.history(h.until(n), s.command))
}

// without drops the syncs of a history from a step on whose description matches.
func (h history) without(from int, pattern string) map[int]bool {
	match, dropped := regexp.MustCompile(pattern), map[int]bool{}
	for i, s := range h.steps {
		if i >= from && s.does == isSynced && match.MatchString(s.what) {
			dropped[i] = true
		}
	}
	return dropped
}

// Each sync is needed: without it, something that was acknowledged is lost, or an event is there without its document.
func TestSimulationNeedsEachSync(t *testing.T) {
	t.Parallel()
	bin := build(t, "")
	for _, c := range []struct{ name, scenario, sync string }{
		{"of the body", "write", `^sync of project/handoffs/20`},
		{"of the directory", "write", `^sync of project/handoffs$`},
		{"of the log", "write", `^sync of project/\.run/handoff-events`},
		{"of the log, of a mark", "mark-read", `^sync of project/\.run/handoff-events`},
		{"of the state directory", "first write", `^sync of project/\.run$`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newSimulation(t, bin, scenarioOf(c.scenario))
			h := s.history(s.base, s.command)
			s.expect(h.remnants(0, h.without(0, c.sync), 64))
		})
	}
	t.Run("before existing", func(t *testing.T) { // the first one is killed before its sync, the second finds its lines
		t.Parallel()
		s := newSimulation(t, bin, scenarioOf("write"))
		h := s.history(s.base, s.command)
		n := h.appended()
		again := s.afterKill(h, n)
		s.expect(again.remnants(n+1, again.without(n, `^sync of project/\.run/handoff-events`), 64))
	})
}

// expect wants damage.
func (s *simulation) expect(list []remnant) {
	s.t.Helper()
	found, tried := s.try(list, len(list))
	if found == "" {
		s.t.Errorf("in %d trees nothing is lost", tried)
	}
	s.t.Logf("after %d trees: %.300s", tried, found)
}
