package git_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/seed-78daf238/handoff/lib/internal/git"
)

// run runs git in a directory, away from the configuration of who runs the test.
func run(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=ann", "-c", "user.email=ann@example.com", "-c", "protocol.file.allow=always"}, args...)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+t.TempDir(), "GIT_CONFIG_NOSYSTEM=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func TestMainWorkTree(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	run(t, dir, "init", "-q", "main")
	run(t, at("main"), "commit", "-q", "--allow-empty", "-m", "begin")
	run(t, at("main"), "worktree", "add", "-q", at("linked"))
	run(t, dir, "init", "-q", "super")
	run(t, at("super"), "submodule", "--quiet", "add", at("main"), "sub")
	run(t, at("super/sub"), "worktree", "add", "-q", at("ofsub"))
	run(t, dir, "clone", "-q", "--bare", "main", "bare")
	run(t, at("bare"), "worktree", "add", "-q", at("ofbare"))
	run(t, dir, "clone", "-q", "--bare", "main", "hidden/.git")
	run(t, at("hidden/.git"), "worktree", "add", "-q", at("ofhidden"))
	run(t, dir, "init", "-q", "--separate-git-dir", at("apart.git"), "apart")
	run(t, at("apart"), "commit", "-q", "--allow-empty", "-m", "begin")
	run(t, at("apart"), "worktree", "add", "-q", at("ofapart"))
	run(t, at("main"), "worktree", "add", "-q", at("moved"))
	if err := os.Rename(at("moved"), at("moved2")); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		top, main string
		apart     bool
	}{
		{"main", "", false},
		{"linked", "main", false},
		{"super", "", false},
		{"super/sub", "", false},
		{"ofsub", "super/sub", false},
		{"ofbare", "", true},
		{"ofhidden", "hidden", false},
		{"apart", "", false},
		{"ofapart", "", true},
		{"moved2", "", true}, // until `git worktree repair`
		{"nowhere", "", false},
	} {
		got, err := git.Main(at(tt.top))
		want := ""
		if tt.main != "" {
			want = at(tt.main)
		}
		link := (*git.LinkError)(nil)
		if got != want || errors.As(err, &link) != tt.apart || err != nil && link == nil {
			t.Errorf("Main(%s) = %q, %v; want %q, apart %v", tt.top, got, err, want, tt.apart)
		}
	}
}

// Whoever brings a file .git along leads nowhere.
func TestMainBelievesNobody(t *testing.T) {
	for name, text := range map[string]string{
		"empty": "", "zeros": "gitdir: \x00\n", "two lines": "gitdir: a\nb\n", "absent": "gitdir: /nowhere\n", "itself": "gitdir: .git\n", "no prefix": "/etc\n", "device": "gitdir: /dev\n",
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, ".git"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if main, err := git.Main(dir); main != "" || err != nil {
			t.Errorf("%s: %q, %v", name, main, err)
		}
	}
}

// What git takes for no repository is none, and what it does take for one is.
func TestIsTopAsGitSays(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, script := range map[string]string{
		"repository":         `git init -q .`,
		"nothing":            `true`,
		"empty directory":    `mkdir .git`,
		"HEAD alone":         `mkdir .git; echo "ref: refs/heads/main" >.git/HEAD`,
		"by hand":            `mkdir -p .git/objects .git/refs; echo "ref: refs/heads/main" >.git/HEAD`,
		"HEAD is a commit":   `mkdir -p .git/objects .git/refs; echo 4b825dc642cb6eb9a060e54bf8d69288fbee4904 >.git/HEAD`,
		"HEAD is nonsense":   `mkdir -p .git/objects .git/refs; echo main >.git/HEAD`,
		"HEAD is elsewhere":  `mkdir -p .git/objects .git/refs; echo "ref: heads/main" >.git/HEAD`,
		"HEAD is a link":     `mkdir -p .git/objects .git/refs; ln -s refs/heads/main .git/HEAD`,
		"HEAD leads away":    `mkdir -p .git/objects .git/refs; ln -s /etc/hostname .git/HEAD`,
		"no refs":            `git init -q .; rm -r .git/refs`,
		"no objects":         `git init -q .; rm -r .git/objects`,
		"objects are a file": `git init -q .; rm -r .git/objects; echo >.git/objects`,
		"a link":             `git init -q ../apart; ln -s ../apart/.git .git`,
		"a broken link":      `ln -s ../nowhere .git`,
		"a file":             `git init -q ../other; echo "gitdir: $PWD/../other/.git" >.git`,
		"no such file":       `echo hello >.git`,
		"a linked work tree": `git init -q ../main && git -C ../main -c user.name=a -c user.email=a commit -q --allow-empty -m x && rmdir "$PWD" && git -C ../main worktree add -q "$PWD"`,
	} {
		dir := filepath.Join(base, name, "tree")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		environ := append(os.Environ(), "HOME="+base, "GIT_CONFIG_NOSYSTEM=1", "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
		make := exec.Command("sh", "-ec", script)
		make.Dir, make.Env = dir, environ
		if out, err := make.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
		ask := exec.Command("git", "rev-parse", "--git-dir")
		ask.Dir, ask.Env = dir, environ
		want := ask.Run() == nil
		if got, err := git.IsTop(dir); got != want || err != nil {
			t.Errorf("%s: %v, %v; git says %v", name, got, err, want)
		}
	}
}
