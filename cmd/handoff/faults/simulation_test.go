//go:build linux

package faults_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

// A simulation cuts the power in a model, and looks at what the program makes of what is left.
type simulation struct {
	sweep
	base    tree     // before the command
	wrong   []string // then
	other   []string // another command that changes the store, and with it recovers what the command left halfway
	refuses bool     // the store as it is then refuses all others: that one is the command itself
	tried   atomic.Int64
}

func newSimulation(t *testing.T, p program, sc scenario) *simulation {
	t.Helper()
	s := &simulation{sweep: sweep{program: p, scenario: sc, t: t}, other: words("write e.md")}
	var err error
	sited := p.apart(func(site string) {
		dir := filepath.Join(site, project)
		if err = p.fill(dir, sc); err != nil {
			return
		}
		s.before, s.wrong = look(dir), look(dir).clean()
		s.listed = s.ids(dir)
		if s.base, err = readTree(site); err == nil && s.handoff(dir, s.other...).code != 0 {
			s.refuses, s.other = true, sc.command
		}
	})
	if err = errors.Join(err, sited); err != nil {
		t.Fatal(err)
	}
	return s
}

// A run is a command on a tree, and what is done to it.
type run struct {
	command  []string
	isReboot bool   // the system was started anew before
	inject   string // makes a call fail
}

// history gives a command on a tree and returns what it did.
func (s *simulation) history(on tree, how run) (h history, r result) {
	s.t.Helper()
	var err error
	sited := s.apart(func(site string) {
		if err = on.make(site); err == nil && how.isReboot {
			err = s.reboot()
		}
		if err != nil {
			return
		}
		var calls []sysCall
		if calls, r, err = s.record(filepath.Join(site, project), how.inject, how.command...); err != nil {
			return
		}
		if h, err = on.replay(site, calls); err == nil {
			err = h.isLike(site)
		}
	})
	if err = errors.Join(err, sited); err != nil {
		s.t.Fatal(err)
	}
	return h, r
}

// An ending is a tree that a cut leaves, with what must be in it.
type ending struct {
	remnant
	isDone bool     // the command of the scenario had exit code 0
	others []string // topics that other commands had published, with exit code 0
	repeat bool     // what recovers is the same command again, not another one
	mended bool     // a repair that was killed may have mended it: nothing is left to log, or to keep
}

// one makes the tree of an ending, and says what is wrong with what the program makes of it after another start of the system.
func (s *simulation) one(e ending) (faults []string) {
	var err error
	sited := s.apart(func(site string) {
		if err = errors.Join(e.grow().make(site), s.reboot()); err == nil {
			dir := filepath.Join(site, project)
			faults = append(s.shown(dir, e), s.recovered(dir, e)...)
		}
	})
	if err = errors.Join(err, sited); err != nil {
		s.t.Error(err)
	}
	s.tried.Add(1)
	return faults
}

// topics are those that commands had published, with exit code 0.
func (s *simulation) topics(e ending) []string {
	if e.isDone {
		return slices.Concat(e.others, s.adds)
	}
	return e.others
}

// shown says what is wrong with what readers are shown before anything is recovered: all that was acknowledged is there, whole.
func (s *simulation) shown(dir string, e ending) (faults []string) {
	faults = s.readers(dir)
	all, unread := s.handoff(dir, "list", "--all", "--format", "ids"), s.handoff(dir, "list", "--unread", "--to", "ben", "--format", "ids")
	want := maps.Clone(s.listed)
	for _, topic := range s.topics(e) {
		want[idOf(topic)] = true
	}
	for id := range want {
		if id == idOf(s.loses) {
			continue
		}
		if !strings.Contains(all.stdout, id) {
			faults = append(faults, fmt.Sprintf("list does not show %s any more: %s%s", id, all.stdout, all.stderr))
		} else if r := s.handoff(dir, "read", id); r.code != 0 || !strings.Contains(r.stdout, "body of ") {
			faults = append(faults, fmt.Sprintf("read of %s has exit code %d: %q%s", id, r.code, r.stdout, r.stderr))
		}
	}
	for key := range s.before.marks {
		if id, _, _ := strings.Cut(key, " "); strings.Contains(unread.stdout, id) && !s.scenario.frees(id) {
			faults = append(faults, "the mark of "+key+" is not shown")
		}
	}
	if e.isDone && s.mark != "" && strings.Contains(unread.stdout, idOf(s.mark)) {
		faults = append(faults, "the mark of "+s.mark+" is not shown")
	}
	if s.scenario.damage == nil {
		faults = append(faults, s.verify(dir, true)...)
	}
	return faults
}

// missing says what of that is not there which commands had done.
func (s *simulation) missing(now *view, e ending) (faults []string) {
	if e.isDone {
		if s.mark != "" && !now.marks[idOf(s.mark)+" ben"] {
			faults = append(faults, "the mark of "+s.mark+" is lost")
		}
		if s.token != "" && now.tokens[idOf(s.token)] == 0 {
			faults = append(faults, "the consumed token of "+s.token+" is lost")
		}
		if act, topic, _ := strings.Cut(s.act, " "); s.act != "" && now.acts[act+" "+idOf(topic)] == 0 {
			faults = append(faults, s.act+" is lost")
		}
	}
	for _, topic := range s.topics(e) {
		if now.rows[idOf(topic)] == "" {
			faults = append(faults, topic+" is lost, after exit code 0")
		}
	}
	if p := promises[s.name]; e.isDone && !e.mended && p.event != "" && now.events[p.event] == s.before.events[p.event] {
		faults = append(faults, "the event "+p.event+" is lost, after exit code 0")
	}
	return faults
}

// promises are what some commands leave besides what look sees.
var promises = map[string]struct {
	event string         // of the command
	keeps *regexp.Regexp // text of a damaged file, which is kept in one file or another
}{
	"regenerate":               {event: "machine_fingerprint.regenerate"},
	"torn log":                 {keeps: regexp.MustCompile(`"handoff\.wr(\n|\z)`)},
	"repair of a broken chain": {keeps: regexp.MustCompile(`"payload":\{"body_byte_size[^\n]*"topic":"c"`)},
}

// beside says what is wrong with the files that belong to no handoff, once the store works again.
func (s *simulation) beside(dir string, now *view, e ending) (faults []string) {
	state := filepath.Join(dir, ".run")
	if text, err := os.ReadFile(filepath.Join(state, ".gitignore")); string(text) != "*\n" {
		faults = append(faults, fmt.Sprintf("git sees the state: %q, %v", text, err))
	}
	if keeps := promises[s.name].keeps; keeps != nil && !e.mended && now.rows[idOf("e")] == "" && !isKept(dir, keeps) {
		faults = append(faults, "what was damaged is not kept")
	}
	return faults
}

func isKept(dir string, text *regexp.Regexp) (found bool) {
	filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			data, _ := os.ReadFile(path)
			found = found || text.Match(data)
		}
		return nil
	})
	return found
}

// recovered lets the program recover, by another command or by a repeat of the interrupted one, and says what is wrong then.
func (s *simulation) recovered(dir string, e ending) (faults []string) {
	if (!e.repeat || s.reads) && !s.refuses {
		r := s.handoff(dir, s.other...)
		if r.code != 0 {
			return []string{fmt.Sprintf("writes are refused, exit code %d: %s", r.code, r.stderr)}
		}
		e.others = append(slices.Clone(e.others), "e")
		now := e.look(dir)
		faults = append(s.afterFault(now, result{code: 1}), s.missing(now, e)...)
		faults = append(faults, s.beside(dir, now, e)...)
		if s.command[0] != "doctor" { // until a repair has ended there may be anything that it mends
			faults = append(faults, slices.DeleteFunc(now.clean(), func(f string) bool { return slices.Contains(s.wrong, f) })...)
		}
		if !s.isNew("recovered", now) {
			return faults
		}
		if s.scenario.damage == nil {
			faults = append(faults, s.verify(dir, false)...)
		}
	}
	return append(faults, s.repeated(dir, e)...)
}

// repeated gives the command again: now its change is there, and nothing is wrong.
func (s *simulation) repeated(dir string, e ending) (faults []string) {
	r := s.handoff(dir, s.command...)
	if r.code != 0 && !s.isDone(r) {
		return []string{fmt.Sprintf("the repeat has exit code %d: %s", r.code, r.stderr)}
	}
	e.isDone = true
	now := e.look(dir)
	for _, why := range slices.Concat(s.complete(now), s.missing(now, e), s.beside(dir, now, e)) {
		faults = append(faults, "after the repeat "+why)
	}
	if s.isNew("repeated", now) {
		faults = append(faults, s.verify(dir, false)...)
	}
	return faults
}

// look reads the store. What a command had prepared waits for a checkpoint.
func (e ending) look(dir string) *view {
	v := look(dir)
	return v
}

// harmless are the warnings about what no command needs to mend.
var harmless = regexp.MustCompile(`was left by an interrupted command|the last line is torn; it was never committed|is not part of the table and is ignored: "Ask ann`)

// lagging is the warning before the next change.
var lagging = regexp.MustCompile(`^a change is in progress or was interrupted`)

func (s *simulation) verify(dir string, lags bool) (faults []string) {
	warnings, err := s.handoff(dir, "verify", "--json").warnings()
	if err != nil {
		faults = append(faults, err.Error())
	}
	for _, w := range warnings {
		if s.loses == "" && !(lags && lagging.MatchString(w.Problem)) {
			faults = append(faults, fmt.Sprintf("verify warns: %s: %s", w.Place, w.Problem))
		}
	}
	return faults
}

// A warning is one of verify.
type warning struct{ Place, Problem string }

// warnings returns what verify --json warns of, and an error if it says that anything is wrong.
func (r result) warnings() (all []warning, err error) {
	var report struct{ Faults, Warnings []warning }
	if err := json.Unmarshal([]byte(r.stdout), &report); err != nil || r.code != 0 || len(report.Faults) > 0 {
		return nil, fmt.Errorf("verify has exit code %d: %s%s", r.code, r.stdout, r.stderr)
	}
	return slices.DeleteFunc(report.Warnings, func(w warning) bool { return harmless.MatchString(w.Problem) }), nil
}

// canBeModelled says whether the scenario is a command on a whole store, and one thread does what it does.
func (sc scenario) canBeModelled() bool {
	return sc.crashes == nil && sc.failing.at == "" && !slices.Contains(sc.command, "many")
}

// What is cut in the simulations is a model. After each command it must be what the real tree is.
func TestModel(t *testing.T) {
	t.Parallel()
	needs(t, "strace")
	needsRoot(t)
	p, mode := program{build(t), memory(t)}, os.Getenv("HANDOFF_FAULTS")
	list := slices.DeleteFunc(scenarios(), func(sc scenario) bool { return !sc.canBeModelled() })
	if mode == "ci" {
		list = some(list, 8, "model")
	}
	for _, sc := range list {
		if mode == "" && !slices.Contains(few, sc.name) {
			continue
		}
		t.Run(sc.name, func(t *testing.T) {
			t.Parallel()
			s := newSimulation(t, p, sc)
			if h, r := s.history(s.base, run{command: sc.command}); r.code != 0 || len(h.steps) == 0 && sc.name != "write again" {
				t.Errorf("exit code %d, %d steps: %s", r.code, len(h.steps), r.stderr)
			}
		})
	}
}
