//go:build linux

package faults_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// A sweep does one scenario and collects what it finds.
type sweep struct {
	program
	scenario
	t        *testing.T
	template string // what the site was before
	trace    trace  // of the command
	base     string // the injection that is there in each run
	before   *view
	listed   map[string]bool // ids that readers were shown before
	runs     atomic.Int64
	hits     atomic.Int64 // runs in which the injection took place
	failed   atomic.Int64 // runs that it made fail
	mu       sync.Mutex
	damage   []string
	quick    bool            // ends at the first damage
	seen     map[string]bool // the shapes of stores that the program was asked about before
}

func newSweep(t *testing.T, p program, sc scenario) *sweep {
	t.Helper()
	s := &sweep{program: p, scenario: sc, t: t}
	var err error
	sited := p.apart(func(site string) {
		dir := filepath.Join(site, project)
		if err = p.template(dir, sc); err == nil {
			s.template, err = p.kept(site)
		}
		s.listed = s.ids(dir)
		if s.before = look(dir); err == nil && sc.failing.at != "" {
			name, n, ferr := p.findCall(dir, sc.failing.at, sc.command)
			s.base, err = fmt.Sprintf("%s:error=%s:when=%d", name, sc.failing.errno, n), ferr
		}
		if err == nil {
			s.trace, err = p.calls(dir, s.base, sc.command)
		}
	})
	if err = errors.Join(err, sited); err != nil {
		t.Fatal(err)
	}
	return s
}

// ids are the handoffs that list shows.
func (s *sweep) ids(dir string) map[string]bool {
	shown := make(map[string]bool)
	for _, id := range strings.Fields(s.handoff(dir, "list", "--all", "--format", "ids").stdout) {
		shown[id] = true
	}
	return shown
}

// fresh does something with a store in the state before the command.
func (s *sweep) fresh(do func(dir string)) {
	var err error
	sited := s.apart(func(site string) {
		if err = copyInto(site, s.template); err == nil {
			do(filepath.Join(site, project))
		}
	})
	if err := errors.Join(err, sited); err != nil {
		s.t.Error(err)
	}
}

func (s *sweep) run(todo []string) {
	list := make(chan string)
	var workers sync.WaitGroup
	for range 2 {
		workers.Go(func() {
			for injection := range list {
				s.one(injection)
			}
		})
	}
	for _, injection := range todo {
		if !s.isDecided() {
			list <- injection
		}
	}
	close(list)
	workers.Wait()
	os.RemoveAll(s.template)
}

func (s *sweep) isDecided() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.quick && len(s.damage) > 0
}

// one injects one fault, looks at what is there, repeats the command and looks again. From a store like one that was
// looked at before, with no change left halfway, a repeat shows nothing new.
func (s *sweep) one(injection string) {
	s.fresh(func(dir string) { s.inject(dir, injection) })
}

func (s *sweep) inject(dir, injection string) {
	inject := []string{injection}
	if s.base != "" {
		inject = append(inject, s.base)
	}
	first := s.strace(dir, inject, s.command...)
	s.runs.Add(1)
	if first.hit {
		s.hits.Add(1)
	}
	if first.code != 0 {
		s.failed.Add(1)
	}
	name := s.name + ", " + injection
	var found []string
	add := func(faults ...string) {
		for _, f := range faults {
			found = append(found, name+": "+f)
		}
	}
	if first.late {
		add("did not end in time")
	}
	first.hurt = strings.Contains(injection, "error=") || s.base != ""
	now := look(dir)
	isNew, isSettled := s.isNew("after the fault", now), now.isSettled()
	add(s.afterFault(now, first)...)
	if isNew {
		add(s.readers(dir)...)
	}
	if isNew || !isSettled {
		add(s.afterRepeat(dir, first)...)
	}
	s.mu.Lock()
	s.damage = append(s.damage, found...)
	s.mu.Unlock()
}

// afterFault says what is wrong after the first run: there is the old state or the new one.
func (s *sweep) afterFault(now *view, first result) (faults []string) {
	now.faults = slices.DeleteFunc(now.faults, func(f string) bool {
		return slices.Contains(s.before.faults, f) || s.loses != "" && strings.Contains(f, "-"+s.loses+".md")
	})
	faults = append(faults, now.faults...)
	for id := range s.before.rows {
		if now.rows[id] == "" && id != idOf(s.loses) {
			faults = append(faults, id+" is lost")
		}
	}
	for key := range s.before.marks {
		if id, _, _ := strings.Cut(key, " "); !now.marks[key] && !s.frees(id) {
			faults = append(faults, "the mark of "+key+" is lost")
		}
	}
	there, asked := 0, 0
	for _, topic := range s.adds {
		if s.isRecorded(topic) {
			continue
		}
		if asked++; now.rows[idOf(topic)] != "" {
			there++
		}
	}
	if there > 0 && there < asked {
		faults = append(faults, fmt.Sprintf("%d of the %d documents are there", there, asked))
	}
	lags := first.hurt && len(s.crashes) > 0 // what was recorded before may wait for the next command, where this one had nothing to write
	if first.code == 0 && !first.isUnrecorded() && !lags {
		for _, why := range s.complete(now) {
			faults = append(faults, "exit code 0, but "+why)
		}
	}
	if strings.Contains(first.stderr, "internal error") || strings.Contains(first.stderr, "panic:") {
		faults = append(faults, "a panic: "+first.stderr)
	}
	return faults
}

// isUnrecorded says whether a command that is committed has said that the rest follows.
func (r result) isUnrecorded() bool {
	return strings.Contains(r.stderr, "but some files do not show it yet: ")
}

// isDone says whether a command refused to do again what can be done once.
func (s scenario) isDone(r result) bool {
	return s.isOnce && r.code == 11
}

// complete says what is missing of the new state.
func (s *sweep) complete(now *view) []string {
	faults := now.clean()
	for _, topic := range s.adds {
		if now.rows[idOf(topic)] == "" {
			faults = append(faults, topic+" is not there")
		}
	}
	if s.mark != "" && !now.marks[idOf(s.mark)+" ben"] {
		faults = append(faults, s.mark+" is not marked")
	}
	if s.token != "" && now.tokens[idOf(s.token)] == 0 {
		faults = append(faults, "the token of "+s.token+" is not consumed")
	}
	if act, topic, _ := strings.Cut(s.act, " "); s.act != "" && now.acts[act+" "+idOf(topic)] != 1 {
		faults = append(faults, "the ledger lacks "+s.act)
	}
	return faults
}

// isNew says whether the program was not asked about a store of this shape yet, after the fault or after the repeat.
func (s *sweep) isNew(when string, v *view) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seen == nil {
		s.seen = make(map[string]bool)
	}
	key := when + v.shape()
	old := s.seen[key]
	s.seen[key] = true
	return !old
}

// readers says what is wrong with what readers are shown: never fewer handoffs than before, never a part of a change.
func (s *sweep) readers(dir string) (faults []string) {
	list, now := s.handoff(dir, "list", "--all", "--format", "ids"), look(dir)
	if list.code != 0 {
		return []string{fmt.Sprintf("list has exit code %d: %s", list.code, list.stderr)}
	}
	for id := range s.before.rows {
		if !strings.Contains(list.stdout, id) && id != idOf(s.loses) {
			faults = append(faults, "list does not show "+id)
		}
	}
	for id := range s.listed {
		if !strings.Contains(list.stdout, id) && id != idOf(s.loses) {
			faults = append(faults, "list no longer shows "+id)
		}
	}
	there := 0
	for _, topic := range s.adds {
		isShown := strings.Contains(list.stdout, idOf(topic))
		if isShown && !s.isRecorded(topic) {
			there++
		} else if !isShown && s.isRecorded(topic) {
			faults = append(faults, "list does not show "+topic)
		} else if !isShown && now.rows[idOf(topic)] != "" {
			faults = append(faults, topic+" is in INDEX.md, and list does not show it")
		}
	}
	if there > 0 && there < len(s.adds)-len(s.known()) {
		faults = append(faults, fmt.Sprintf("list shows %d of the %d documents", there, len(s.adds)))
	}
	last, _, _ := strings.Cut(list.stdout, "\n")
	if last == "" {
		return faults
	}
	if read := s.handoff(dir, "read", last); read.code != 0 || !strings.Contains(read.stdout, "body of ") {
		faults = append(faults, fmt.Sprintf("read has exit code %d: %s", read.code, read.stderr))
	}
	return faults
}

// known are the topics that the command publishes and that were there before, or that it finds recorded.
func (s *sweep) known() (topics []string) {
	for _, topic := range s.adds {
		if s.isRecorded(topic) {
			topics = append(topics, topic)
		}
	}
	return topics
}

// isRecorded reports whether a command that was killed before has recorded the topic.
func (s *sweep) isRecorded(topic string) bool {
	return s.before.rows[idOf(topic)] != "" || s.listed[idOf(topic)]
}

// afterRepeat runs the command once more, without a fault: now the new state is there, and nothing else.
func (s *sweep) afterRepeat(dir string, first result) (faults []string) {
	again := s.handoff(dir, s.command...)
	if again.code != 0 && !s.isDone(again) {
		return []string{fmt.Sprintf("first exit code %d, the repeat has %d: %s", first.code, again.code, again.stderr)}
	}
	after := look(dir)
	for _, why := range s.complete(after) {
		faults = append(faults, "after the repeat "+why)
	}
	if len(faults) == 0 && !s.isNew("after the repeat", after) {
		return nil
	}
	if len(after.shed) > 0 {
		if r := s.handoff(dir, "doctor", "--repair"); r.code != 0 {
			faults = append(faults, fmt.Sprintf("doctor has exit code %d: %s", r.code, r.stderr))
		}
		if now := look(dir); len(now.staged) > 0 {
			faults = append(faults, fmt.Sprintf("%v was left by a checkpoint", now.staged))
		}
	}
	warnings, err := s.handoff(dir, "verify", "--json").warnings()
	if err != nil {
		faults = append(faults, err.Error())
	}
	if want := map[bool]int{true: 1}[s.loses != ""]; len(warnings) != want { // of the event of what went aside
		faults = append(faults, fmt.Sprintf("verify warns of %v", warnings))
	}
	return faults
}

var injectionsFlag = flag.String("injections", "", "of all injections try those that `regexp` matches, such as fstat:error=EIO:when=36")

// chosen are the injections that are wanted, of all; of one alone it logs where that is.
func (s *sweep) chosen(all []string) []string {
	want := regexp.MustCompile("^(" + *injectionsFlag + ")$")
	list := slices.DeleteFunc(all, func(i string) bool { return !want.MatchString(i) })
	if len(list) == 1 {
		s.t.Log(s.trace.before(list[0]))
	}
	return list
}

func TestSweep(t *testing.T) {
	t.Parallel()
	needs(t, "strace")
	mode := os.Getenv("HANDOFF_FAULTS")
	all := mode == "all"
	p := program{build(t), memory(t)}
	var runs, failed atomic.Int64
	t.Cleanup(func() {
		t.Logf("%d injections in all, %d made the command fail; HANDOFF_SEED=%s", runs.Load(), failed.Load(), os.Getenv("HANDOFF_SEED"))
	})
	for _, sc := range scenarios() {
		if mode == "" && !slices.Contains(few, sc.name) {
			continue
		}
		t.Run(sc.name, func(t *testing.T) {
			t.Parallel()
			s := newSweep(t, p, sc)
			todo := injections(s.trace, s.base)
			switch {
			case *injectionsFlag != "":
				todo = s.chosen(todo)
			case mode == "":
				todo = s.pick(todo, someOfEach)
			case !all && sc.core:
				todo = s.pick(todo, someOfCore)
			case !all:
				todo = s.pick(todo, someOfAny)
			}
			s.run(todo)
			s.report(t)
			runs.Add(s.runs.Load())
			failed.Add(s.failed.Load())
		})
	}
}

// report says what a sweep has found.
func (s *sweep) report(t *testing.T) {
	for _, d := range s.damage {
		t.Error(d)
	}
	t.Logf("%d injections, %d took place, %d made the command fail", s.runs.Load(), s.hits.Load(), s.failed.Load())
	if s.hits.Load() < s.runs.Load()*3/4 && s.runs.Load() > 10 {
		t.Error("too few injections took place to trust this sweep")
	}
}
