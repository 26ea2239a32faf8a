//go:build linux

package faults_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A sweep does one scenario.
type sweep struct {
	site
	scenario
	t      *testing.T
	before *view
	seen   map[string]bool // the shapes of stores that the program was asked about before
}

func newSweep(t *testing.T, bin string, sc scenario) *sweep {
	t.Helper()
	s := &sweep{site: newSite(t, bin), scenario: sc, t: t, seen: map[string]bool{}}
	s.fill(t, sc)
	s.before = look(s.dir)
	return s
}

// trace returns the calls of the command.
func (s *sweep) trace() trace {
	s.t.Helper()
	tr, err := s.calls(s.dir, s.command)
	if err != nil {
		s.t.Fatal(err)
	}
	return tr
}

// inject injects one fault, looks at what is there, repeats the command and looks again.
func (s *sweep) inject(injection string) (first result, faults []string) {
	if err := s.reset(); err != nil {
		s.t.Fatal(err)
	}
	first = s.strace(s.dir, injection, s.command...)
	return first, s.judge(first)
}

// judge says what is wrong after a run of the command, with readers, and after a repeat.
func (s *sweep) judge(first result) (faults []string) {
	now := look(s.dir)
	faults = s.after(now, first)
	if s.isNew("first", now) || len(faults) > 0 {
		faults = append(faults, s.readers(now)...)
		faults = append(faults, s.repeat(first)...)
	}
	return faults
}

// after says what is wrong after the first run: there is the old state or the new one.
func (s *sweep) after(now *view, first result) (faults []string) {
	if first.late {
		faults = append(faults, "it did not end in time")
	}
	if strings.Contains(first.stderr, "internal error") || strings.Contains(first.stderr, "panic:") {
		faults = append(faults, "a panic: "+first.stderr)
	}
	if s.isRepair {
		for topic := range s.before.files {
			if !now.files[topic] {
				faults = append(faults, "the file of "+topic+" went")
			}
		}
		return faults
	}
	if first.code == 6 && !strings.Contains(first.stderr, "fingerprint is unreadable") {
		faults = append(faults, "exit code 6: "+first.stderr)
	}
	faults = append(faults, now.faults...)
	faults = append(faults, lacks("the log", now.stored, s.before.stored)...)
	faults = append(faults, lacks("the marks", now.marks, s.before.marks)...)
	faults = append(faults, lacks("the takes", now.takes, s.before.takes)...)
	there := 0
	for _, topic := range words(s.adds) {
		if now.stored[topic] {
			there++
		}
	}
	if there > 0 && there < len(words(s.adds)) {
		faults = append(faults, fmt.Sprintf("%d of %s are there", there, s.adds))
	}
	if first.code == 0 {
		for _, f := range s.undone(now) {
			faults = append(faults, "exit code 0, but "+f)
		}
	}
	return faults
}

// lacks says what is not there.
func lacks(where string, there, want map[string]bool) (faults []string) {
	for _, topic := range slices.Sorted(maps.Keys(want)) {
		if !there[topic] {
			faults = append(faults, fmt.Sprintf("%s lack %s", where, topic))
		}
	}
	return faults
}

// undone says what the command had to do that is not there.
func (s *sweep) undone(now *view) (faults []string) {
	for _, topic := range words(s.adds) {
		if !now.stored[topic] {
			faults = append(faults, topic+" is not stored")
		}
	}
	if s.mark != "" && !now.marks[s.mark] {
		faults = append(faults, s.mark+" is not marked")
	}
	act, topic, _ := strings.Cut(s.act, " ")
	if act == "take" && !now.takes[topic] || act == "done" && !now.ended[topic] {
		faults = append(faults, "not done: "+s.act)
	}
	return faults
}

// isNew reports whether the program was not asked about a store of this shape yet.
func (s *sweep) isNew(when string, v *view) bool {
	key := when + v.shape()
	old := s.seen[key]
	s.seen[key] = true
	return !old
}

// readers says what is wrong with what readers are shown: all that is logged, and nothing else. They are not warned.
func (s *sweep) readers(now *view) (faults []string) {
	if s.isRepair {
		return nil
	}
	list := s.run("list", "--all", "--format", "ids")
	if list.code != 0 || list.stderr != "" && len(now.stored) > 0 { // of an empty store it says so
		faults = append(faults, fmt.Sprintf("list has exit code %d: %s", list.code, list.stderr))
	}
	shown := strings.Fields(list.stdout)
	for topic := range now.stored {
		if !slices.Contains(shown, idOf(topic)) {
			faults = append(faults, "list does not show "+topic)
		}
	}
	if len(shown) != len(now.stored) {
		faults = append(faults, fmt.Sprintf("list shows %d, and the log has %v", len(shown), now.stored))
	}
	if len(shown) > 0 {
		if read := s.run("read", shown[0]); read.code != 0 || !strings.Contains(read.stdout, "body of ") {
			faults = append(faults, fmt.Sprintf("read has exit code %d: %s", read.code, read.stderr))
		}
	}
	return append(faults, s.verify(true)...)
}

// leftovers are the warnings about what a killed command may leave.
var leftovers = regexp.MustCompile(`left by|does not list|never happened|typed there|counts again when`)

// verify says what verify says. Before the command is repeated there may be leftovers.
func (s *sweep) verify(isLeft bool) (faults []string) {
	r := s.run("verify", "--json")
	var report struct {
		Faults, Warnings []struct{ Place, Problem string }
	}
	if err := json.Unmarshal([]byte(r.stdout), &report); err != nil || r.code != 0 || len(report.Faults) > 0 {
		return []string{fmt.Sprintf("verify has exit code %d: %s%s", r.code, r.stdout, r.stderr)}
	}
	for _, w := range report.Warnings {
		if !leftovers.MatchString(w.Problem) {
			faults = append(faults, fmt.Sprintf("verify warns of %v", w))
		}
	}
	return faults
}

// ofRepair is what is so after a repair: what was adopted has another event, and rows of what is lost stay.
var ofRepair = regexp.MustCompile(` events |INDEX\.md has`)

// repeat gives the command once more, without a fault: now the new state is there, and nothing else.
func (s *sweep) repeat(first result) (faults []string) {
	again := s.run(s.command...)
	if again.code != 0 {
		return []string{fmt.Sprintf("first exit code %d, the repeat has %d: %s", first.code, again.code, again.stderr)}
	}
	now := look(s.dir)
	for _, f := range append(now.clean(), s.undone(now)...) {
		faults = append(faults, "after the repeat "+f)
	}
	if s.isRepair { // documents that do not match were moved
		if len(now.stored) == 0 {
			faults = append(faults, "after the repair there is nothing")
		}
		faults = slices.DeleteFunc(faults, ofRepair.MatchString)
	}
	if s.isNew("repeat", now) || len(faults) > 0 {
		faults = append(faults, s.verify(false)...)
	}
	return faults
}

var injectionsFlag = flag.String("injections", "", "of all injections try those that `regexp` matches")

// few are the scenarios without HANDOFF_FAULTS.
var few = []string{"first write", "batch", "after a killed write"}

func TestSweep(t *testing.T) {
	t.Parallel()
	needs(t, "strace")
	bin := build(t, "")
	for _, sc := range scenarios() {
		if mode() == "" && !slices.Contains(few, sc.name) && *injectionsFlag == "" {
			continue
		}
		t.Run(sc.name, func(t *testing.T) {
			t.Parallel()
			s := newSweep(t, bin, sc)
			tr := s.trace()
			kills := tr.kills()
			near, far := tr.failures()
			todo := slices.Concat(kills, near, far)
			switch {
			case *injectionsFlag != "":
				want := regexp.MustCompile("^(" + *injectionsFlag + ")$")
				todo = slices.DeleteFunc(todo, func(i string) bool { return !want.MatchString(i) })
			case mode() == "ci":
				todo = slices.Concat(kills, some(near, 12, sc.name), some(far, 2, sc.name))
			case mode() == "":
				todo = slices.Concat(some(kills, 6, sc.name), some(near, 3, sc.name))
			}
			hits, failed := 0, 0
			for _, injection := range todo {
				first, faults := s.inject(injection)
				for _, f := range faults {
					t.Errorf("%s: exit code %d: %s", injection, first.code, f)
				}
				if len(faults) > 0 || len(todo) == 1 {
					t.Log(tr.before(injection))
				}
				if first.hit {
					hits++
				}
				if first.code != 0 {
					failed++
				}
			}
			t.Logf("%d injections, %d took place, %d made the command fail", len(todo), hits, failed)
			if hits < len(todo)*3/4 && len(todo) > 10 {
				t.Error("too few injections took place to trust this sweep")
			}
		})
	}
}
