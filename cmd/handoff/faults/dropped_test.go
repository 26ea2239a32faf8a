//go:build linux

package faults_test

import (
	"fmt"
	"regexp"
	"slices"
	"testing"
)

// A spare is a sync without which no cut in a model shows damage.
type spare struct {
	scenario, model, sync *regexp.Regexp
	why                   string
	together              bool // without any of those that are so there is damage
	occurred              bool
}

func sparing(scenario, model, sync, why string) *spare {
	return &spare{scenario: regexp.MustCompile(scenario), model: regexp.MustCompile(model), sync: regexp.MustCompile(sync), why: why}
}

// oneOf are syncs that are done more than once.
func oneOf(scenario, model, sync, why string) *spare {
	s := sparing(scenario, model, sync, why)
	s.together = true
	return s
}

var spares = []*spare{
	oneOf(`^first write$`, `weak`, `^sync of \.run with \["(machine-fingerprint|handoff-events)`, "the fingerprint is synced when it is recorded, and again before the first intent"),
	oneOf(`^first write$`, `weak`, `^sync of \. with`, "the project directory is synced for each directory made in it, and once more before the first row"),
	oneOf(`^(resume|take)$`, `weak`, `^sync of \.run with`, "the ledger's name is synced with each of its lines"),
	oneOf(`^(resume|take)`, ``, `^sync of \.run/consumed-tokens\.jsonl`, "the token is written when it is consumed, and again when the change is finished"),
	oneOf(`^prune$`, `weak`, `^sync of \.run with \["\.tombstones`, "tombstones are synced when they are written, and again before rows go, whoever goes on"),
	sparing(``, `journaled`, `^sync of (\.|\.run|handoffs) with \["`, "the journal keeps the order of names, and the sync of what is written next carries them"),
	sparing(``, ``, `^sync of \S+ with \[\]`, "no name is new there: who was killed before may have left one"),
	sparing(`^regenerate$`, `weak`, `^sync of \.run with \["\.machine-fingerprint`, "the history that follows is synced before the event"),
	sparing(`^regenerate$`, `weak`, `^sync of handoffs with \["\.intent"`, "on the machine of this test the fingerprint is the same before and after"),
	sparing(`^repair of a broken chain$`, `weak`, `^sync of handoffs with`, "INDEX.md is the same before and after"),
	sparing(`^repair`, `weak`, `^sync of handoffs with \["INDEX\.md\.#`, "the intent that follows is synced before INDEX.md is replaced"),
}

// Each sync that a command does must be there for something: as if it had not been done, a cut must show damage, in the
// model with a journal and in the one without, or it must be named above.
func TestDroppedSyncs(t *testing.T) {
	thorough(t)
	needsRoot(t)
	bin := program{build(t), t.TempDir()}
	for _, sc := range simulated(false) {
		if sc.name == "import" { // of so many names the sample of cuts does not show what one sync is for
			continue
		}
		t.Run(sc.name, func(t *testing.T) {
			s := newSimulation(t, bin, sc)
			h, r := s.history(s.base, sc.command)
			if r.code != 0 {
				t.Fatalf("exit code %d: %s", r.code, r.stderr)
			}
			for _, fs := range fileSystems {
				s.dropEach(h, fs)
			}
		})
	}
	for _, sp := range spares {
		if !sp.occurred {
			t.Errorf("without the %v of %v there is damage, or it is not done: take it out of what is spare", sp.sync, sp.scenario)
		}
	}
}

// dropEach drops each sync of the history, and then those together of which one is enough.
func (s *simulation) dropEach(h history, fs fileSystem) {
	for i, step := range h.steps {
		if step.does != isSynced || s.damageWithout(h, fs, map[int]bool{i: true}) != "" {
			continue
		}
		spare := s.spare(fs, step)
		if spare == nil {
			s.t.Errorf("%s: nothing shows that the %s (step %d) is missing", fs.name, step.what, i+1)
			continue
		}
		spare.occurred = true
	}
	for _, spare := range spares {
		dropped := make(map[int]bool)
		for i, step := range h.steps {
			if step.does == isSynced && spare == s.spare(fs, step) {
				dropped[i] = true
			}
		}
		if spare.together && len(dropped) > 0 && s.damageWithout(h, fs, dropped) == "" {
			s.t.Errorf("%s: nothing shows that each %v is missing", fs.name, spare.sync)
		}
	}
}

// spare is the first of the spares that the step is.
func (s *simulation) spare(fs fileSystem, step step) *spare {
	i := slices.IndexFunc(spares, func(sp *spare) bool {
		return sp.scenario.MatchString(s.name) && sp.model.MatchString(fs.name) && sp.sync.MatchString(step.what)
	})
	if i < 0 {
		return nil
	}
	return spares[i]
}

// damageWithout describes the first damage of a cut that only the missing syncs make possible.
func (s *simulation) damageWithout(h history, fs fileSystem, dropped map[int]bool) string {
	var all variety
	all.add(h, 0, fs, nil, aSample.combinations)
	whole := len(all.list)
	all.add(h, 0, fs, dropped, aSample.combinations)
	for _, r := range all.list[whole:] {
		for _, repeat := range []bool{false, true} {
			e := ending{remnant: r, isDone: r.isLast, repeat: repeat}
			if faults := s.one(e); len(faults) > 0 && !isKnown(e, faults) {
				return fmt.Sprintf("%s: %q", r.what, faults)
			}
		}
	}
	return ""
}
