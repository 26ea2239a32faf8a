package git_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/internal/git"
)

func runGit(t testing.TB, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=ann", "-c", "user.email=ann@example.com"}, args...)...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// Whatever form the index has, git is asked only where it has names that are not in the file.
func TestTracks(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	for name, change := range map[string]func(top string){
		"version 2": func(string) {},
		"version 3": func(top string) { runGit(t, top, "add", "--intent-to-add", "later") },
		"version 4": func(top string) { runGit(t, top, "update-index", "--index-version=4") },
		"split":     func(top string) { runGit(t, top, "update-index", "--split-index") },
		"sparse":    func(top string) { runGit(t, top, "sparse-checkout", "set", "--cone", "--sparse-index", "kept") },
		"untracked": func(top string) { runGit(t, top, "update-index", "--untracked-cache") },
		"link":      func(top string) { runGit(t, top, "update-index", "--skip-worktree", ".run-not") },
		"unmerged":  func(top string) { runGit(t, top, "update-index", "--refresh") },
		"work tree": nil,
		"SHA-256":   nil,
		"cut":       func(top string) { spoil(t, filepath.Join(top, ".git", "index")) },
	} {
		t.Run(name, func(t *testing.T) {
			top := filepath.Join(t.TempDir(), "top")
			format := "--object-format=sha1"
			if name == "SHA-256" {
				format = "--object-format=sha256"
			}
			runGit(t, ".", "init", "-q", format, top)
			for _, file := range []string{".run-not", ".runs/x", "kept/a", "deep/state/log", "deep/state-not", "zz", strings.Repeat("long/", 50) + "x"} {
				put(t, filepath.Join(top, file))
			}
			for i := range 40 {
				put(t, filepath.Join(top, fmt.Sprintf("many/%d-%s", i, strings.Repeat("x", i%40))))
			}
			runGit(t, top, "add", "-A")
			runGit(t, top, "commit", "-qm", "one")
			put(t, filepath.Join(top, "later"))
			if change != nil {
				change(top)
			}
			if name == "work tree" {
				other := filepath.Join(t.TempDir(), "other")
				runGit(t, top, "worktree", "add", "-q", other)
				top = other
			}
			for path, want := range map[string]bool{".run": false, ".runs": true, "deep/state": true, "deep/stat": false, "zz": true, "zz/x": false, "many": true, "nothing": false} {
				got, err := git.Tracks(t.Context(), top, path)
				if name == "cut" {
					if err == nil {
						t.Errorf("%s: nobody can read the index", path)
					}
				} else if got != want || err != nil {
					t.Errorf("%s: %v, %v", path, got, err)
				}
			}
		})
	}
	if got, err := git.Tracks(t.Context(), t.TempDir(), ".run"); got || err != nil {
		t.Errorf("without a repository: %v, %v", got, err)
	}
}

func put(t testing.TB, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(path), 0o644); err != nil {
		t.Fatal(err)
	}
}

func spoil(t testing.TB, name string) {
	t.Helper()
	if err := os.Truncate(name, 20); err != nil {
		t.Fatal(err)
	}
}

// An index of any bytes is read to its end, or not, and never panics.
func FuzzTracks(f *testing.F) {
	f.Add([]byte("DIRC\x00\x00\x00\x02\x00\x00\x00\x00"))
	f.Add([]byte("DIRC\x00\x00\x00\x04\x00\x00\x00\x01" + strings.Repeat("\x00", 63) + "a\x00"))
	f.Setenv("PATH", "")
	f.Fuzz(func(t *testing.T, text []byte) {
		top := t.TempDir()
		put(t, filepath.Join(top, ".git", "HEAD"))
		if err := os.WriteFile(filepath.Join(top, ".git", "index"), text, 0o600); err != nil {
			t.Fatal(err)
		}
		_, _ = git.Tracks(t.Context(), top, "a")
	})
}

func BenchmarkTracks(b *testing.B) {
	top := b.TempDir()
	runGit(b, top, "init", "-q")
	for i := range 10_000 {
		put(b, filepath.Join(top, fmt.Sprintf("dir%d/file-of-a-usual-length-%d", i%100, i)))
	}
	runGit(b, top, "add", "-A")
	for b.Loop() {
		if _, err := git.Tracks(b.Context(), top, ".run"); err != nil {
			b.Fatal(err)
		}
	}
}
