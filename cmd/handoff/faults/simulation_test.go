//go:build linux

package faults_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A simulation cuts the power in a model, and looks at what the program makes of what is left.
type simulation struct {
	sweep
	base    tree     // before the command
	wrong   []string // then
	other   []string // another command that changes the store, and with it recovers what the command left halfway
	refuses bool     // the store as it is then refuses all others: that one is the command itself
}

// mounted does something in a memory file system of its own.
func mounted(tmp string, do func(mount string) error) error {
	mount, err := os.MkdirTemp(tmp, "memory-")
	if err != nil {
		return err
	}
	defer os.Remove(mount)
	if err := unix.Mount("handoff-faults", mount, "tmpfs", 0, "mode=755"); err != nil {
		return err
	}
	defer unix.Unmount(mount, unix.MNT_DETACH)
	return do(mount)
}

func newSimulation(t *testing.T, p program, sc scenario) *simulation {
	t.Helper()
	s := &simulation{sweep: sweep{program: p, scenario: sc, t: t}, other: words("write e.md")}
	err := mounted(p.tmp, func(mount string) (err error) {
		dir := filepath.Join(mount, "project")
		p.fill(t, dir, sc)
		s.before = look(dir)
		s.wrong = look(dir).clean()
		if s.base, err = readTree(dir); err == nil && s.handoff(dir, s.other...).code != 0 {
			s.refuses, s.other = true, sc.command
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// history runs a command on a tree and returns what it did.
func (s *simulation) history(on tree, command []string) (h history, r result) {
	s.t.Helper()
	err := mounted(s.tmp, func(mount string) error {
		dir, err := on.make(mount)
		if err != nil {
			return err
		}
		var calls []sysCall
		calls, r = s.record(s.t, dir, command...)
		if h, err = on.replay(dir, calls); err == nil {
			err = h.isLike(dir)
		}
		return err
	})
	if err != nil {
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
}

// one makes the tree of an ending, and says what is wrong with it and with what the program makes of it.
func (s *simulation) one(e ending) (faults []string) {
	err := mounted(s.tmp, func(mount string) error {
		dir, err := e.make(mount)
		if err != nil {
			return err
		}
		now := look(dir)
		faults = s.left(now, e)
		if s.isNew("after the cut", now) {
			faults = append(faults, s.readers(dir)...)
		}
		faults = append(faults, s.recovered(dir, e)...)
		return nil
	})
	if err != nil {
		s.t.Error(err)
	}
	return faults
}

// left says what is wrong before anything is recovered. What was not done yet may be halfway in the log and the ledger.
func (s *simulation) left(now *view, e ending) []string {
	if !e.isDone {
		now.faults = slices.DeleteFunc(now.faults, func(f string) bool { return strings.Contains(f, "the audit log") || strings.Contains(f, "the ledger") })
	}
	return append(s.afterFault(now, result{code: 1}), s.missing(now, e)...)
}

// missing says what of that is not there which commands had done.
func (s *simulation) missing(now *view, e ending) (faults []string) {
	topics := slices.Clone(e.others)
	if e.isDone {
		topics = append(topics, s.adds...)
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
	for _, topic := range topics {
		if now.rows[idOf(topic)] == "" {
			faults = append(faults, topic+" is lost, after exit code 0")
		}
	}
	if p := promises[s.name]; e.isDone && p.event != "" && now.events[p.event] == s.before.events[p.event] {
		faults = append(faults, "the event "+p.event+" is lost, after exit code 0")
	}
	return faults
}

// promises are what some commands leave besides what look sees.
var promises = map[string]struct {
	event string         // of the command
	keeps *regexp.Regexp // text of a damaged file, which is kept in one file or another
}{
	"prune":                    {event: "handoff.prune " + idOf("a")},
	"regenerate":               {event: "machine_fingerprint.regenerate"},
	"torn log":                 {keeps: regexp.MustCompile(`"handoff\.wr(\n|\z)`)},
	"repair of a broken chain": {event: "handoff.repair", keeps: regexp.MustCompile(`"payload":\{"body_byte_size[^\n]*"topic":"c"`)},
	"repair of a lost row":     {event: "handoff.repair", keeps: regexp.MustCompile(`\| c \| [^|]*\|  \|\n\z`)},
}

// beside says what is wrong with the files that belong to no handoff, once the store works again.
func (s *simulation) beside(dir string, now *view) (faults []string) {
	state := filepath.Join(dir, ".run")
	if text, err := os.ReadFile(filepath.Join(state, ".gitignore")); string(text) != "*\n" {
		faults = append(faults, fmt.Sprintf("git sees the state: %q, %v", text, err))
	}
	history, _ := os.ReadFile(filepath.Join(state, "machine-fingerprint.history.jsonl"))
	if now.events["machine_fingerprint.regenerate"] > 0 && !strings.Contains(string(history), "}\n") {
		faults = append(faults, fmt.Sprintf("the history of fingerprints lacks a line: %q", history))
	}
	if keeps := promises[s.name].keeps; keeps != nil && now.rows[idOf("e")] == "" && !isKept(dir, keeps) {
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
		if s.token+s.act != "" { // what is torn of the ledger waits for the next resume
			now.torn, now.faults = false, slices.DeleteFunc(now.faults, func(f string) bool { return strings.Contains(f, "the ledger") })
			delete(now.tokens, "")
		}
		faults = append(s.afterFault(now, result{code: 1}), s.missing(now, e)...)
		faults = append(faults, s.beside(dir, now)...)
		if s.command[0] != "doctor" { // until a repair has ended there may be anything that it mends
			faults = append(faults, slices.DeleteFunc(now.clean(), func(f string) bool { return slices.Contains(s.wrong, f) })...)
		}
		if !s.isNew("recovered", now) {
			return faults
		}
		if s.scenario.damage == nil {
			faults = append(faults, s.verify(dir)...)
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
	if s.isDone(r) {
		now.litter = nil // a refusal changes nothing: what is staged waits for the next that writes
	}
	for _, why := range slices.Concat(s.complete(now), s.missing(now, e), s.beside(dir, now)) {
		faults = append(faults, "after the repeat "+why)
	}
	if s.isNew("repeated", now) {
		faults = append(faults, s.verify(dir)...)
	}
	return faults
}

// look reads the store. Where a removal may be lost, what an interrupted command staged may stay, but its intent.
func (e ending) look(dir string) *view {
	v := look(dir)
	if e.isWeak {
		v.staged = slices.DeleteFunc(v.staged, func(name string) bool { return name != ".intent" })
	}
	return v
}

// harmless are the warnings about what no command needs to mend.
var harmless = regexp.MustCompile(`was left by an interrupted command|the last line is torn; it was never committed`)

func (s *simulation) verify(dir string) (faults []string) {
	r := s.handoff(dir, "verify", "--json")
	var report struct {
		Faults, Warnings []struct{ Place, Problem string }
	}
	if err := json.Unmarshal([]byte(r.stdout), &report); err != nil || r.code != 0 || len(report.Faults) > 0 {
		faults = append(faults, fmt.Sprintf("verify has exit code %d: %s%s", r.code, r.stdout, r.stderr))
	}
	for _, w := range report.Warnings {
		if s.loses == "" && !harmless.MatchString(w.Problem) {
			faults = append(faults, fmt.Sprintf("verify warns: %s: %s", w.Place, w.Problem))
		}
	}
	return faults
}

// canBeModelled says whether the scenario is a command on a whole store, and one thread does what it does.
func (sc scenario) canBeModelled() bool {
	return sc.crashes == nil && sc.failing.at == "" && !slices.Contains(sc.command, "many")
}

// What is cut in the simulations is a model. After each command it must be what the real tree is, inode numbers included.
func TestModel(t *testing.T) {
	needs(t, "strace")
	needsRoot(t)
	p := program{build(t), t.TempDir()}
	for _, sc := range scenarios() {
		if !sc.canBeModelled() {
			continue
		}
		t.Run(sc.name, func(t *testing.T) {
			s := newSimulation(t, p, sc)
			if h, r := s.history(s.base, sc.command); r.code != 0 || len(h.steps) == 0 {
				t.Errorf("exit code %d, %d steps", r.code, len(h.steps))
			}
		})
	}
}
