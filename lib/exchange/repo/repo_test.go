//go:build unix

package repo_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/exchange/repo"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
)

const ref = "refs/handoff/writers/w-0000000000000001"

func openRepo(t *testing.T, out string) (*repo.Repo, error) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	dir, err := disk.OpenDir(out)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dir.Close() })
	r, err := repo.Open(t.Context(), dir, repo.Options{Environ: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + out}})
	if err == nil {
		t.Cleanup(r.Close)
	}
	return r, err
}

// commit makes a commit on ref with these files, and returns its id. A text "" removes a file.
func commit(t *testing.T, r *repo.Repo, files ...[2]string) string {
	t.Helper()
	refs, refsErr := r.Refs(t.Context())
	stream := "commit " + ref + "\ncommitter a <a@example.org> 0 +0000\ndata 0\n"
	if refs[ref] != "" {
		stream += "from " + refs[ref] + "\n"
	}
	for _, f := range files {
		if f[1] == "" {
			stream += "D " + f[0] + "\n"
		} else {
			stream += fmt.Sprintf("M 100644 inline %s\ndata %d\n%s\n", f[0], len(f[1]), f[1])
		}
	}
	_, err := r.Ask(t.Context(), stream, "fast-import", "--quiet", "--date-format=raw")
	if err == nil {
		refs, err = r.Refs(t.Context())
	}
	if err = errors.Join(err, refsErr); err != nil || refs[ref] == "" {
		t.Fatal(err, refs)
	}
	return refs[ref]
}

// A pack makes the same commits as git: of texts of all sizes, on old trees, with files that are replaced. Without a
// repository it knows their names.
func TestPack(t *testing.T) {
	t.Parallel()
	r, err := openRepo(t, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	steps := [][][2]string{
		{{"writer.json", "{}"}, {"log/0001.jsonl", "one\n"}, {"2026-05-07/b.md", strings.Repeat("b", 15)}},
		{{"2026-05-07/a.md", strings.Repeat("a", 16)}, {"2026-05-07/c.md", strings.Repeat("c", 2047)},
			{"2026-05-08/d.md", strings.Repeat("d", 2048)}, {"log/0001.jsonl", "one\ntwo\n"}},
		{{"2026-05-07.x", "sorts before the directory"}, {"2026-05-070", "sorts behind it"},
			{"2026-05-07/" + strings.Repeat("0", 64) + ".md", strings.Repeat("a line of many\n", 1<<20)}},
	}
	var tip string
	for i, files := range steps {
		want := commit(t, r, files...)
		pack := r.NewPack()
		defer pack.Close()
		for _, f := range files {
			pack.File(f[0], []byte(f[1]))
		}
		got, err := pack.Commit(t.Context(), tip, "a <a@example.org> 0 +0000", "")
		if err = errors.Join(err, r.Store(pack)); err != nil || got != want {
			t.Fatalf("step %d: %s and not %s, %v", i, got, want, err)
		}
		tip = got
	}
	// with objects that only a pack of ours has
	pack, dry := r.NewPack(), new(repo.Pack)
	defer pack.Close()
	var names [2]string
	for i, p := range []*repo.Pack{pack, dry} {
		p.File("new", []byte("a new text"))
		if names[i], err = p.Commit(t.Context(), "", "a <a@example.org> 0 +0000", "words"); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Store(pack); err != nil || names[0] != names[1] {
		t.Errorf("%q, %v", names, err)
	}
	err = r.SetRefs(t.Context(), map[string]string{"refs/handoff/new": names[0]})
	out, fsckErr := r.Ask(t.Context(), "", "fsck", "--full", "--strict", "--no-dangling")
	if err = errors.Join(err, fsckErr); err != nil || len(out) > 0 {
		t.Errorf("git fsck: %s, %v", out, err)
	}
	texts, err := r.Read(t.Context(), []repo.Wanted{{Object: names[0] + ":new", Max: 100}})
	if err != nil || string(texts[0]) != "a new text" {
		t.Errorf("%q, %v", texts, err)
	}
	if err := os.Rename(r.Dir, r.Dir+".away"); err != nil {
		t.Fatal(err)
	}
	none := r.NewPack() // a directory that is missing, or full
	defer none.Close()
	none.File("new", nil)
	_, err = none.Commit(t.Context(), "", "a <a@example.org> 0 +0000", "")
	for _, err := range []error{err, r.Store(none)} {
		if said := (*fault.Error)(nil); !errors.As(err, &said) || said.Advice == "" {
			t.Errorf("it does not say what to do: %v", err)
		}
	}
	if err := os.Rename(r.Dir+".away", r.Dir); err != nil {
		t.Fatal(err)
	}
	lost := r.NewPack()
	defer lost.Close()
	lost.File("log/0002.jsonl", []byte("text"))
	_, err = lost.Commit(t.Context(), strings.Repeat("0", 39)+"1", "a <a@example.org> 0 +0000", "")
	if storeErr := r.Store(lost); !errors.Is(err, repo.ErrLost) || !errors.Is(storeErr, repo.ErrLost) {
		t.Errorf("on a lost commit: %v, %v", err, storeErr)
	}
}

// A pack that was added is git's: with objects that are far from its beginning, one that is there twice, and when it is
// added again. One that was not added leaves nothing.
func TestPackIsAdded(t *testing.T) {
	repo.Near(1000)
	defer repo.Near(1 << 31)
	r, err := openRepo(t, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		pack := r.NewPack()
		for i := range 300 {
			pack.File(fmt.Sprintf("2026-05-07/%d.md", i), fmt.Appendf(nil, "text %d", i%299))
		}
		tip, err := pack.Commit(t.Context(), "", "a <a@example.org> 0 +0000", "")
		if err = errors.Join(err, r.Store(pack)); err != nil {
			t.Fatal(err)
		}
		pack.Close()
		texts, err := r.Read(t.Context(), []repo.Wanted{{Object: tip + ":2026-05-07/298.md", Max: 100}})
		if err != nil || string(texts[0]) != "text 298" {
			t.Errorf("%q, %v", texts, err)
		}
	}
	r.NewPack().Close()
	files, err := filepath.Glob(filepath.Join(r.Dir, "objects", "pack", "*"))
	if err != nil || len(files) != 2 {
		t.Fatalf("%q, %v", files, err)
	}
	const near = 8 + 256*4 + (299+3)*(20+4+4) + 2*20 // the size of an index without a table of 64-bit offsets
	if info, err := os.Stat(files[0]); err != nil || info.Size() <= near || (info.Size()-near)%8 != 0 {
		t.Errorf("the index of %s has %d bytes, %v", files[0], info.Size(), err)
	}
	if out, err := exec.Command("git", "verify-pack", "-v", files[0]).CombinedOutput(); err != nil {
		t.Errorf("git verify-pack: %s, %v", out, err)
	} else if n := strings.Count(string(out), " blob "); n != 299 {
		t.Errorf("it has %d texts", n)
	}
	if _, err := r.Ask(t.Context(), "", "fsck", "--full", "--strict", "--no-dangling"); err != nil {
		t.Errorf("git fsck: %v", err)
	}
}

func TestChanges(t *testing.T) {
	t.Parallel()
	r, err := openRepo(t, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	const day = "2026-05-07/"
	old := commit(t, r, [2]string{"writer.json", "{}"}, [2]string{"log/0001.jsonl", "one"}, [2]string{day + "a.md", "a"},
		[2]string{"other/deep/b.md", "b"})
	young := commit(t, r, [2]string{"log/0001.jsonl", "one, two"}, [2]string{day + "a.md", ""},
		[2]string{day + "c.md", "a longer text"}, [2]string{"other/deep/b.md", "changed"})
	for _, c := range []struct{ old, young, want string }{
		{"", old, "A log/0001.jsonl, A writer.json, A 2026-05-07/a.md, A other"},
		{old, young, "M log/0001.jsonl, A 2026-05-07/c.md, D 2026-05-07/a.md, M other"}, // it never looks into others
		{young, young, ""},
	} {
		changes, err := r.Changes(t.Context(), c.old, c.young)
		if err != nil {
			t.Fatal(err)
		}
		for _, change := range changes {
			if !strings.Contains(c.want, change.Status+" "+change.Name) {
				t.Errorf("%s %s, where %q was expected", change.Status, change.Name, c.want)
			}
		}
		if n := len(strings.Fields(c.want)) / 2; len(changes) != n {
			t.Errorf("%d changes, %q were expected", len(changes), c.want)
		}
	}
	changes, err := r.Changes(t.Context(), old, young)
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range changes {
		if change.Name != day+"c.md" {
			continue
		}
		texts, err := r.Read(t.Context(), []repo.Wanted{{change.Object, 13}, {change.Object, 12}, {young, 100},
			{young + ":log/0002.jsonl", 100}})
		if err != nil || string(texts[0]) != "a longer text" || texts[1] != nil || texts[2] != nil || texts[3] != nil {
			t.Errorf("a text, a longer one than wanted, a commit and a file that it lacks are read as %q, %v", texts, err)
		}
		for _, gone := range []string{strings.Repeat("1", 40), strings.Repeat("1", 40) + ":writer.json"} {
			texts, err := r.Read(t.Context(), []repo.Wanted{{gone, 100}, {change.Object, 13}})
			if !errors.Is(err, repo.ErrLost) || texts[0] != nil ||
				string(texts[1]) != "a longer text" {
				t.Errorf("%s and a text are read as %q, %v", gone, texts, err)
			}
		}
	}
	text := ""
	for _, change := range changes {
		if change.Name == day+"c.md" {
			text = change.Object
		}
	}
	if _, err := r.Changes(t.Context(), old, text); !errors.Is(err, repo.ErrNoText) || errors.Is(err, repo.ErrLost) {
		t.Errorf("what is no commit has the changes %v", err)
	}
	if _, err := r.Changes(t.Context(), old, strings.Repeat("1", 40)); !errors.Is(err, repo.ErrLost) {
		t.Errorf("a commit that is not there has the changes %v", err)
	}
}

// TestPlantedFiles: whatever stands in the repository, git gets the files of ours alone.
func TestPlantedFiles(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	r, err := openRepo(t, out)
	if err != nil {
		t.Fatal(err)
	}
	id := commit(t, r, [2]string{"writer.json", "{}"})
	if _, err := openRepo(t, out); !errors.Is(err, fault.ErrBusy) {
		t.Errorf("two have it open: %v", err)
	}
	r.End()
	r.Close()
	dir := filepath.Join(out, disk.SyncRepo)
	for _, name := range []string{"commondir", "config.worktree", "hooks/pre-push", "objects/info/alternates", "info/grafts",
		"refs/handoff/writers/x.lock", "objects/tmp_obj_1"} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte("/tmp\n"), 0o700)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Symlink("/tmp", filepath.Join(dir, "objects", "zz")),
		os.WriteFile(filepath.Join(dir, "config"), []byte("[core]\n\tsshCommand = touch /tmp/planted\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if r, err = openRepo(t, out); err != nil {
		t.Fatal(err)
	}
	if refs, err := r.Refs(t.Context()); err != nil || refs[ref] != id || len(refs) != 1 {
		t.Errorf("the refs are %v, %v", refs, err)
	}
	err = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		name, _ := filepath.Rel(dir, path)
		for _, planted := range []string{"commondir", "worktree", "hooks", "alternates", "grafts", ".lock", "tmp_", "zz"} {
			if strings.Contains(name, planted) {
				t.Errorf("%s is still there", name)
			}
		}
		return err
	})
	if text, readErr := os.ReadFile(filepath.Join(dir, "config")); err != nil || readErr != nil ||
		strings.Contains(string(text), "sshCommand") {
		t.Errorf("the configuration is %q, %v, %v", text, err, readErr)
	}
}

// A file in place of a directory does not stay: what it had comes from the store and the remote again.
func TestFilesForDirectories(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"objects", "objects/pack", "refs"} {
		out := t.TempDir()
		r, err := openRepo(t, out)
		if err != nil {
			t.Fatal(err)
		}
		commit(t, r, [2]string{"writer.json", "{}"})
		r.End()
		r.Close()
		path := filepath.Join(out, disk.SyncRepo, filepath.FromSlash(name))
		if err := errors.Join(os.RemoveAll(path), os.WriteFile(path, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
		if r, err = openRepo(t, out); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		pack := r.NewPack()
		defer pack.Close()
		pack.File("a", []byte("text"))
		id, err := pack.Commit(t.Context(), "", "a <a@example.org> 0 +0000", "")
		if err = errors.Join(err, r.Store(pack), r.SetRefs(t.Context(), map[string]string{"refs/handoff/new": id})); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestPushOfMany: one pattern pushes many refs, and only those.
func TestPushOfMany(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	r, err := openRepo(t, out)
	if err != nil {
		t.Fatal(err)
	}
	r.URL = filepath.Join(out, "hub.git")
	if text, err := exec.Command("git", "init", "-q", "--bare", r.URL).CombinedOutput(); err != nil {
		t.Fatalf("%s %v", text, err)
	}
	id, refs := commit(t, r, [2]string{"writer.json", "{}"}), map[string]string{}
	for n := range 50 {
		refs[fmt.Sprintf("refs/handoff/claims/%040d", n)] = id
	}
	if out, err := r.Push(t.Context(), refs, "--atomic", "refs/handoff/claims/*:refs/handoff/claims/*"); err != nil {
		t.Fatalf("%s %v", out, err)
	}
	text, err := exec.Command("git", "-C", r.URL, "for-each-ref", "--format=%(refname)").Output()
	if got := strings.Fields(string(text)); err != nil || len(got) != 50 || strings.Contains(string(text), ref) {
		t.Errorf("the remote has %d refs, %v: %.200s", len(got), err, text)
	}
	if own, err := r.Refs(t.Context()); err != nil || len(own) != 1 {
		t.Errorf("the repository has the refs %v, %v", own, err)
	}
}

// TestDamagedRepo: after an exchange that did not end, a repository that git cannot read is made again.
func TestDamagedRepo(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	r, err := openRepo(t, out)
	if err != nil {
		t.Fatal(err)
	}
	commit(t, r, [2]string{"writer.json", "{}"})
	r.Close() // without End
	err = filepath.WalkDir(filepath.Join(out, disk.SyncRepo, "objects"), func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			err = errors.Join(os.Chmod(path, 0o600), os.Truncate(path, 5))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if r, err = openRepo(t, out); err != nil {
		t.Fatal(err, time.Since(began))
	}
	if refs, err := r.Refs(t.Context()); err != nil || len(refs) != 0 {
		t.Errorf("the refs are %v, %v", refs, err)
	}
	if id := commit(t, r, [2]string{"writer.json", "{}"}); id == "" {
		t.Error("no commit can be made")
	}
}

func TestWithoutCredentials(t *testing.T) {
	for remote, want := range map[string]string{
		"https://ann:secret@example.org/x.git?token=1#f": "https://example.org/x.git",
		"ssh://git:secret@example.org/x.git":             "ssh://git@example.org/x.git",
		"git@example.org:x.git":                          "git@example.org:x.git",
		"/srv/../srv/x.git":                              "/srv/x.git",
		"file:///srv/x.git":                              "/srv/x.git",
	} {
		if got := repo.WithoutCredentials(remote); got != want {
			t.Errorf("%s is told as %s, not %s", remote, got, want)
		}
	}
}
