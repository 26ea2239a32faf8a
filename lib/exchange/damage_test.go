package exchange_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-78daf238/handoff/lib/exchange"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// spoilOne does to a file what a power cut may do, and says what that was.
func spoilOne(t *testing.T, r *rand.Rand, repo string) string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(repo, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && filepath.Base(path) != "config" {
			files = append(files, path)
		}
		return err
	})
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	name := files[r.IntN(len(files))]
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	how, n := r.IntN(3), r.IntN(len(text)+1)
	switch how {
	case 0:
		text = text[:n]
	case 1:
		text = append(text[:n:n], make([]byte, len(text)-n)...)
	default:
		text = nil
	}
	if err := errors.Join(os.Remove(name), os.WriteFile(name, text, 0o600)); err != nil {
		t.Fatal(err)
	}
	rel, _ := filepath.Rel(repo, name)
	return fmt.Sprintf("%s: %d, to %d bytes", rel, how, n)
}

// Whatever a power cut during a sync, or a disk, does to the repository of sync: the next sync makes it anew, charges
// nobody, and all is as it was.
func TestDamagedRepository(t *testing.T) {
	t.Parallel()
	_, roots := clones(t, 2)
	for i, root := range roots {
		write(t, root, fmt.Sprintf("first-%d", i))
		mustSync(t, root)
	}
	seed := uint64(os.Getpid())
	r := rand.New(rand.NewPCG(7, seed))
	repo := outside(t, roots[0], "sync.git")
	rounds := 3
	if isThorough() {
		rounds = 9
	}
	for n := range rounds {
		id := write(t, roots[1], fmt.Sprintf("more-%d", n))
		mustSync(t, roots[1])
		if n%3 > 0 { // there is something to lose, in packs and in loose files
			mustSync(t, roots[0])
		}
		if n%3 == 2 {
			git(t, repo, "pack-refs", "--all")
		}
		own := write(t, roots[0], fmt.Sprintf("own-%d", n))
		if n%2 == 0 {
			if err := os.WriteFile(outside(t, roots[0], "sync.running"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		what := spoilOne(t, r, repo)
		got, err := sync(roots[0])
		if err != nil || len(got.Refused) > 0 || got.Sent < 1 {
			t.Fatalf("seed %d, round %d, %s: %v %+v", seed, n, what, err, got)
		}
		mustSync(t, roots[1])
		ids := marksOf(t, roots[0])
		if diff := cmp.Diff(ids, marksOf(t, roots[1])); diff != "" || ids[id] == nil || ids[own] == nil || len(ids) != 2*n+4 {
			t.Fatalf("seed %d, round %d, %s: %d handoffs, %s", seed, n, what, len(ids), diff)
		}
		if report, err := mustOpen(t, roots[0]).Verify(context.Background()); err != nil || len(report.Faults) > 0 {
			t.Fatalf("seed %d, round %d, %s: %v %v", seed, n, what, err, report.Faults)
		}
	}
}

// What is kept of the state of an exchange can be damaged too.
func TestDamagedState(t *testing.T) {
	t.Parallel()
	_, roots := clones(t, 2)
	id := write(t, roots[0], "one")
	mustSync(t, roots[0])
	mustSync(t, roots[1])
	for _, name := range []string{"sync.json", "held.json"} {
		for _, text := range []string{"", "{", "\x00\x00\x00\x00", "[]"} {
			if err := os.WriteFile(outside(t, roots[0], name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if got, err := sync(roots[0]); err != nil || got.Sent+len(got.Received) > 0 {
				t.Errorf("%s of %q: %v %+v", name, text, err, got)
			}
			if ids := marksOf(t, roots[0]); len(ids) != 1 || ids[id] == nil {
				t.Errorf("%s of %q: %v", name, text, ids)
			}
		}
	}
}

// A connection that breaks when all was sent, or before anything was fetched, charges nobody: the remote is asked again.
func TestConnectionsThatBreak(t *testing.T) {
	_, roots := clones(t, 2)
	write(t, roots[0], "one")
	mustSync(t, roots[0])
	mustSync(t, roots[1])
	write(t, roots[0], "two")
	dir := t.TempDir()
	beforeGit(t, fmt.Sprintf(`case " $* " in
*' fetch '*) test -e %[1]s/fetched || { : >%[1]s/fetched; exit 1; };;
*' push '*) test -e %[1]s/pushed || { : >%[1]s/pushed; PATH=${PATH#*:} git "$@" >/dev/null; printf '!\trefs/a:refs/b\t[rejected] (fetch first)\n'; exit 1; };;
esac`, dir))
	if got := mustSync(t, roots[0]); got.Sent != 1 {
		t.Errorf("%+v", got)
	}
	if got := mustSync(t, roots[1]); len(got.Received) != 1 {
		t.Errorf("%+v", got)
	}
	for _, name := range []string{"fetched", "pushed"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}

// A tree that names more files than anybody can read is refused by its first step, and costs nothing.
func TestTreeWithoutEnd(t *testing.T) {
	t.Parallel()
	hub, roots := clones(t, 2)
	id := write(t, roots[0], "one")
	mustSync(t, roots[0])
	work := filepath.Join(t.TempDir(), "work")
	git(t, ".", "init", "-q", work)
	blob := object(t, work, "blob", "text")
	mode, name := "100644", blob
	for range 10 {
		var tree strings.Builder
		for i := range 30 {
			fmt.Fprintf(&tree, "%s %s %s\tn%02d\n", mode, map[bool]string{true: "tree", false: "blob"}[mode == "040000"], name, i)
		}
		mode, name = "040000", object(t, work, "tree", tree.String())
	}
	for i, at := range []string{"2026-05-07", "log", "elsewhere", "deep"} {
		writer := fmt.Sprintf("w-%016d", i+1)
		file := object(t, work, "blob", fmt.Sprintf("{\"created\":\"2026-05-07T12:00:00Z\",\"format\":\"handoff-writer/1\",\"writer\":%q}\n", writer))
		root := object(t, work, "tree", fmt.Sprintf("040000 tree %s\t%s\n100644 blob %s\twriter.json\n", name, at, file))
		git(t, work, "push", "-q", hub, git(t, work, "commit-tree", "-m", "deep", root)+":refs/handoff/writers/"+writer)
	}
	got, err := sync(roots[1])
	if !errors.Is(err, handoff.ErrIntegrity) || len(got.Refused) != 4 || len(got.Received) != 1 || got.Received[0].ID != id {
		t.Errorf("%v %+v", err, got)
	}
	if got, err := sync(roots[0]); !errors.Is(err, handoff.ErrIntegrity) || len(got.Refused) != 4 {
		t.Errorf("%v %+v", err, got)
	}
}

// object stores an object of git and returns its name.
func object(t *testing.T, repo, kind, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if kind == "blob" {
		return git(t, repo, "hash-object", "-w", name)
	}
	return git(t, repo, "-c", "alias.make=!git mktree <"+name, "make")
}

// Handoffs go where they went before, or where a person lets them go.
func TestRemoteIsRemembered(t *testing.T) {
	t.Parallel()
	hub, roots := clones(t, 1)
	other := filepath.Join(filepath.Dir(hub), "other.git")
	git(t, filepath.Dir(hub), "init", "-q", "--bare", other)
	write(t, roots[0], "one")
	mustSync(t, roots[0])
	git(t, roots[0], "remote", "add", "other", other)
	s := mustOpen(t, roots[0])
	to := func(change func(*exchange.Options)) error {
		o := remote(roots[0])
		change(&o)
		_, err := exchange.Sync(t.Context(), s, o)
		return err
	}
	elsewhere := func(o *exchange.Options) { o.Remote = "other" }
	for name, change := range map[string]func(*exchange.Options){"remote": elsewhere, "namespace": func(o *exchange.Options) { o.Namespace = "refs/heads/x" },
		"not accepted": func(o *exchange.Options) { elsewhere(o); o.Accept = func(string) bool { return false } }} {
		if err := to(change); !errors.Is(err, handoff.ErrConfig) || !strings.Contains(err.Error(), "nothing was sent") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if refs := git(t, other, "for-each-ref"); refs != "" {
		t.Error(refs)
	}
	asked := ""
	if err := to(func(o *exchange.Options) { elsewhere(o); o.Accept = func(q string) bool { asked = q; return true } }); err != nil || !strings.Contains(asked, other) {
		t.Error(err, asked)
	}
	if err := to(elsewhere); err != nil {
		t.Error(err)
	}
	git(t, roots[0], "remote", "add", "secret", "https://ann:token@127.0.0.1:1/x.git?key=k")
	err := to(func(o *exchange.Options) { o.Remote, o.Named = "secret", true })
	if err == nil || strings.Contains(err.Error(), "token") || strings.Contains(err.Error(), "key=k") {
		t.Error(err)
	}
}
