//go:build linux

package store_test

import (
	"bufio"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/log"
)

// look reads the store as a user: what is listed, marked and taken. Warnings and damage are errors.
func (b *bench) look(user string) (is map[string]bool, err error) {
	var warned []string
	s := at(b.site, user, &warned)
	look, err := s.Look(false)
	if err != nil {
		return nil, err
	}
	is = map[string]bool{}
	var errs []error
	dir, err := s.Open()
	if dir != nil {
		defer dir.Close()
	}
	errs = append(errs, err)
	for _, h := range look.Listed() {
		d, _, err := s.Load(dir, h)
		errs = append(errs, err)
		is[d.Topic] = true
		l := look.Life(h)
		if l.IsReadBy("ben") {
			is["mark "+d.Topic] = true
		}
		if l.IsHeldBy("ben", "s1") {
			is["take "+d.Topic] = true
		}
	}
	if len(warned) > 0 || len(look.Missing) > 0 {
		errs = append(errs, fmt.Errorf("warned %q, %d are missing", warned, len(look.Missing)))
	}
	return is, errors.Join(errs...)
}

// logged counts the events of each kind.
func (b *bench) logged() map[string]int {
	text, _ := os.ReadFile(filepath.Join(b.site, "project", ".run", log.FileName))
	counts := map[string]int{}
	for _, m := range regexp.MustCompile(`"event_type":"([a-z_.]+)","payload":\{.*?(?:"topic":"(\w+)"|\})`).
		FindAllStringSubmatch(string(text), -1) {
		counts[strings.TrimSpace(m[1]+" "+m[2])]++
	}
	return counts
}

// A scenario is a command after others. A command "X by bob" is one of another user, "X by CALL:HOW" one that an
// injection kills.
type scenario struct {
	name    string
	prepare []string
	command string
	user    string
}

// wants returns what the command adds.
func (sc scenario) wants() map[string]bool {
	verb, rest, _ := strings.Cut(sc.command, " ")
	is := map[string]bool{}
	for _, topic := range strings.Fields(rest) {
		is[topic] = true
		if verb != "write" {
			is[verb+" "+topic] = true
			is["mark "+topic] = true // who takes has read
		}
	}
	return is
}

var scenarios = []scenario{
	{name: "first write", command: "write a"},
	{name: "first batch", command: "write a b c"},
	{name: "write", prepare: []string{"write p q"}, command: "write a"},
	{name: "batch", prepare: []string{"write p"}, command: "write a b c"},
	{name: "mark", prepare: []string{"write p q"}, command: "mark p"},
	{name: "take", prepare: []string{"write p q"}, command: "take p"},
	{name: "existing", prepare: []string{"write p q"}, command: "write p"},
	{name: "existing, of another user", prepare: []string{"write q", "write p by bob"}, command: "write p"},
	{name: "write after another user", prepare: []string{"write q", "write p by bob"}, command: "write a"},
	{name: "write by somebody without a pin", prepare: []string{"write q p"}, command: "write a", user: "bob"},
	{name: "adoption", prepare: []string{"write p q", "copy a"}, command: "write a"},
	{name: "write after a killed batch", prepare: []string{"write p q", "write x y by kill"}, command: "write a"},
}

// errnos are what calls fail with.
var errnos = []string{"ENOSPC", "EIO", "EROFS", "EMFILE", "EDQUOT", "EACCES", "EINTR"}

// injections returns all that is done to calls: kills where something is changed, and errors everywhere.
func injections(calls []call) (kills, failures []string) {
	for _, c := range calls {
		if changesDisk.MatchString(c.line) {
			kills = append(kills, fmt.Sprintf("%s:signal=KILL:when=%d", c.name, c.n))
		}
		for _, errno := range errnos {
			forGood := fmt.Sprintf("%s:error=%s:when=%d+", c.name, errno, c.n)
			if errno == "EINTR" { // an interrupted call is made again, without end if it never succeeds
				forGood = fmt.Sprintf("%s:error=%s:when=%d..%d", c.name, errno, c.n, c.n+3)
			}
			failures = append(failures, fmt.Sprintf("%s:error=%s:when=%d", c.name, errno, c.n), forGood)
		}
	}
	return kills, failures
}

// some draws about one of n of a list, others with each HANDOFF_SEED.
func some(list []string, n uint32) []string {
	return slices.DeleteFunc(list, func(item string) bool {
		sum := fnv.New32a()
		sum.Write([]byte(item + os.Getenv("HANDOFF_SEED")))
		return sum.Sum32()%n != 0
	})
}

var isLogSync = regexp.MustCompile(`^(fsync|fdatasync)\(`)

// killedAtCommit returns the injection that kills a batch before the sync of the log.
func killedAtCommit(t *testing.T, prepare ...string) string {
	calls := newBench(t, prepare...).calls("", "write x y")
	last := ""
	for _, c := range calls {
		if isLogSync.MatchString(c.line) {
			last = fmt.Sprintf("%s:signal=KILL:when=%d", c.name, c.n)
		}
	}
	return last
}

// Each system call fails or is the last one. Then the old state or the new one is there, and the same command again
// leads to the new one. HANDOFF_FAULTS=ci or all tries more.
func TestEachCall(t *testing.T) {
	needsStrace(t)
	share := map[string]uint32{"": 200, "ci": 25, "all": 1}[os.Getenv("HANDOFF_FAULTS")]
	for _, sc := range scenarios {
		t.Run(sc.name, func(t *testing.T) {
			t.Parallel()
			for i, command := range sc.prepare {
				if text, isKilled := strings.CutSuffix(command, " by kill"); isKilled {
					sc.prepare = slices.Clone(sc.prepare)
					sc.prepare[i] = text + " by " + killedAtCommit(t, sc.prepare[:i]...)
				}
			}
			b := newBench(t, sc.prepare...)
			before, err := b.look(sc.user)
			if err != nil {
				t.Fatal(err)
			}
			kills, failures := injections(b.calls(sc.user, sc.command))
			if share > 100 {
				kills = some(kills, 3)
			}
			hits, failed := 0, 0
			list := slices.Concat(kills, some(failures, share))
			for _, injection := range list {
				r, faults := b.try(sc, before, injection)
				for _, f := range faults {
					t.Errorf("%s: exit code %d: %v\n%s", injection, r.code, f, r.stderr)
				}
				if r.hit {
					hits++
				}
				if r.code != 0 {
					failed++
				}
			}
			t.Logf("%d injections, %d took place, %d made the command fail", len(list), hits, failed)
			if hits < len(list)*3/4 {
				t.Error("too few injections took place")
			}
		})
	}
}

// try injects a fault into the command, and says what is wrong then.
func (b *bench) try(sc scenario, before map[string]bool, injection string) (r result, faults []error) {
	b.t.Helper()
	b.reset()
	want := sc.wants()
	maps.Copy(want, before)
	r = b.run(sc.user, injection, sc.command)
	now, err := b.look(sc.user)
	faults = append(faults, err)
	isNew := maps.Equal(now, want)
	switch {
	case !isNew && !maps.Equal(now, before):
		faults = append(faults, fmt.Errorf("neither the old state nor the new one: %v", now))
	case !isNew && r.code == 0:
		faults = append(faults, fmt.Errorf("not stored: %v", now))
	case r.code == 6 && strings.Contains(r.stderr, "fingerprint is unreadable"): // it may be another machine's
	case r.code == 6 || r.code == 2 || r.code == 3 || r.code > 90:
		faults = append(faults, fmt.Errorf("exit code %d", r.code))
	}
	var warned []string
	again := act(at(b.site, sc.user, &warned), sc.command)
	if again != nil || len(warned) > 0 {
		faults = append(faults, fmt.Errorf("the repeat: %v, %q", again, warned))
	}
	now, err = b.look(sc.user)
	if faults = append(faults, err); !maps.Equal(now, want) {
		faults = append(faults, fmt.Errorf("after the repeat: %v", now))
	}
	for event, n := range b.logged() {
		if n > 1 && event != "handoff.mark_read" {
			faults = append(faults, fmt.Errorf("%d events %s", n, event))
		}
	}
	return r, slices.DeleteFunc(faults, func(err error) bool { return err == nil })
}

func needsStrace(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("starts many processes")
	}
	if _, err := exec.LookPath("strace"); err != nil {
		t.Skip("strace is not installed")
	}
}

// A write waits for the disk three times, an act once, a batch three times beside its bodies, and an answer that
// nothing is to be done never; each once more if another user was the last.
func TestSyncs(t *testing.T) {
	t.Parallel()
	needsStrace(t)
	for _, c := range []struct {
		prepare       []string
		command, user string
		want          int
	}{
		{[]string{"write p q"}, "write a", "", 3},
		{[]string{"write p q"}, "write a b c", "", 5},
		{[]string{"write p q"}, "mark p", "", 1},
		{[]string{"write p q"}, "take p", "", 1},
		{[]string{"write p q"}, "write p", "", 1}, // of its staged body
		{[]string{"write p q", "mark p"}, "mark p", "", 0},
		{[]string{"write p q"}, "write a", "bob", 4},
		{[]string{"write p q"}, "mark p", "bob", 2},
		{[]string{"write p q", "mark p"}, "mark p", "bob", 1},
	} {
		n, which := 0, ""
		for _, call := range newBench(t, c.prepare...).calls(c.user, c.command) {
			if isLogSync.MatchString(call.line) {
				n, which = n+1, which+call.line
			}
		}
		if n != c.want {
			t.Errorf("%s by %q after %q: %d syncs, want %d\n%s", c.command, c.user, c.prepare, n, c.want, which)
		}
	}
}

// Processes that are killed at any time lose nothing that they have acknowledged, and readers see no damage.
func TestKilledCrowd(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts many processes")
	}
	long := time.Second
	if os.Getenv("HANDOFF_FAULTS") == "all" {
		long = time.Minute
	}
	b := newBench(t, "write p q")
	seed := uint64(time.Now().UnixNano())
	end := time.Now().Add(long)
	var (
		mu    sync.Mutex
		acked = map[string]bool{}
		all   sync.WaitGroup
		kills int
	)
	for worker := range 3 {
		chance := rand.New(rand.NewPCG(seed, uint64(worker)))
		all.Go(func() {
			for round := 0; time.Now().Before(end); round++ {
				var commands []string
				for i := range 40 {
					name := fmt.Sprintf("w%dr%di%d", worker, round, i)
					batch := fmt.Sprintf("write %sx %[1]sy %[1]sz", name)
					commands = append(commands, "write "+name, batch, "mark "+name)
				}
				got := b.killed(worker, chance.IntN(60), commands)
				mu.Lock()
				kills++
				for _, command := range got {
					maps.Copy(acked, scenario{command: command}.wants())
				}
				mu.Unlock()
			}
		})
	}
	for looks := 0; time.Now().Before(end); looks++ {
		mu.Lock()
		want := maps.Clone(acked)
		mu.Unlock()
		b.holds(want, "reader")
	}
	all.Wait()
	if err := act(at(b.site, "", new([]string)), "write last"); err != nil {
		t.Error(err)
	}
	b.holds(acked, "")
	for event, n := range b.logged() {
		if n > 1 && event != "handoff.mark_read" {
			t.Errorf("%d events %s", n, event)
		}
	}
	t.Logf("%d kills, %d facts acknowledged, seed %d", kills, len(acked), seed)
}

// killed runs commands of a user that are killed after some milliseconds, and returns those that said that they did it.
func (b *bench) killed(worker, after int, commands []string) (done []string) {
	cmd := b.command(fmt.Sprint(worker%2), nil, commands...)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		b.t.Error(err)
		return nil
	}
	timer := time.AfterFunc(time.Duration(after)*time.Millisecond, func() { cmd.Process.Kill() })
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		done = append(done, lines.Text())
	}
	cmd.Wait()
	timer.Stop()
	if code := cmd.ProcessState.ExitCode(); code != 0 && code != gone {
		b.t.Errorf("worker %d: exit code %d", worker, code)
	}
	return done
}

// holds reports what is not there of what was acknowledged, and batches that are there in part.
func (b *bench) holds(want map[string]bool, user string) {
	is, err := b.look(user)
	if err != nil {
		b.t.Error(err)
	}
	for fact := range want {
		if !is[fact] {
			b.t.Errorf("%s was acknowledged, and is not there", fact)
		}
	}
	for fact := range is {
		name, isPart := strings.CutSuffix(fact, "x")
		if isPart && (!is[name+"y"] || !is[name+"z"]) {
			b.t.Errorf("the batch %s is there in part", name)
		}
	}
}
