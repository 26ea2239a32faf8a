//go:build linux

package faults_test

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
)

// A portion is how much of what there is a simulation does.
type portion struct {
	combinations int // of what may be lost in one cut
	recoveries   int // by another command and by a repeat: both, or one or the other in turn
	kills        int // after which the power is cut while another command recovers
	secondCuts   int // while a command recovers from a cut
	failures     int // syncs that fail before another command
	ofEach       int // what is tried after each of these
	cuts         int // of the command itself
}

var (
	aGlance = portion{combinations: 16, recoveries: 1, kills: 1, secondCuts: 1, failures: 1, ofEach: 4, cuts: 12}
	aSample = portion{combinations: 24, recoveries: 1, kills: 1, secondCuts: 1, failures: 1, ofEach: 4, cuts: 10}
	// there are millions of cuts after a cut: some are drawn, as HANDOFF_SEED says
	everything = portion{combinations: 1024, recoveries: 2, kills: 1e6, secondCuts: 32, failures: 1e6, ofEach: 64, cuts: 1e9}
)

// A flaw is damage that is known, and waits to be mended.
type flaw struct {
	name  string
	signs []sign
}

// A sign tells the damage of a flaw: by the cut, one of the things that it lost, and what is wrong then.
type sign struct {
	cut, lost, found string
	isRare           bool // so that a sample may miss it
	occurred         bool
}

// known has at most two, and each sign must occur. What no longer does goes.
var (
	known   []*flaw
	marking sync.Mutex // of what occurred
)

// isKnown says whether the damage is that of a known flaw.
func isKnown(e ending, faults []string) bool {
	marking.Lock()
	defer marking.Unlock()
	for _, f := range known {
		for i, s := range f.signs {
			lost, found := regexp.MustCompile(s.lost), regexp.MustCompile(s.found)
			if regexp.MustCompile(s.cut).MatchString(e.what) && slices.ContainsFunc(e.lost, lost.MatchString) && slices.ContainsFunc(faults, found.MatchString) {
				f.signs[i].occurred = true
				return true
			}
		}
	}
	return false
}

// few are the scenarios of each run of the tests, and basic those of each run of the sweeps.
var (
	few   = []string{"write"}
	basic = []string{"first write", "write", "mark-read", "take", "checkpoint", "edited index"}
)

// simulated are the scenarios whose power is cut in the model: those of each run, those of a day, or all.
func simulated(all bool) []scenario {
	want := []string{"first write", "write", "batch", "mark-read", "mark-read in an archive", "rotation", "resume", "resume of another", "take", "regenerate", "surface", "torn log", "repair of a lost row", "repair of a broken chain", "trust",
		"release", "done", "archive", "checkpoint", "edited index", "batch of large documents", "write after others were shown"}
	switch os.Getenv("HANDOFF_FAULTS") {
	case "":
		want = few
	case "ci":
		want = slices.Concat(basic, some(want, 1, "cuts"))
	}
	return slices.DeleteFunc(scenarios(), func(sc scenario) bool {
		if all {
			return !sc.canBeModelled()
		}
		return !slices.Contains(want, sc.name)
	})
}

// some are at most n of a list, the same in each run with the same HANDOFF_SEED.
func some[T any](list []T, n int, seed string) []T {
	if n >= len(list) {
		return list
	}
	sum := fnv.New64a()
	sum.Write([]byte(seed + os.Getenv("HANDOFF_SEED")))
	list = slices.Clone(list)
	rand.New(rand.NewPCG(sum.Sum64(), 1)).Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list[:n]
}

// sampled are the first of a list and n more of it, as some draws them, or all of the list where everything is tried.
func sampled[T any](list []T, n int, seed string) []T {
	if os.Getenv("HANDOFF_FAULTS") == "all" {
		return list
	}
	return append(list[:1:1], some(list[1:], n, seed)...)
}

// endings are what cuts of a history leave. The end of the last of its commands promises what is in last.
func endings(h history, from int, most int, last ending) (list []ending) {
	var all variety
	for _, fs := range fileSystems {
		all.add(h, from, fs, nil, most)
	}
	for i, r := range all.list {
		e := ending{remnant: r, repeat: i%2 == 0}
		if r.isLast {
			e.isDone, e.others = last.isDone, last.others
		}
		list = append(list, e)
	}
	return list
}

// then is what a second command did after the first n steps of the history, which a kill ended.
func (h history) then(n int, second history) history {
	both := history{base: h.base, born: make(map[*node]content), now: second.now}
	for _, made := range []map[*node]content{h.born, second.born} {
		for n, c := range made {
			both.born[n] = c
		}
	}
	both.steps = slices.Concat(h.steps[:n], second.steps)
	if n > 0 {
		both.steps[n-1].ends = true
	}
	return both
}

// recovery is what the command that recovers a tree does, and what it promises at its end.
func (s *simulation) recovery(t tree, from remnant) (history, ending) {
	h, r := s.history(t, run{command: s.other, isReboot: from.grow != nil})
	if r.code != 0 && !s.isDone(r) && !isKnown(ending{remnant: from}, []string{r.stderr}) {
		s.t.Errorf("%s: then %v has exit code %d: %s", from.what, s.other, r.code, r.stderr)
	}
	if s.refuses {
		return h, ending{isDone: true}
	}
	return h, ending{others: []string{"e"}}
}

// all are the endings of the scenario: of cuts, of cuts during the recovery from a kill, of cuts during the recovery from a cut.
func (s *simulation) all(h history, p portion) []ending {
	list := some(endings(h, 0, p.combinations, ending{isDone: true}), p.cuts, s.name)
	var kills []int
	for n := 1; n < len(h.steps); n++ {
		if h.steps[n-1].ends && h.steps[n-1].does != isSynced {
			kills = append(kills, n)
		}
	}
	for _, e := range list[:len(list)*(p.recoveries-1)] {
		e.repeat = !e.repeat
		list = append(list, e)
	}
	first := slices.DeleteFunc(slices.Clone(list), func(e ending) bool { return e.isLast })
	for _, n := range some(kills, p.kills, s.name) {
		second, last := s.recovery(h.until(n), remnant{what: "killed after " + h.steps[n-1].what})
		more := endings(h.then(n, second), n+1, p.combinations, last)
		for i := range more {
			more[i].what += ", where a command was killed after " + h.steps[n-1].what
		}
		list = append(list, some(more, p.ofEach, s.name)...)
	}
	list = append(list, s.failures(h, p)...)
	for _, e := range some(first, p.secondCuts, s.name) {
		second, last := s.recovery(e.grow(), e.remnant)
		more := endings(second, 1, p.combinations, last)
		for i := range more {
			more[i].what = e.what + ", and then " + more[i].what
			more[i].lost = slices.Concat(e.lost, more[i].lost)
			more[i].isWeak = more[i].isWeak || e.isWeak
		}
		list = append(list, some(more, p.ofEach, s.name)...)
	}
	return list
}

// failures are the endings of cuts while a command recovers from another whose sync has failed: what it was to write is
// forgotten, and the memory of the system shows it.
func (s *simulation) failures(h history, p portion) (list []ending) {
	var syncs []string
	counts := make(map[string]int)
	for _, st := range h.steps {
		if st.does == isSynced {
			name := map[bool]string{true: "fdatasync", false: "fsync"}[st.isBare]
			counts[name]++
			syncs = append(syncs, fmt.Sprintf("%s:error=EIO:when=%d", name, counts[name]))
		}
	}
	for _, inject := range some(syncs, p.failures, s.name) {
		failed, r := s.history(s.base, run{command: s.command, inject: inject})
		if r.code == 0 {
			continue // where the sync of a directory fails that matters to nobody
		}
		second, last := s.recovery(failed.now, remnant{what: "after " + inject})
		more := endings(failed.then(len(failed.steps), second), len(failed.steps)+1, p.combinations, last)
		for i := range more {
			more[i].what += ", after " + inject
		}
		list = append(list, some(more, 2*p.ofEach, s.name+inject)...)
	}
	return list
}

// try looks at the endings and reports damage that is not known.
func (s *simulation) try(list []ending) (flawed int) {
	todo := make(chan ending)
	var workers sync.WaitGroup
	for range 2 {
		workers.Go(func() {
			for e := range todo {
				faults := s.one(e)
				s.mu.Lock()
				if len(faults) > 0 && !isKnown(e, faults) {
					s.t.Errorf("%s: %s: %q", s.name, e.what, faults)
				} else if len(faults) > 0 {
					flawed++
				}
				s.mu.Unlock()
			}
		})
	}
	for _, e := range list {
		todo <- e
	}
	close(todo)
	workers.Wait()
	return flawed
}

// Whatever file systems may lose of what was not synced, wherever the power is cut: what was done is there, each change
// is there or not, and the next command goes on.
func TestSimulatedCuts(t *testing.T) {
	t.Parallel()
	needs(t, "strace")
	needsRoot(t)
	p, whole := map[string]portion{"": aGlance, "ci": aSample, "all": everything}[os.Getenv("HANDOFF_FAULTS")], os.Getenv("HANDOFF_FAULTS") == "all"
	bin := program{build(t), memory(t)}
	var sum atomic.Int64
	t.Cleanup(func() {
		t.Logf("%d trees in all", sum.Load())
		for _, f := range known {
			for _, s := range f.signs {
				if !s.occurred && (whole || !s.isRare) {
					t.Errorf("%s: lost %s no longer leads to %s, take it out of what is known", f.name, s.lost, s.found)
				}
			}
		}
	})
	for _, sc := range simulated(whole) {
		t.Run(sc.name, func(t *testing.T) {
			t.Parallel()
			s := newSimulation(t, bin, sc)
			h, r := s.history(s.base, run{command: sc.command})
			if r.code != 0 {
				t.Fatalf("exit code %d: %s", r.code, r.stderr)
			}
			list := s.all(h, p)
			flawed := s.try(list)
			t.Logf("%d steps, %d trees, %d with known flaws", len(h.steps), len(list), flawed)
			sum.Add(int64(len(list)))
		})
	}
}

// A repair may be killed between a rename and the sync that makes it sure, and the power be cut while it is done again,
// where nothing orders names: what the killed one had not synced is lost then, or kept, beside what the other one did.
func TestRepairKilledAtARename(t *testing.T) {
	t.Parallel()
	most := aSample.ofEach
	if thorough(t) {
		most = 256
	}
	needsRoot(t)
	bin, weak, sum := program{build(t), memory(t)}, fileSystems[1], 0
	repairs := slices.DeleteFunc(scenarios(), func(sc scenario) bool { return sc.command[0] != "doctor" || !sc.canBeModelled() })
	for _, sc := range sampled(repairs, len(repairs)/3, "killed repairs") {
		t.Run(sc.name, func(t *testing.T) {
			s := newSimulation(t, bin, sc)
			h, _ := s.history(s.base, run{command: sc.command})
			var list []ending
			for n := 1; n < len(h.steps); n++ {
				if h.steps[n-1].source == "" || !h.steps[n-1].ends {
					continue
				}
				second, r := s.history(h.until(n), run{command: sc.command})
				if r.code != 0 {
					t.Errorf("killed after %s, it has exit code %d then: %s", h.steps[n-1].what, r.code, r.stderr)
				}
				var all variety
				all.add(h.then(n, second), n+1, weak, nil, aSample.combinations)
				for i, left := range some(all.list, most, sc.name) {
					left.what += ", where a repair was killed after " + h.steps[n-1].what
					list = append(list, ending{remnant: left, isDone: left.isLast, repeat: i%2 == 0, mended: true})
				}
			}
			s.try(list)
			t.Logf("%d trees", len(list))
			sum += len(list)
		})
	}
	if sum < 30 {
		t.Errorf("only %d trees", sum)
	}
}
