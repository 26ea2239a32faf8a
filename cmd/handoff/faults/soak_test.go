//go:build linux

package faults_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
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
	soakSeed = flag.Uint64("soakseed", 0, "what the first round of TestSoak begins with, as a failure names it; another one each time if 0")
)

// A round is a store at which many work at once.
type round struct {
	program
	*claims
	t      *testing.T
	dir    string
	end    time.Time
	ended  map[string]int // command and how it ended → how often
	faults []string
}

// A worker gives one command after the other. Which ones, and which of them are killed or stopped, its seed says.
type worker struct {
	*round
	*rand.Rand
	number, count int
	last          int                      // exit code
	isTame        bool                     // its commands are neither killed nor stopped
	took          map[string]time.Duration // by a command the last time
}

const workers = 8

// Workers give all commands at once, and many of these are killed or stopped for a while. Whoever looks on, and whoever
// looks at the end, finds everything that was acknowledged, once and whole.
func TestSoak(t *testing.T) {
	left := *soakTime
	if left == 0 {
		if os.Getenv("HANDOFF_FAULTS") == "" {
			t.Skip("takes as long as is wanted: -soak 15m -timeout 0, or HANDOFF_FAULTS=ci for 6 seconds")
		}
		left = map[bool]time.Duration{false: 6, true: 12}[os.Getenv("HANDOFF_FAULTS") == "all"] * time.Second
	}
	if last, ok := t.Deadline(); ok && time.Until(last) < left+time.Minute {
		t.Fatal("go test ends this before: give it -timeout 0 too")
	}
	seed := *soakSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano()) % 1e9
	}
	p, end := program{build(t), memory(t)}, time.Now().Add(left)
	for ; time.Now().Before(end); seed++ {
		t.Run(fmt.Sprintf("soakseed %d", seed), func(t *testing.T) {
			r := soak(t, p, seed, min(time.Until(end), 40*time.Second))
			r.atTheEnd()
			for _, f := range r.faults {
				t.Error(f)
			}
			t.Log(r.summary())
		})
	}
}

// soak lets workers work at a new store for a while.
func soak(t *testing.T, p program, seed uint64, long time.Duration) *round {
	t.Helper()
	dir := p.newSite(t)
	t.Cleanup(func() { os.RemoveAll(filepath.Dir(dir)) })
	mustWrite(t, filepath.Join(dir, "editor"), "#!/bin/sh\necho \"typed by $$\" >>\"$1\"\n")
	if err := os.Chmod(filepath.Join(dir, "editor"), 0o755); err != nil {
		t.Fatal(err)
	}
	r := &round{program: p, claims: newClaims(), t: t, dir: dir, end: time.Now().Add(long), ended: make(map[string]int)}
	r.prepare()
	var all sync.WaitGroup
	for i := range workers + 1 { // the last one only looks on
		w := r.worker(seed, i)
		w.isTame = i == workers
		all.Go(func() {
			for time.Now().Before(r.end) && !r.isWrong() {
				if w.isTame {
					w.look()
				} else {
					w.one()
				}
			}
		})
	}
	all.Wait()
	return r
}

func (r *round) worker(seed uint64, number int) *worker {
	return &worker{round: r, Rand: rand.New(rand.NewPCG(seed, uint64(number))), number: number, took: make(map[string]time.Duration)}
}

// fault notes what must not be.
func (w *worker) fault(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.faults = append(w.faults, fmt.Sprintf("worker %d, command %d: %s", w.number, w.count, fmt.Sprintf(format, args...)))
}

func (r *round) isWrong() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.faults) > 0
}

// run gives a command. It may be killed or stopped at any time.
func (w *worker) run(stdin string, args ...string) result {
	w.count++
	cmd := exec.Command(w.bin, args...)
	var stdout, stderr bytes.Buffer
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = w.dir, strings.NewReader(stdin), &stdout, &stderr
	cmd.Env = append(environ(w.dir), "HANDOFF_OPERATOR=ben", "VISUAL=", "EDITOR="+filepath.Join(w.dir, "editor"), "PATH="+os.Getenv("PATH"))
	cmd.WaitDelay = time.Minute
	kills, stops := !w.isTame && w.IntN(6) == 0, !w.isTame && w.IntN(8) == 0
	after, pause := time.Duration(w.Float64()*float64(w.took[args[0]])), time.Duration(w.IntN(150))*time.Millisecond
	begin := time.Now()
	hangUp, err := onAnyTerminal(cmd, &stderr)
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		w.fault("%v", err)
		return result{code: -2}
	}
	done := make(chan struct{})
	var signals sync.WaitGroup
	signals.Go(func() {
		send := func(signal os.Signal, wait time.Duration) {
			select {
			case <-done:
			case <-time.After(wait):
				cmd.Process.Signal(signal)
			}
		}
		if stops {
			send(syscall.SIGSTOP, after)
			send(syscall.SIGCONT, pause)
		}
		if kills {
			send(os.Kill, after)
		}
	})
	err = cmd.Wait()
	hangUp()
	close(done)
	signals.Wait()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) && cmd.ProcessState.ExitCode() == 0 {
		w.fault("%v: %v", args, err)
	}
	r := result{code: cmd.ProcessState.ExitCode(), stdout: stdout.String(), stderr: stderr.String()}
	w.last = r.code
	if r.code == 0 && !stops {
		w.took[args[0]] = time.Since(begin)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended[fmt.Sprintf("%s=%d", args[0], r.code)]++
	return r
}

// done gives a command that must end with 0, if it is not killed, or with one of the other codes. It says whether it was 0.
func (w *worker) done(r result, args []string, others ...int) bool {
	if r.code != 0 && r.code != -1 && !slices.Contains(others, r.code) {
		w.fault("%v: exit code %d: %s%s", args, r.code, r.stdout, r.stderr)
	}
	return r.code == 0
}

func (r *round) summary() string {
	var list []string
	for _, how := range slices.Sorted(maps.Keys(r.ended)) {
		list = append(list, fmt.Sprintf("%s: %d", how, r.ended[how]))
	}
	return fmt.Sprintf("%d handoffs, %d marks, %d tokens acknowledged; commands and their exit codes, -1 for a kill: %s", len(r.there), len(r.marks), len(r.tokens), strings.Join(list, ", "))
}

// inEachIndex replaces what matches in INDEX.md and the archives. It fails where nothing does.
func inEachIndex(what *regexp.Regexp, by string) func(dir string) error {
	return func(dir string) error {
		files, err := filepath.Glob(filepath.Join(dir, "handoffs/INDEX*.md"))
		found := false
		for _, file := range files {
			var text []byte
			if text, err = os.ReadFile(file); err == nil && what.Match(text) {
				found, err = true, os.WriteFile(file, what.ReplaceAll(text, []byte(by)), 0o644)
			}
			if err != nil {
				return err
			}
		}
		if !found {
			err = errors.New("no index file was damaged")
		}
		return err
	}
}

// What a round would not see at its end if it were there is nothing that it holds off.
func TestSoakFindsDamage(t *testing.T) {
	thorough(t)
	p := program{build(t), memory(t)}
	whole := soak(t, p, 1, 3*time.Second)
	w := whole.worker(1, workers)
	w.isTame = true
	for len(whole.tokens) == 0 || len(whole.marks) == 0 {
		if w.resume(); whole.isWrong() {
			break
		}
		w.mark()
	}
	for range 70 { // more rows than INDEX.md has: the marks are in archives, and the journal does not bring them back
		w.write()
	}
	whole.atTheEnd()
	if whole.isWrong() {
		t.Fatal(whole.faults)
	}
	kept, err := p.kept(filepath.Dir(whole.dir))
	if err != nil {
		t.Fatal(err)
	}
	archive, log := "handoffs/INDEX-0001.md", ".run/consumed-tokens.jsonl" // what INDEX.md lacks comes back by itself
	for name, damage := range map[string]func(string) error{
		"the marks lost":  inEachIndex(regexp.MustCompile(`\| (ben|cat|dan|op\d):[^|]*\|`), "| |"),
		"a token lost":    edited(log, func(text []byte) []byte { return text[:bytes.LastIndexByte(text[:len(text)-1], '\n')+1] }),
		"a token twice":   edited(log, func(text []byte) []byte { return append(text, text...) }),
		"an archive lost": removed(archive),
	} {
		r := *whole
		if err := errors.Join(putBack(filepath.Dir(r.dir), kept), damage(r.dir)); err != nil {
			t.Error(name, err)
		}
		if r.atTheEnd(); !r.isWrong() {
			t.Errorf("%s: nothing was found", name)
		}
	}
	for name, forged := range map[string]deed{"never done": {"done", whole.order[0], "late"}, "never signed": {"sign", whole.order[0], "late"}} {
		r := *whole
		r.life.done[forged]++
		if r.deeds(r.worker(1, workers+1)); !r.isWrong() {
			t.Errorf("%s: nothing was found", name)
		}
		delete(r.life.done, forged)
	}
}
