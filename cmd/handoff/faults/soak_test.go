//go:build linux

package faults_test

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

var (
	soakTime = flag.Duration("soak", 0, "how long TestSoak goes on")
	soakSeed = flag.Uint64("soakseed", 0, "what TestSoak begins with, as its log names it; another each time if 0")
)

// A round is a store at which many work at once, with what was acknowledged.
type round struct {
	*sweep
	mu     sync.Mutex
	stored map[string]bool
	marks  map[string]bool   // topic and operator
	takers map[string]string // topic → who took it
	tried  map[string]bool   // batches that began
	ended  map[string]int    // command and how it ended → how often
	end    time.Time
	acts   actions
}

// isAgain matches what look says of one who took a handoff again after giving it back.
var isAgain = regexp.MustCompile(`^\d+ events (take|release|mark_read) `)

// A worker gives one command after the other. Which ones, and which of them are killed or stopped, its seed says.
type worker struct {
	*round
	*rand.Rand
	number, count int
}

const workers = 8

// Workers give all commands at once, and many of these are killed or stopped for a while. Whoever looks on, and whoever
// looks at the end, finds everything that was acknowledged, once and whole, and each handoff has one taker.
func TestSoak(t *testing.T) {
	long := *soakTime
	if long == 0 {
		thorough(t)
		long = map[string]time.Duration{"ci": 6 * time.Second, "all": 2 * time.Minute}[mode()]
	}
	seed := *soakSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano()) % 1e9
	}
	r := &round{sweep: newSweep(t, build(t, ""), scenarioOf("write")), stored: setOf("a b c"), marks: map[string]bool{},
		takers: map[string]string{}, tried: map[string]bool{}, ended: map[string]int{}, end: time.Now().Add(long)}
	var all sync.WaitGroup
	for i := range workers {
		w := &worker{round: r, Rand: rand.New(rand.NewPCG(seed, uint64(i))), number: i}
		all.Go(func() {
			for time.Now().Before(r.end) && !t.Failed() {
				w.one()
			}
		})
	}
	for time.Now().Before(r.end) && !t.Failed() {
		r.look()
	}
	all.Wait()
	r.acts.check(t)
	if last := r.run("write", "d.md"); last.code != 0 {
		t.Errorf("the last write has exit code %d: %s", last.code, last.stderr)
	}
	r.look()
	now := look(r.dir)
	for mark := range r.marks {
		if now.events["mark_read "+mark]+now.events["take "+mark] == 0 { // who takes has read
			t.Errorf("the mark %s is lost", mark)
		}
	}
	for topic, by := range r.takers {
		if now.events["take "+topic+" "+by] == 0 {
			t.Errorf("the take of %s by %s is lost", topic, by)
		}
	}
	for _, f := range append(now.clean(), r.verify(false)...) {
		if !strings.Contains(f, "INDEX.md has") && !isAgain.MatchString(f) { // others than ben have marks too
			t.Error(f)
		}
	}
	t.Logf("seed %d, %d stored, %d taken; commands and their exit codes, -1 for a kill: %v", seed, len(r.stored),
		len(r.takers), r.ended)
}

func setOf(s string) map[string]bool {
	set := map[string]bool{}
	for _, word := range words(s) {
		set[word] = true
	}
	return set
}

// look lists all, as a reader, and says what is missing that was acknowledged before, and which batches are there in
// part.
func (r *round) look() {
	r.mu.Lock()
	stored := maps.Clone(r.stored)
	r.mu.Unlock()
	list := r.run("list", "--all", "--format", "ids")
	if list.code != 0 || list.stderr != "" {
		r.t.Errorf("list has exit code %d: %s", list.code, list.stderr)
	}
	shown := map[string]bool{}
	for _, id := range strings.Fields(list.stdout) {
		shown[id] = true
	}
	for topic := range stored {
		if !shown[idOf(topic)] {
			r.t.Errorf("%s is acknowledged and not listed", topic)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for batch := range r.tried {
		n := 0
		for i := range 3 {
			if shown[idOf(fmt.Sprint(batch, "x", i))] {
				n++
			}
		}
		if n%3 != 0 {
			r.t.Errorf("%d of 3 of the batch %s are listed", n, batch)
		}
	}
}

// one gives a command.
func (w *worker) one() {
	w.count++
	name := fmt.Sprintf("w%dc%d", w.number, w.count)
	me := fmt.Sprintf("op%d", w.number)
	w.mu.Lock()
	topic := slices.Sorted(maps.Keys(w.stored))[w.IntN(len(w.stored))]
	mine := slices.DeleteFunc(slices.Sorted(maps.Keys(w.takers)), func(topic string) bool { return w.takers[topic] != me })
	w.mu.Unlock()
	switch w.IntN(8) {
	case 0, 1:
		mustWrite(w.t, filepath.Join(w.dir, name+".md"), doc(name))
		if w.give(0, "write", name+".md") {
			w.acknowledge(func() { w.stored[name] = true })
		}
	case 2:
		w.acknowledge(func() { w.tried[name] = true })
		for i := range 3 {
			mustWrite(w.t, filepath.Join(w.dir, name, fmt.Sprint(i, ".md")), doc(fmt.Sprint(name, "x", i)))
		}
		if w.give(0, "write", name) {
			w.acknowledge(func() {
				for i := range 3 {
					w.stored[fmt.Sprint(name, "x", i)] = true
				}
			})
		}
	case 3, 4:
		if w.give(0, "mark-read", idOf(topic), me) {
			w.acknowledge(func() { w.marks[topic+" "+me] = true })
		}
	case 5, 6:
		if w.give(11, "take", idOf(topic), "--for-other", "--operator", me) {
			w.acknowledge(func() { w.takers[topic] = me })
		}
	case 7:
		if len(mine) > 0 && w.give(11, "release", idOf(mine[0]), "--operator", me) {
			w.acknowledge(func() {
				if w.takers[mine[0]] == me { // else another one has it by now
					delete(w.takers, mine[0])
				}
			})
		}
	}
}

func (w *worker) acknowledge(do func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	do()
}

// give gives a command, which may be killed or stopped at any time, and reports whether it ended with 0. It must, or
// with the other code.
func (w *worker) give(other int, args ...string) bool {
	cmd := exec.Command(w.bin, args...)
	var stderr bytes.Buffer
	cmd.Dir, cmd.Stderr, cmd.Env = w.dir, &stderr, environ(w.dir)
	began := time.Now()
	if err := cmd.Start(); err != nil {
		w.t.Error(err)
		return false
	}
	isStopped, isKilled, done := w.IntN(8) == 0, w.IntN(5) == 0, make(chan bool)
	after := time.Duration(w.IntN(80)) * time.Millisecond
	var signals sync.WaitGroup
	signals.Go(func() {
		select {
		case <-done:
			return
		case <-time.After(after):
		}
		if isStopped {
			_ = cmd.Process.Signal(syscall.SIGSTOP)
			time.Sleep(100 * time.Millisecond)
			_ = cmd.Process.Signal(syscall.SIGCONT)
		}
		if isKilled {
			_ = cmd.Process.Kill()
		}
	})
	_ = cmd.Wait()
	close(done)
	signals.Wait()
	code := cmd.ProcessState.ExitCode()
	if code != 0 && code != -1 && code != other {
		w.t.Errorf("%v: exit code %d: %s", args, code, stderr.String())
	}
	w.acknowledge(func() { w.ended[fmt.Sprint(args[0], "=", code)]++ })
	w.acts.addCommand(args, began, code)
	return code == 0
}
