//go:build linux

package faults_test

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/testdata/remotetest"
)

var numClones = flag.Int("clones", 8, "how many clones TestClones has")

// Clones are projects that are exchanged over one remote, with what was acknowledged.
type clones struct {
	*testing.T
	bucket    *remotetest.Bucket // nil if the remote is a git repository
	bin, root string
	mu        sync.Mutex
	stored    map[string]bool
	marks     map[string]bool   // topic and operator
	takers    map[string]string // topic → who took it
	done      map[string]bool
	ended     map[string]int // command and how it ended → how often
	acts      actions
}

// add makes a clone, and returns its directory.
func (c *clones) add(name string) (dir string) {
	c.Helper()
	dir = filepath.Join(c.root, name, "project")
	must(c.T, c.root, "git", "init", "-q", dir)
	must(c.T, dir, "git", "remote", "add", "origin", filepath.Join(c.root, "remote.git"))
	must(c.T, dir, c.bin, "init")
	if c.bucket != nil {
		text, err := os.ReadFile(filepath.Join(dir, ".handoff.yaml"))
		if err != nil {
			c.Fatal(err)
		}
		mustWrite(c.T, filepath.Join(dir, ".handoff.yaml"), string(text)+"remote: farm\n")
	}
	must(c.T, dir, c.bin, "sync")
	return dir
}

// give gives a command in a clone, which may be killed at any time, and reports whether it ended with 0.
func (c *clones) give(r *rand.Rand, dir string, args ...string) bool {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	if r.IntN(5) == 0 {
		time.AfterFunc(time.Duration(r.IntN(400))*time.Millisecond, stop)
	}
	cmd := exec.CommandContext(ctx, c.bin, args...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = dir, environ(dir), time.Second
	began := time.Now()
	out, _ := cmd.CombinedOutput()
	code := -1
	if cmd.ProcessState != nil {
		code = cmd.ProcessState.ExitCode()
	}
	switch {
	case code == 0, code == -1, code == 11:
	case code == 1 && strings.Contains(string(out), "a log of the remote has moved"): // others were quicker
	default:
		c.Errorf("%v in %s: exit code %d: %s", args, dir, code, out)
	}
	c.mu.Lock()
	c.ended[fmt.Sprint(args[0], "=", code)]++
	c.mu.Unlock()
	c.acts.addCommand(args, began, code)
	return code == 0
}

// one gives a random command in a clone.
func (c *clones) one(r *rand.Rand, dir, me string, n int) {
	c.mu.Lock()
	topic := slices.Sorted(maps.Keys(c.stored))[r.IntN(len(c.stored))]
	mine := slices.Sorted(maps.Keys(c.takers))
	mine = slices.DeleteFunc(mine, func(topic string) bool { return c.takers[topic] != me })
	c.mu.Unlock()
	list := start(dir, c.bin, "list", "--all", "--format", "ids")
	switch k := r.IntN(6); {
	case k == 0:
		name := fmt.Sprint(me, "n", n)
		mustWrite(c.T, filepath.Join(dir, name+".md"), doc(name))
		if c.give(r, dir, "write", name+".md") {
			c.acknowledge(func() { c.stored[name] = true })
		}
	case k == 1 || !strings.Contains(list.stdout, idOf(topic)):
		c.give(r, dir, "sync")
	case k == 2:
		if c.give(r, dir, "mark-read", idOf(topic), me) {
			c.acknowledge(func() { c.marks[topic+" "+me] = true })
		}
	case k == 3 && len(mine) > 0:
		topic = mine[r.IntN(len(mine))]
		if r.IntN(3) > 0 {
			if c.give(r, dir, "release", idOf(topic), "--operator", me) {
				c.acknowledge(func() {
					if c.takers[topic] == me { // else another one has it by now
						delete(c.takers, topic)
					}
				})
			}
		} else if c.give(r, dir, "done", idOf(topic), "--for-other", "--operator", me) {
			c.acknowledge(func() { c.done[topic] = true })
		}
	default:
		if c.give(r, dir, "take", idOf(topic), "--for-other", "--operator", me) {
			c.acknowledge(func() { c.takers[topic] = me })
		}
	}
}

func (c *clones) acknowledge(do func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	do()
}

// Clones write, mark, take, finish and sync at once, and many are killed; answers of an object store get lost. In the
// end all of them and a fresh one say the same, and have all that was acknowledged.
func TestClones(t *testing.T) {
	t.Parallel()
	thorough(t)
	needs(t, "git")
	bin := build(t, "")
	t.Run("git", func(t *testing.T) { (&clones{T: t, bin: bin, root: t.TempDir()}).run() })
	t.Run("s3", func(t *testing.T) {
		c := &clones{T: t, root: t.TempDir(), bucket: remotetest.NewBucket(t)}
		c.bucket.Loses, c.bucket.Conflicts = 0.05, 0.05
		helper := exec.Command("go", "build", "-o", c.root, "./cmd/handoff-remote-s3")
		helper.Dir, helper.Env = module, append(os.Environ(), "CGO_ENABLED=0")
		if out, err := helper.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		mustWrite(t, filepath.Join(c.root, "handoff", "config.yaml"),
			"remotes: {farm: {url: 's3://b/farm', endpoint: '"+c.bucket.URL+"', region: eu-north-1}}\n")
		c.bin = filepath.Join(c.root, "with-bucket")
		mustWrite(t, c.bin, "#!/bin/sh\nexport XDG_CONFIG_HOME="+c.root+" PATH="+c.root+":$PATH AWS_ACCESS_KEY_ID=key "+
			"AWS_SECRET_ACCESS_KEY=secret AWS_EC2_METADATA_DISABLED=true\nexec "+bin+" \"$@\"\n")
		if err := os.Chmod(c.bin, 0o755); err != nil {
			t.Fatal(err)
		}
		c.run()
	})
}

func (c *clones) run() {
	long := map[string]time.Duration{"ci": 15 * time.Second, "all": 2 * time.Minute}[mode()]
	if *soakTime != 0 {
		long = *soakTime
	}
	seed := *soakSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano()) % 1e9
	}
	c.stored, c.marks, c.takers = setOf("a"), map[string]bool{}, map[string]string{}
	c.done, c.ended = map[string]bool{}, map[string]int{}
	must(c.T, c.root, "git", "init", "-q", "--bare", "remote.git")
	var dirs []string
	for i := range *numClones {
		dirs = append(dirs, c.add(fmt.Sprint("clone", i)))
	}
	mustWrite(c.T, filepath.Join(dirs[0], "a.md"), doc("a"))
	must(c.T, dirs[0], c.bin, "write", "a.md")
	end := time.Now().Add(long)
	var all sync.WaitGroup
	for i, dir := range append(dirs, dirs[0]) { // two processes in the first
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		all.Go(func() {
			for n := 0; time.Now().Before(end) && !c.Failed(); n++ {
				c.one(r, dir, fmt.Sprint("op", i), n)
			}
		})
	}
	all.Wait()
	c.Logf("seed %d, %d stored, %d marked, %d taken, %d done: %v", seed, len(c.stored), len(c.marks), len(c.takers),
		len(c.done), c.ended)
	c.acts.check(c.T)
	c.agree(append(dirs, c.add("fresh")))
}

// logs returns what the remote has.
func (c *clones) logs(dir string) string {
	if c.bucket == nil {
		return must(c.T, dir, "git", "ls-remote", "origin")
	}
	c.bucket.Lock()
	defer c.bucket.Unlock()
	return strings.Join(slices.Sorted(maps.Keys(c.bucket.Objects)), "\n")
}

// agree compares clones after two more syncs, of which the second has no news.
func (c *clones) agree(dirs []string) {
	for range 2 {
		for _, dir := range dirs {
			must(c.T, dir, c.bin, "sync")
		}
	}
	logs := c.logs(dirs[0])
	first := c.says(dirs[0])
	for _, dir := range dirs {
		must(c.T, dir, c.bin, "sync")
		must(c.T, dir, c.bin, "verify")
		says := c.says(dir)
		if says != first {
			c.Errorf("%s says\n%s\nwhile %s says\n%s", dir, says, dirs[0], first)
		}
		for topic := range c.stored {
			if !strings.Contains(says, idOf(topic)) {
				c.Errorf("%s has not %s", dir, topic)
			}
		}
		seen := look(dir)
		for mark := range c.marks {
			topic, by, _ := strings.Cut(mark, " ")
			if seen.events["mark_read "+mark]+seen.events["take "+topic+" "+by] == 0 {
				c.Errorf("%s has not the mark %s", dir, mark)
			}
		}
		for topic, by := range c.takers {
			if seen.events["take "+topic+" "+by] == 0 {
				c.Errorf("%s has not the take of %s by %s", dir, topic, by)
			}
			if c.done[topic] && seen.events["done "+topic+" "+by] == 0 {
				c.Errorf("%s has not the done of %s by %s", dir, topic, by)
			}
		}
	}
	if now := c.logs(dirs[0]); now != logs {
		c.Errorf("a sync without news has changed\n%s to\n%s", logs, now)
	}
}

// says returns what a clone lists.
func (c *clones) says(dir string) string {
	lines := strings.Split(must(c.T, dir, c.bin, "list", "--all", "--json"), "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}
