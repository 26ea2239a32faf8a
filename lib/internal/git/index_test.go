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

// Whatever form the index has.
func TestTracked(t *testing.T) {
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
				names, err := git.Tracked(t.Context(), top, path)
				got := len(names) > 0
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
	if names, err := git.Tracked(t.Context(), t.TempDir(), ".run"); len(names) > 0 || err != nil {
		t.Errorf("without a repository: %v, %v", names, err)
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
