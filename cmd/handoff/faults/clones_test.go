//go:build linux

package faults_test

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

var (
	cloneCount  = flag.Int("replicas", 4, "how many clones TestSimulateClones has")
	cloneRounds = flag.Int("rounds", 4, "how often each clone of TestSimulateClones does something")
	cloneSeed   = flag.Uint64("cloneseed", 0, "what TestSimulateClones begins with, as a failure names it; another one each time if 0")
)

// A crowd is many clones of a project and the one repository that they exchange their handoffs through.
type crowd struct {
	*claims
	t       *testing.T
	program program
	hub     string
	all     []*worker         // one for each clone
	tokens  []string          // ids that everybody tries to resume
	winners map[string]string // of these: id → operator
	life    lives
	pushing sync.Mutex
	tracked bool // handoffs are committed with the code, and branches are merged
}

func newCrowd(t *testing.T, p program, seed uint64, n int, tracked bool) *crowd {
	t.Helper()
	needs(t, "git")
	t.Setenv("HOME", t.TempDir())
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	for _, kind := range []string{"AUTHOR", "COMMITTER"} {
		t.Setenv("GIT_"+kind+"_NAME", "ann")
		t.Setenv("GIT_"+kind+"_EMAIL", "ann@example.com")
	}
	dir, err := os.MkdirTemp(p.tmp, "clones-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	c := &crowd{claims: newClaims(), t: t, program: p, hub: filepath.Join(dir, "hub.git"), winners: make(map[string]string), life: newLives(), tracked: tracked}
	must(t, dir, "git", "init", "-q", "--bare", "--initial-branch=main", c.hub)
	kind := "git: synced\n"
	if tracked {
		kind = "git: tracked\n"
		first := filepath.Join(dir, "first")
		must(t, dir, "git", "clone", "-q", c.hub, first)
		must(t, first, p.bin, "init", "--git", "tracked")
		must(t, first, "git", "add", "-A")
		must(t, first, "git", "commit", "-q", "-m", "begin")
		must(t, first, "git", "push", "-q", "origin", "HEAD:main")
	}
	urls := []string{c.hub}
	if !tracked {
		urls = append(urls, served(t, dir)...)
	}
	hosts := hasHosts(t)
	for i := range n {
		root := filepath.Join(dir, fmt.Sprintf("clone%d", i))
		must(t, dir, "git", "clone", "-q", c.hub, root)
		if !tracked {
			mustWrite(t, filepath.Join(root, ".handoff.yaml"), kind)
			must(t, root, "git", "remote", "set-url", "origin", urls[i%len(urls)])
		}
		r := &round{program: p, claims: c.claims, t: t, dir: root, ended: make(map[string]int)}
		w := r.worker(seed, i)
		if hosts {
			w.host = fmt.Sprintf("host%d", i)
		}
		c.all = append(c.all, w)
	}
	return c
}

// each has every clone do something, several at a time.
func (c *crowd) each(do func(*worker)) {
	var all sync.WaitGroup
	free := make(chan bool, 4)
	for _, w := range c.all {
		all.Go(func() {
			free <- true
			do(w)
			<-free
		})
	}
	all.Wait()
}

func (c *crowd) faults() (all []string) {
	for _, w := range c.all {
		for _, f := range w.faults {
			all = append(all, filepath.Base(w.dir)+": "+f)
		}
	}
	return all
}

// share exchanges what a clone has with the others.
func (c *crowd) share(w *worker) {
	if c.tracked {
		c.merge(w)
		return
	}
	args := []string{"sync"}
	w.done(w.run("", args...), args, 4, 7) // what a killed one has left runs, or the hub refuses
}

// merge commits, merges and pushes as people do. There is never a conflict.
func (c *crowd) merge(w *worker) {
	git := func(args ...string) bool {
		cmd := exec.Command("git", args...)
		cmd.Dir = w.dir
		out, err := cmd.CombinedOutput()
		if err != nil && args[0] != "push" {
			w.fault("git %v: %v: %s", args, err, out)
		}
		return err == nil
	}
	git("add", "-A")
	git("commit", "-q", "--allow-empty", "-m", "more")
	lands := func() bool {
		git("fetch", "-q", "origin")
		return !git("merge", "-q", "--no-edit", "origin/main") || git("push", "-q", "origin", "HEAD:main")
	}
	if lands() {
		return
	}
	c.pushing.Lock() // somebody was faster, and once is enough
	defer c.pushing.Unlock()
	for range 20 {
		if lands() {
			return
		}
	}
}

// act is one of the things that people do in a clone.
func (c *crowd) act(w *worker, round int) {
	switch n := w.IntN(16); {
	case n < 3:
		w.write()
	case n < 5:
		c.mark(w)
	case c.tracked: // what is done with a handoff stays in its clone
	case n < 8:
		c.resume(w, c.tokens[round%len(c.tokens)])
	case n < 10:
		c.task(w)
	case n < 14:
		c.letter(w)
	default:
		c.retire(w)
	}
	if w.IntN(3) > 0 {
		c.share(w)
	}
}

// begin has every clone write something, and all of them know of all of it.
func (c *crowd) begin() {
	c.tame(func(w *worker) {
		w.write()
		w.write()
		c.share(w)
	})
	c.tame(c.share)
	if !c.tracked {
		n := len(c.order) / 4
		all := slices.Clone(c.order)
		c.tokens, c.life.tasks, c.life.past, c.life.letters = all[:n], all[n:2*n], all[2*n:3*n], all[3*n:]
		w, id := c.all[0], c.life.letters[0]
		w.isTame = true
		for _, args := range [][]string{{"withdraw", id, "--operator", "ann"}, {"done", id, "--undo", "--operator", "ann"}} {
			w.done(w.run("", args...), args)
		}
		w.isTame = false
	}
}

// tame does something that nobody kills.
func (c *crowd) tame(do func(*worker)) {
	for _, w := range c.all {
		w.isTame = true
	}
	c.each(func(w *worker) {
		for range 10_000 { // what a killed one has left still runs
			do(w)
			if w.last == 0 || c.tracked {
				return
			}
		}
		w.fault("it never ends well")
	})
	for _, w := range c.all {
		w.isTame = false
	}
}

// simulate lets clones do things in any order, at once and killed at times, while the hub refuses some of what it gets.
func simulate(t *testing.T, p program, seed uint64, n, rounds int, tracked bool) *crowd {
	t.Helper()
	c := newCrowd(t, p, seed, n, tracked)
	c.begin()
	if !tracked {
		c.contest()
	}
	if len(c.faults()) > 0 {
		return c
	}
	refuses := filepath.Join(c.hub, "hooks", "update")
	mustWrite(t, refuses, "#!/bin/sh\n[ $(($(od -An -N1 -tu1 /dev/urandom) % 8)) != 0 ]\n")
	if err := os.Chmod(refuses, 0o755); err != nil {
		t.Fatal(err)
	}
	for round := range rounds {
		c.each(func(w *worker) { c.act(w, round) })
		if len(c.faults()) > 0 {
			return c
		}
		if round == rounds/2 && !tracked {
			c.rewrite()
			c.copy()
		}
	}
	if err := os.Remove(refuses); err != nil {
		t.Fatal(err)
	}
	c.end()
	return c
}

// However many clones write, mark, resume, merge and exchange what they have, in whatever order, killed, refused, rewritten and
// copied: all end with the same, nothing is lost, and one has won each token.
func TestSimulateClones(t *testing.T) {
	thorough(t)
	seed := *cloneSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano()) % 1e9
	}
	p := program{build(t), memory(t)}
	for _, kind := range []string{"synced", "tracked"} {
		t.Run(kind, func(t *testing.T) {
			c := simulate(t, p, seed, *cloneCount, *cloneRounds, kind == "tracked")
			for _, f := range c.faults() {
				t.Errorf("cloneseed %d: %s", seed, f)
			}
			ended := make(map[string]int)
			for _, w := range c.all {
				for how, n := range w.ended {
					ended[how] += n
				}
			}
			t.Logf("%d handoffs, %d marks, %d tokens, %d handoffs done, %d archived, %d letters acknowledged; commands and their exit codes, -1 for a kill: %v",
				len(c.there), len(c.marks), len(c.winners), len(c.life.over), len(c.life.archived), len(c.life.last), ended)
		})
	}
}

// contest has one clone resume what another one wins after the first has looked at the hub, and before it pushes. One of
// them has it.
func (c *crowd) contest() {
	slow, quick, id := c.all[0], c.all[1], c.tokens[0]
	bin := filepath.Join(filepath.Dir(c.hub), "bin")
	git, err := exec.LookPath("git")
	if err != nil {
		c.t.Fatal(err)
	}
	mustWrite(c.t, filepath.Join(bin, "git"), fmt.Sprintf(`#!/bin/sh
case " $* " in
*" push "*)
	if mkdir %[1]s/once 2>/dev/null; then
		echo >%[1]s/pushes
		read -r _ <%[1]s/may
	fi ;;
esac
exec %[2]s "$@"
`, bin, git))
	pipe := func(name string) *os.File {
		path := filepath.Join(bin, name)
		f, err := (*os.File)(nil), unix.Mkfifo(path, 0o600)
		if err == nil {
			f, err = os.OpenFile(path, os.O_RDWR|unix.O_NONBLOCK, 0)
		}
		if err = errors.Join(err, os.Chmod(filepath.Join(bin, "git"), 0o755)); err != nil {
			c.t.Fatal(err)
		}
		return f
	}
	pushes, may := pipe("pushes"), pipe("may")
	defer may.Close()
	var other sync.WaitGroup
	isContested := false
	other.Go(func() {
		if _, err := pushes.Read(make([]byte, 1)); err == nil {
			isContested = true
			c.resume(quick, id)
			_, _ = may.WriteString("\n")
		}
	})
	slow.isTame, quick.isTame, slow.path = true, true, bin+":"
	c.resume(slow, id)
	slow.isTame, quick.isTame, slow.path = false, false, ""
	pushes.Close()
	other.Wait()
	if !isContested {
		slow.fault("it resumes %s without a push", id)
	}
}

// What takes one side of an exchange, and a claim that is forced, are found by the simulation.
func TestSimulateClonesFindsDamage(t *testing.T) {
	if !thorough(t) {
		t.Skip("tries many histories: set HANDOFF_FAULTS=all")
	}
	damages := map[string]*regexp.Regexp{
		"a-merge-that-takes-one-side": regexp.MustCompile("as read by"),
		"an-undo-that-counts-nowhere": regexp.MustCompile("has not what the first one has"),
		"a-claim-that-is-forced":      regexp.MustCompile("(resumed|taken|done) by|was moved"),
	}
	for _, how := range slices.Sorted(maps.Keys(damages)) {
		t.Run(how, func(t *testing.T) {
			p := program{broken(t, how), memory(t)}
			for seed := range uint64(20) {
				c := simulate(t, p, seed, 6, 5, false)
				if slices.ContainsFunc(c.faults(), damages[how].MatchString) {
					t.Logf("cloneseed %d: %.300q", seed, c.faults())
					return
				}
			}
			t.Error("nothing was found")
		})
	}
}
