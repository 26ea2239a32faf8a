//go:build linux

package faults_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// syncs are the scenarios that have no model of what is on disk: git does a part of them, or they leave the store as it is.
func syncs() []scenario {
	topics, one := words("f g h i j"), words("f")
	synced := "git: synced\n"
	three := [][]string{words("write in/a.md in/b.md in/c.md")}
	known := append(three, words("sync"))
	return []scenario{
		{name: "export", prepare: three, command: words("export -o out.jsonl"), exports: true, core: true},
		{name: "sync", settings: synced, prepare: three, shared: topics, command: words("sync --fetch-only"), adds: topics},
		{name: "claimed take", settings: synced, prepare: known, shared: one, command: []string{"take", idOf("a"), "--operator", "ben"}, mark: "a", act: "take a"},
		{name: "claimed resume", settings: synced, prepare: known, shared: one, mark: "a", token: "a", isOnce: true,
			command: []string{"resume", idOf("a"), "--operator", "ben", "--accept", "operational", "--reason", "test"}},
	}
}

// share gives a store a remote, beside it, for which another clone has published handoffs.
func (p program) share(dir string, sc scenario) (err error) {
	run := func(dir string, args ...string) {
		if r := start(dir, args...); err == nil && r.code != 0 {
			err = fmt.Errorf("%v: exit code %d\n%s%s", args, r.code, r.stdout, r.stderr)
		}
	}
	put := func(path, text string) {
		err = errors.Join(err, os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644))
	}
	hub, other := dir+"-hub", dir+"-other"
	run(dir, "git", "init", "-q", "--bare", "--template=", hub)
	put(filepath.Join(other, ".handoff.yaml"), "git: synced\n")
	for _, root := range []string{dir, other} {
		run(dir, "git", "init", "-q", "--template=", root)
		run(root, "git", "remote", "add", "origin", hub)
	}
	put(filepath.Join(other, "a.md"), doc("a"))
	for _, topic := range sc.shared {
		put(filepath.Join(other, "in", topic+".md"), doc(topic))
	}
	run(other, p.bin, "write", "in")
	run(other, p.bin, "sync")
	return err
}

// makesFile is what can leave half a file.
var makesFile = regexp.MustCompile(`^(write|fsync|linkat|unlinkat):(signal=KILL|error=(ENOSPC|EIO)):`)

// injections lists what is done to the command, and in the scenarios with a remote to our own process alone: what git makes of
// errors is its own matter, and the remote, which would be killed too, is nobody's here. Kills of a git that only fetches harm nobody.
func (s *sweep) injections() []string {
	tr := s.trace
	list := injections(tr, s.base)
	switch {
	case s.exports: // the store stays as it is
		return slices.DeleteFunc(list, func(i string) bool { return !makesFile.MatchString(i) })
	case len(s.shared) == 0:
		return list
	}
	tr.most = make(map[string]int)
	for c := range tr.numbered() {
		tr.most[c.name] = c.n
	}
	delete(tr.most, "read") // of the pipe by which a child begins: where that fails, Go waits for the child without end
	ours := injections(tr, s.base)
	return append(slices.DeleteFunc(list, func(i string) bool { return !s.killsGit(i) }), slices.DeleteFunc(ours, s.killsGit)...)
}

// killsGit says whether an injection is one for all that the command starts too.
func (s *sweep) killsGit(injection string) bool {
	return isKill(injection) && slices.Contains(s.command, "--fetch-only")
}

func isKill(injection string) bool { return strings.Contains(injection, "signal=KILL") }

var opensTheThird = regexp.MustCompile(`^openat\(\d+, "([^"]*-h(-[0-9a-f]+)?\.md)"`)

// TestSyncOfWhatCannotBeStored fails the opening of one document among several: the exchange says that not all is here.
func TestSyncOfWhatCannotBeStored(t *testing.T) {
	needs(t, "strace", "git")
	i := slices.IndexFunc(syncs(), func(sc scenario) bool { return sc.name == "sync" })
	s := newSweep(t, program{build(t), memory(t)}, syncs()[i])
	var todo []string
	for _, line := range s.trace.main {
		if m := opensTheThird.FindStringSubmatch(line); m != nil {
			todo = append(todo, "openat:error=EIO of "+m[1])
		}
	}
	s.run(todo)
	if len(todo) == 0 || int(s.hits.Load()) != len(todo) || int(s.failed.Load()) != len(todo) {
		t.Errorf("%d of %d injections were hit, %d made the command fail", s.hits.Load(), len(todo), s.failed.Load())
	}
	for _, d := range s.damage {
		t.Error(d)
	}
}
