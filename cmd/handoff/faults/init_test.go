//go:build linux

package faults_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What init makes is on disk when it says so, and after one that was killed when the next one does.
func TestInitIsOnDisk(t *testing.T) {
	t.Parallel()
	needs(t, "strace")
	p := program{build(t), t.TempDir()}
	for _, kill := range []string{"", "mkdirat:signal=KILL:when=1", "linkat:signal=KILL:when=1", "renameat:signal=KILL:when=1", "fsync:signal=KILL:when=1"} {
		dir, err := os.MkdirTemp(p.tmp, "init-")
		if err != nil {
			t.Fatal(err)
		}
		if kill != "" {
			p.strace(dir, []string{kill}, "init", "--root", dir)
		}
		named, synced, trace := p.namesIn(t, dir, "init", "--root", dir)
		if kill == "" && named < 0 {
			t.Fatalf("no names are seen in\n%s", trace)
		}
		if synced < 0 || synced < named {
			t.Errorf("after %q the names are not on disk:\n%s", kill, trace)
		}
		for _, name := range []string{"handoffs", ".handoff.yaml", ".gitignore", ".gitattributes"} {
			if _, err := os.Lstat(filepath.Join(dir, name)); err != nil {
				t.Error(err)
			}
		}
	}
}

// namesIn runs a command and returns when it last made a name in dir, and when it last synced dir: -1 for never.
func (p program) namesIn(t *testing.T, dir string, command ...string) (named, synced int, trace string) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "trace")
	must(t, p.tmp, append([]string{"strace", "-f", "-y", "-qq", "-e", "trace=mkdirat,linkat,renameat,renameat2,fsync", "-o", out, p.bin}, command...)...)
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	named, synced = -1, -1
	for i, line := range slices.Collect(strings.Lines(string(text))) {
		if strings.Contains(line, "<"+dir+">, ") {
			named = i
		}
		if strings.Contains(line, "fsync(") && strings.Contains(line, "<"+dir+">)") {
			synced = i
		}
	}
	return named, synced, string(text)
}
