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
		out := dir + ".trace"
		must(t, p.tmp, "strace", "-f", "-y", "-qq", "-e", "trace=mkdirat,linkat,renameat,renameat2,fsync", "-o", out, p.bin, "init", "--root", dir)
		text, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		named, synced := -1, -1
		for i, line := range slices.Collect(strings.Lines(string(text))) {
			if strings.Contains(line, "<"+dir+">, ") { // a name in it
				named = i
			}
			if strings.Contains(line, "fsync(") && strings.Contains(line, "<"+dir+">)") {
				synced = i
			}
		}
		if kill == "" && named < 0 {
			t.Fatalf("no names are seen in\n%s", text)
		}
		if synced < 0 || synced < named {
			t.Errorf("after %q the names are not on disk:\n%s", kill, text)
		}
		for _, name := range []string{"handoffs", ".handoff.yaml", ".gitignore", ".gitattributes"} {
			if _, err := os.Lstat(filepath.Join(dir, name)); err != nil {
				t.Error(err)
			}
		}
	}
}
