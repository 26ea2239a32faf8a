package work_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/relation"
	"github.com/seed-78daf238/handoff/lib/work"
)

func git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=ann", "-c", "user.email=ann@example.com"}, args...)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+t.TempDir(), "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// project makes a repository with so many files and two commits.
func project(t testing.TB, files int) string {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	git(t, dir, "init", "-q", "-b", "main")
	for i := range files {
		write(t, filepath.Join(dir, fmt.Sprintf("d%d/f%d.go", i%100, i)), strings.Repeat(fmt.Sprintln(i), 200))
	}
	git(t, dir, "add", ".")
	git(t, dir, "commit", "-q", "-m", "one")
	git(t, dir, "commit", "-q", "--allow-empty", "-m", "two")
	return dir
}

func TestFileStaysInTheProject(t *testing.T) {
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "x")
	write(t, outside, "x")
	write(t, filepath.Join(dir, "a/b#sha256=.txt"), "b\n")
	for _, link := range []string{"link", "a/link"} {
		if err := os.Symlink(outside, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("b#sha256=.txt", filepath.Join(dir, "a/inside")); err != nil {
		t.Fatal(err)
	}
	at := work.At(dir, os.Environ())
	for _, name := range []string{outside, dir, filepath.Join(dir, "link"), filepath.Join(dir, "a/link"), filepath.Join(dir, "a"), filepath.Join(dir, "gone"), filepath.Join(dir, "../x")} {
		if ref, err := at.File(name); !errors.Is(err, fault.ErrInvalid) {
			t.Errorf("%s is recorded as %q, %v", name, ref, err)
		}
	}
	for _, name := range []string{"a/b#sha256=.txt", "a/inside"} {
		ref, err := at.File(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if v := at.Of(t.Context(), []string{ref}); !v.Pass || v.Reason != "the file is as it was" {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

// Whoever writes a handoff can name what they like: it is read in the project or not at all.
func TestHostileSums(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.txt"), "a\r\nb\r\n")
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	at := work.At(dir, os.Environ())
	none := strings.Repeat("0", 64)
	for _, c := range []struct {
		files  []relation.Form
		reason string
		wrong  []string
	}{
		{[]relation.Form{{Path: "/etc/passwd", SHA256: none}, {Path: "../x", SHA256: none}, {Path: "", SHA256: none}, {Path: "a/../../x", SHA256: none}}, "", nil},
		{[]relation.Form{{Path: "link", SHA256: none}}, "the file not compared", []string{"link"}},
		{[]relation.Form{{Path: filepath.Join(dir, "a.txt"), SHA256: none}}, "the file changed", []string{"a.txt"}},
		{[]relation.Form{{Path: "a.txt", SHA256: none}, {Path: "./a.txt", SHA256: none}, {Path: "gone", SHA256: none}}, "of the 2 files 1 changed, 1 gone", []string{"a.txt", "gone"}},
	} {
		v := at.Compare(t.Context(), relation.Set{Files: c.files})
		if v.Reason != c.reason || !slices.Equal(v.Files, c.wrong) || v.Pass != (c.wrong == nil) {
			t.Errorf("%v: %+v", c.files, v)
		}
	}
}

func TestNothingSaid(t *testing.T) {
	at := work.At(t.TempDir(), os.Environ())
	if v := at.Of(t.Context(), []string{"https://example.org", "git:HEAD", "file:/etc/passwd#sha256=0"}); v.Reason != "" || v.Line() != "" {
		t.Errorf("%+v", v)
	}
}

func TestWithoutGit(t *testing.T) {
	ref := "git:" + strings.Repeat("a", 40)
	if v := work.At(t.TempDir(), os.Environ()).Of(t.Context(), []string{ref}); v.Pass || v.Reason != "not checked, git cannot be used here" || v.Advice == "" {
		t.Errorf("no repository: %+v", v)
	}
	t.Setenv("PATH", t.TempDir())
	if v := work.At(t.TempDir(), os.Environ()).Of(t.Context(), []string{ref}); v.Pass || v.Reason != "not checked, git is not installed" {
		t.Errorf("no git: %+v", v)
	}
}

// Many commits are not all asked for.
func TestManyCommits(t *testing.T) {
	dir := project(t, 1)
	var refs []string
	for range 50 {
		refs = append(refs, "git:"+git(t, dir, "rev-parse", "HEAD"))
	}
	if v := work.At(dir, os.Environ()).Of(t.Context(), refs); v.Pass || !strings.Contains(v.Reason, "46 commits not compared") {
		t.Errorf("%+v", v)
	}
}

func BenchmarkLine5000(b *testing.B) {
	dir := project(b, 5000)
	at := work.At(dir, os.Environ())
	refs := []string{"git:" + git(b, dir, "rev-parse", "HEAD~1") + ":main:1"}
	for i := range 3 {
		ref, err := at.File(filepath.Join(dir, fmt.Sprintf("d%d/f%d.go", i, i)))
		if err != nil {
			b.Fatal(err)
		}
		refs = append(refs, ref)
	}
	write(b, filepath.Join(dir, "d50/f50.go"), "changed\n")
	for b.Loop() {
		if v := at.Of(b.Context(), refs); !v.Pass {
			b.Fatalf("%+v", v)
		}
	}
}
