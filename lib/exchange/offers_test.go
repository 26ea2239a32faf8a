package exchange_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/exchange"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// published makes a hub for which all clones but the first have published a handoff each.
func published(t *testing.T, n int) (hub string, roots []string) {
	t.Helper()
	hub, roots = clones(t, n)
	for i, root := range roots[1:] {
		write(t, root, fmt.Sprintf("topic-%d", i))
		mustSync(t, root)
	}
	return hub, roots
}

// gits syncs a clone and returns how often that started git.
func gits(t *testing.T, root string) int {
	t.Helper()
	count := filepath.Join(t.TempDir(), "count")
	beforeGit(t, "echo >>"+count)
	if got := mustSync(t, root); len(got.Received) == 0 {
		t.Fatalf("%+v", got)
	}
	text, err := os.ReadFile(count)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(text), "\n")
}

// beforeGit has a shell run something before each git that is started from now on.
func beforeGit(t *testing.T, script string) {
	t.Helper()
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "git"), fmt.Appendf(nil, "#!/bin/sh\n%s\nexec %s \"$@\"\n", script, real), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// What a sync costs grows with the news, and not by some processes for each writer.
func TestManyWritersAreAskedAboutAtOnce(t *testing.T) {
	_, few := published(t, 3)
	_, many := published(t, 9)
	if a, b := gits(t, few[0]), gits(t, many[0]); a != b {
		t.Errorf("git is started %d times for 2 writers with news, and %d times for 8", a, b)
	}
}

// A tree that is damaged here is fetched anew, and nobody is charged with it.
func TestDamagedTree(t *testing.T) {
	t.Parallel()
	hub, roots := published(t, 4)
	mustSync(t, roots[0])
	for i, root := range roots[1:] {
		write(t, root, fmt.Sprintf("more-%d", i))
		mustSync(t, root)
	}
	repo := outside(t, roots[0], "sync.git")
	git(t, repo, "fetch", "-q", hub, "refs/handoff/writers/*:refs/handoff/fetched/*")
	writer := git(t, repo, "for-each-ref", "--count=1", "--sort=-committerdate", "--format=%(refname:lstrip=3) %(tree)", "refs/handoff/fetched")
	_, tree, _ := strings.Cut(strings.TrimSpace(writer), " ")
	if err := os.Remove(filepath.Join(repo, "objects", tree[:2], tree[2:])); err != nil {
		t.Fatal(err)
	}
	if got := mustSync(t, roots[0]); len(got.Received) != 3 {
		t.Errorf("%+v", got)
	}
}

// What is too much for one exchange is so for its writer alone.
func TestTooMuchOfOneWriter(t *testing.T) {
	_, roots := published(t, 5)
	for i := range 20 {
		write(t, roots[1], fmt.Sprintf("more-%d", i))
	}
	mustSync(t, roots[1])
	before := exchange.SetMaxAtOnce(8 << 10)
	defer exchange.SetMaxAtOnce(before)
	got, err := sync(roots[0])
	if !errors.Is(err, handoff.ErrIntegrity) || len(got.Refused) != 1 || !strings.Contains(got.Refused[0].Why, "more at once") || len(got.Received) != 3 {
		t.Errorf("%v %+v", err, got)
	}
}

// TestStatusBeforeTheFirstSync counts what is unsent only for who asks: it is all, and reading the log takes long.
func TestStatusBeforeTheFirstSync(t *testing.T) {
	_, roots := clones(t, 1)
	write(t, roots[0], "topic")
	status := func(first bool) exchange.Status {
		t.Helper()
		at, err := exchange.ReadStatus(mustOpen(t, roots[0]), first)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	if before := [...]int{status(false).Unsent, status(true).Unsent}; before != [...]int{0, 1} {
		t.Error("before the first sync it counts", before)
	}
	mustSync(t, roots[0])
	write(t, roots[0], "another")
	if after := [...]int{status(false).Unsent, status(true).Unsent}; after != [...]int{1, 1} {
		t.Error("after the first sync it counts", after)
	}
}
