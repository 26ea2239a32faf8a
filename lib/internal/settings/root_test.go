package settings_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/settings"
)

// tree makes files, and directories where the name ends in a slash, under a new directory.
func tree(t *testing.T, names ...string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		path := filepath.Join(dir, name)
		if filepath.Base(path) == ".git" && strings.HasSuffix(name, "/") {
			err = errors.Join(os.MkdirAll(filepath.Join(path, "objects"), 0o755), os.MkdirAll(filepath.Join(path, "refs"), 0o755),
				os.WriteFile(filepath.Join(path, "HEAD"), []byte("ref: refs/heads/main\n"), 0o644))
		} else if filepath.Base(path) == ".git" {
			err = errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte("gitdir: /elsewhere\n"), 0o644))
		} else if strings.HasSuffix(name, "/") {
			err = os.MkdirAll(path, 0o755)
		} else if err = os.MkdirAll(filepath.Dir(path), 0o755); err == nil {
			err = os.WriteFile(path, nil, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestFindRoot(t *testing.T) {
	for _, tt := range []struct {
		name        string
		files       []string
		start, root string
		hasFile     bool
	}{
		{"file above", []string{".handoff.yaml", "a/b/"}, "a/b", "", true},
		{"nearest file", []string{".handoff.yaml", "a/.handoff.yaml", "a/b/"}, "a/b", "a", true},
		{"file here", []string{".handoff.yaml"}, "", "", true},
		{"file above a work tree", []string{".handoff.yaml", "a/.git/", "a/b/"}, "a/b", "a", false},
		{"file in the top of a work tree", []string{".handoff.yaml", "a/.git/", "a/.handoff.yaml", "a/b/"}, "a/b", "a", true},
		{"git directory", []string{"a/.git/", "a/b/"}, "a/b", "a", false},
		{"no repository below one", []string{".git/", "a/.git/refs/", "a/b/"}, "a/b", "", false},
		{"git file", []string{".git/", "a/.git", "a/b/"}, "a/b", "a", false},
		{"a directory of that name counts, to be refused", []string{"a/.handoff.yaml/", "a/b/"}, "a/b", "a", true},
	} {
		dir := tree(t, tt.files...)
		root, hasFile, isMarked, err := settings.FindRoot(filepath.Join(dir, tt.start))
		if err != nil || root != filepath.Join(dir, tt.root) || hasFile != tt.hasFile || !isMarked {
			t.Errorf("%s: got %s, %v, %v, %v", tt.name, root, hasFile, isMarked, err)
		}
	}
}

func TestFindRootFollowsLinksFirst(t *testing.T) {
	dir := tree(t, "project/.handoff.yaml", "project/sub/", "elsewhere/")
	link := filepath.Join(dir, "elsewhere", "link")
	if err := os.Symlink(filepath.Join(dir, "project", "sub"), link); err != nil {
		t.Skip(err)
	}
	root, hasFile, _, err := settings.FindRoot(link)
	if want := filepath.Join(dir, "project"); root != want || !hasFile || err != nil {
		t.Errorf("got %s, %v, %v, want %q", root, hasFile, err, want)
	}
}

func TestFindRootFails(t *testing.T) {
	root, _, _, err := settings.FindRoot(filepath.Join(t.TempDir(), "missing"))
	if err == nil || root != "" || !strings.Contains(err.Error(), "--root") {
		t.Errorf("got %s, %v", root, err)
	}
}

func nothing(string) string { return "" }

func TestLoadPrecedence(t *testing.T) {
	root := tree(t, "cwd/")
	cwd := filepath.Join(root, "cwd")
	src := "handoffs_dir: a/../notes\nstate_dir: /abs/state\noperator: alice\nlock_timeout: 1s\n"
	if err := os.WriteFile(filepath.Join(root, settings.Name), []byte(src), 0o644); err != nil {
		t.Fatal(err)
	}
	s, err := settings.Load(root, root, cwd, nothing)
	if err != nil {
		t.Fatal(err)
	}
	if s.HandoffsDir != inFile(filepath.Join(root, "notes")) || s.StateDir != inFile("/abs/state") ||
		s.OperatorsFile != byDefault(filepath.Join(root, "OPERATORS.md")) || s.Operator != inFile("alice") {
		t.Errorf("from the file: %+v", s)
	}
	env := map[string]string{"HANDOFFS_DIR": "x", "HANDOFF_STATE_DIR": "../y", "HANDOFF_OPERATORS_FILE": "/z", "HANDOFF_OPERATOR": "bob", "HANDOFF_LOCK_TIMEOUT": "0"}
	s, err = settings.Load(root, root, cwd, func(name string) string { return env[name] })
	if err != nil {
		t.Fatal(err)
	}
	if s.HandoffsDir != inEnvironment(filepath.Join(cwd, "x")) || s.StateDir != inEnvironment(filepath.Join(root, "y")) ||
		s.OperatorsFile != inEnvironment("/z") || s.Operator != inEnvironment("bob") || s.LockTimeout != inEnvironment(time.Duration(0)) {
		t.Errorf("from the environment: %+v", s)
	}
}

func inEnvironment[T any](value T) settings.Setting[T] {
	return settings.Setting[T]{Value: value, Source: settings.Environment}
}

func TestLoadNamesBadVariables(t *testing.T) {
	bad := map[string]string{"HANDOFF_OPERATOR": "a b", "HANDOFF_LOCK_TIMEOUT": "soon"}
	_, err := settings.Load(t.TempDir(), t.TempDir(), t.TempDir(), func(name string) string { return bad[name] })
	if err == nil {
		t.Fatal("no error")
	}
	for name, value := range bad {
		if !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), value) {
			t.Errorf("%v does not name %s and %q", err, name, value)
		}
	}
}
