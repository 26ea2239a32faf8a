//go:build linux

package faults_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// rotating makes a store whose next write rotates, and returns its project. Its index is open to a group, which a new
// file is not.
func (p program) rotating(t *testing.T, dir string) {
	t.Helper()
	mustWrite(t, filepath.Join(dir, ".handoff.yaml"), "index_max_rows: 2\n")
	for _, topic := range words("a b c d e") {
		mustWrite(t, filepath.Join(dir, topic+".md"), doc(topic))
	}
	must(t, dir, p.bin, "write", "a.md", "b.md")
	if err := os.Chmod(filepath.Join(dir, "handoffs", "INDEX.md"), 0o664); err != nil {
		t.Fatal(err)
	}
}

// looksWhole fails the test unless verify finds neither faults nor warnings.
func (p program) looksWhole(t *testing.T, dir, when string) {
	t.Helper()
	if r := p.handoff(dir, "verify"); r.code != 0 || !regexp.MustCompile(`, 0 warnings`).MatchString(r.stderr) {
		t.Errorf("%s: verify exits with %d\n%s%s", when, r.code, r.stdout, r.stderr)
	}
}

// A lack is what a file system cannot do, by the calls that fail always or at first.
type lack struct {
	what   string
	inject []string
	first  string
}

// What a file system cannot do is done in another way.
func TestPoorFileSystems(t *testing.T) {
	t.Parallel()
	program{build(t), t.TempDir()}.without(t, []lack{
		{"no modes", []string{"fchmod:error=EPERM", "fchmodat:error=EPERM"}, ""},
		{"no unnamed files", nil, `openat\(.*O_TMPFILE`},
		{"no exclusive renames", []string{"renameat2:error=EINVAL"}, ""},
		{"no openat2", []string{"openat2:error=ENOSYS"}, ""},
		{"openat2 forbidden", []string{"openat2:error=EPERM"}, ""},
	})
}

// The same where files are staged by name.
func TestPoorFileSystemsByName(t *testing.T) {
	t.Parallel()
	thorough(t)
	program{broken(t, "by-name"), t.TempDir()}.without(t, []lack{
		{"no hard links", []string{"linkat:error=EPERM"}, ""},
		{"no hard links, and says so", []string{"linkat:error=EOPNOTSUPP"}, ""},
		{"no modes", []string{"fchmod:error=EPERM", "fchmodat:error=EPERM"}, ""},
	})
}

func (p program) without(t *testing.T, lacks []lack) {
	t.Helper()
	needs(t, "strace")
	for _, lack := range lacks {
		dir := p.newSite(t)
		p.rotating(t, dir)
		inject := lack.inject
		commands := [][]string{words("write d.md"), words("write e.md"), {"mark-read", idOf("a"), "ben"}, words("draft save d.md"), words("init")}
		if lack.first != "" {
			commands = commands[:1]
			name, n, err := p.findCall(dir, lack.first, commands[0])
			if err != nil {
				t.Fatal(err)
			}
			inject = []string{fmt.Sprintf("%s:error=EINVAL:when=%d", name, n)}
		}
		for _, command := range commands {
			if r := p.strace(dir, inject, command...); r.code != 0 {
				t.Errorf("%s: %v exits with %d\n%s", lack.what, command, r.code, r.stderr)
			}
		}
		p.looksWhole(t, dir, lack.what)
	}
}

// A file system in user space that remembers attributes for a while, and keeps an open file under another name when it
// is removed.
func TestFileSystemInUserSpace(t *testing.T) {
	needsRoot(t)
	needs(t, "bindfs")
	if _, err := os.Stat("/dev/fuse"); err != nil {
		t.Skip(err)
	}
	for _, b := range []struct {
		how  string
		bin  string
		with []string
	}{{"one thread", build(t), nil}, {"many threads", broken(t, "by-name"), []string{"--multithreaded", "--enable-lock-forwarding"}}} {
		dir := t.TempDir()
		if out, err := exec.Command("bindfs", append(b.with, t.TempDir(), dir)...).CombinedOutput(); err != nil {
			t.Skipf("%v: %s", err, out)
		}
		t.Cleanup(func() { exec.Command("umount", "-l", dir).Run() })
		p := program{b.bin, dir}
		dir = filepath.Join(dir, project)
		p.rotating(t, dir)
		for _, command := range [][]string{words("write c.md"), words("write d.md e.md"), {"mark-read", idOf("a"), "ben"}, words("draft save d.md")} {
			if r := p.handoff(dir, command...); r.code != 0 {
				t.Errorf("%s: %v exits with %d\n%s", b.how, command, r.code, r.stderr)
			}
		}
		p.looksWhole(t, dir, b.how)
	}
}
