//go:build linux

package faults_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// tellsOrder are the injections that show in which order things come to the disk.
var tellsOrder = regexp.MustCompile(`^(write|pwrite64|fsync|fdatasync|linkat|renameat|renameat2|unlinkat):(signal=KILL|error=EIO):when=\d+$`)

// Sweeps that find nothing must be ones that could: each of these programs is broken in one place, and
// the sweep of a write has to report damage.
func TestSweepFindsDamage(t *testing.T) {
	t.Parallel()
	thorough(t)
	write := scenarios()[1]
	for _, how := range words("row-before-the-body files-before-the-record no-recovery") {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			s := newSweep(t, program{broken(t, how), memory(t)}, write)
			s.quick = true
			s.run(slices.DeleteFunc(injections(s.trace, s.base), func(i string) bool { return !tellsOrder.MatchString(i) }))
			if len(s.damage) == 0 {
				t.Errorf("%d injections into a broken program reported no damage", s.runs.Load())
			} else {
				t.Logf("%d reports of damage in %d injections, as %s", len(s.damage), s.runs.Load(), s.damage[0])
			}
		})
	}
}

// wherever drops syncs of a history: those whose description matches.
func (h history) wherever(pattern string) map[int]bool {
	match, dropped := regexp.MustCompile(pattern), make(map[int]bool)
	for i, s := range h.steps {
		if s.does == isSynced && match.MatchString(s.what) {
			dropped[i] = true
		}
	}
	return dropped
}

// isOneSync is the sync of a change.
const isOneSync = `^sync of project/\.run/journal$`

// Without the one sync of a change, what it acknowledged is lost.
func TestSimulationNeedsTheOneSync(t *testing.T) {
	t.Parallel()
	names := words("write take")
	if thorough(t) {
		names = words("write mark-read take release done archive batch")
	}
	needsRoot(t)
	p := program{build(t), memory(t)}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSimulation(t, p, scenarioOf(name))
			h, _ := s.history(s.base, run{command: s.command})
			dropped := h.wherever(isOneSync)
			if len(dropped) != 1 {
				t.Fatalf("%d syncs of the journal", len(dropped))
			}
			s.expectLoss(h, h, 0, dropped, `does not show|is not shown|is lost|the ledger lacks|is not there`)
		})
	}
}

func scenarioOf(name string) scenario {
	list := scenarios()
	return list[slices.IndexFunc(list, func(sc scenario) bool { return sc.name == name })]
}

// expectLoss wants damage of a kind, and none without the change that the control makes.
func (s *simulation) expectLoss(right, wrong history, from int, dropped map[int]bool, kind string) {
	s.t.Helper()
	found := s.damageWithout(right, wrong, from, dropped, kind)
	if found == "" {
		s.t.Errorf("in %d trees nothing is lost", s.tried.Load())
	}
	s.t.Logf("after %d trees: %.300s", s.tried.Load(), found)
}

// damageWithout describes the first damage of a kind in a cut, after a step, that only the missing or late syncs make possible.
func (s *simulation) damageWithout(right, wrong history, from int, dropped map[int]bool, kind string) string {
	match := regexp.MustCompile(kind)
	var all variety
	all.add(right, from, fileSystems[1], nil, aGlance.combinations)
	whole := len(all.list)
	all.add(wrong, from, fileSystems[1], dropped, aGlance.combinations)
	for _, r := range all.list[whole:] {
		e := ending{remnant: r, isDone: r.isLast, repeat: s.tried.Load()%2 == 0}
		for _, f := range s.one(e) {
			if match.MatchString(f) {
				return fmt.Sprintf("%s: %s", r.what, f)
			}
		}
	}
	return ""
}

// rotating is a write whose successor rotates, and with that makes a checkpoint.
func rotating() scenario {
	sc := scenarioOf("write")
	sc.settings = "index_max_rows: 4\n"
	return sc
}

// twice is what two commands do one after the other: the second makes a checkpoint of what the first did.
func (s *simulation) twice() (h history) {
	h, _ = s.history(s.base, run{command: s.command})
	second, r := s.history(h.now, run{command: s.other})
	if r.code != 0 {
		s.t.Fatalf("%v has exit code %d: %s", s.other, r.code, r.stderr)
	}
	return h.then(len(h.steps), second)
}

// A checkpoint makes the journal forget. What it forgets has to be on the disk before the new journal is in its place.
func TestSimulationNeedsTheSyncsBefore(t *testing.T) {
	t.Parallel()
	thorough(t)
	needsRoot(t)
	s := newSimulation(t, program{build(t), memory(t)}, rotating())
	h := s.twice()
	begin := slices.IndexFunc(h.steps, func(st step) bool {
		return strings.HasSuffix(st.what, "name project/.run/journal") && st.source == "journal.new"
	})
	if begin < 0 {
		t.Fatal("no journal is begun anew")
	}
	// The syncs of all else come after it.
	var before, late []step
	for i, st := range h.steps {
		if st.does == isSynced && i < begin && !strings.Contains(st.what, "journal") && i > len(h.steps)/3 {
			late = append(late, st)
		} else {
			before = append(before, st)
		}
	}
	if len(late) < 3 {
		t.Fatalf("%d syncs come before", len(late))
	}
	at := slices.IndexFunc(before, func(st step) bool { return st.source == "journal.new" }) + 1
	for at < len(before) && before[at].does == isSynced {
		at++ // of the directory, which makes the new journal sure
	}
	wrong := h
	wrong.steps = slices.Concat(before[:at], late, before[at:])
	s.expectLoss(h, wrong, at-1, nil, `does not show|is lost|read of|verify has exit code`)
}

// Without the text of INDEX.md in the checkpoint a torn INDEX.md cannot be put together again.
func TestSimulationNeedsTheText(t *testing.T) {
	t.Parallel()
	thorough(t)
	needsRoot(t)
	sc := scenarioOf("write")
	sc.prepare = append(slices.Clone(sc.prepare), words("doctor --repair")) // the checkpoint has the rows, not the records
	s := newSimulation(t, program{broken(t, "no-text"), memory(t)}, sc)
	h, _ := s.history(s.base, run{command: s.command})
	s.expectLossOf(h, `list does not show|list no longer shows`)
}

// expectLossOf wants damage of a kind in the cuts of a program that is broken.
func (s *simulation) expectLossOf(h history, kind string) {
	s.t.Helper()
	found := s.damageOf(h, kind)
	if found == "" {
		s.t.Errorf("in %d trees nothing is lost", s.tried.Load())
	}
	s.t.Logf("after %d trees: %.300s", s.tried.Load(), found)
}

func (s *simulation) damageOf(h history, kind string) string {
	match := regexp.MustCompile(kind)
	for _, e := range endings(h, 0, aGlance.combinations, ending{isDone: true}) {
		for _, f := range s.one(e) {
			if match.MatchString(f) {
				return fmt.Sprintf("%s: %s", e.what, f)
			}
		}
	}
	return ""
}

// A checkpoint proves what it relies on. Without that, and without the rule that the first change after a start of the system
// recovers, what a cut took is forgotten: only together, since either one finds it.
func TestSimulationNeedsTheProof(t *testing.T) {
	t.Parallel()
	all := thorough(t)
	needsRoot(t)
	for _, how := range [][]string{{"no-boot"}, {"no-proof"}, {"no-boot", "no-proof"}} {
		if len(how) < 2 && !all {
			continue
		}
		t.Run(strings.Join(how, " "), func(t *testing.T) {
			t.Parallel()
			s := newSimulation(t, program{broken(t, how...), memory(t)}, rotating())
			h, _ := s.history(s.base, run{command: s.command})
			var found string
			list := slices.DeleteFunc(endings(h, 0, aGlance.combinations, ending{isDone: true}), func(e ending) bool { return !e.isLast })
			for _, e := range list {
				if found = s.forgets(e); found != "" {
					break
				}
			}
			if (found != "") != (len(how) == 2) {
				t.Errorf("in %d trees: %q", len(list), found)
			}
			t.Logf("%d trees: %.300s", len(list), found)
		})
	}
}

// forgets makes a checkpoint after a cut, and says what is damaged then.
func (s *simulation) forgets(e ending) (found string) {
	var err error
	sited := s.apart(func(site string) {
		if err = errors.Join(e.grow().make(site), s.reboot()); err != nil {
			return
		}
		dir := filepath.Join(site, project)
		if r := s.handoff(dir, s.other...); r.code != 0 {
			found = r.stderr
			return
		}
		now := look(dir)
		for _, f := range append(now.faults, s.missing(now, e)...) {
			found = e.what + ": " + f
		}
	})
	if err = errors.Join(err, sited); err != nil {
		s.t.Error(err)
	}
	return found
}

// A record whose sync has failed is taken back: the next sync says that all is well, and writes nothing of it.
func TestSimulationNeedsTheTakingBack(t *testing.T) {
	t.Parallel()
	thorough(t)
	needsRoot(t)
	for name, bin := range map[string]string{"taken back": build(t), "not taken back": broken(t, "not-taken-back")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSimulation(t, program{bin, memory(t)}, scenarioOf("write"))
			h, _ := s.history(s.base, run{command: s.command})
			list := s.failures(h, portion{combinations: 24, failures: 9, ofEach: 20})
			found := ""
			for _, e := range list {
				if faults := s.one(e); len(faults) > 0 {
					found = e.what + ": " + faults[0]
					break
				}
			}
			if (found != "") != (name == "not taken back") {
				t.Errorf("in %d trees: %q", len(list), found)
			}
			t.Logf("%d trees: %.300s", len(list), found)
		})
	}
}
