package git_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/git"
)

// repository makes one with two commits, on main.
func repository(t testing.TB, extra ...string) (dir string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	command(t, dir, append([]string{"init", "-q", "-b", "main"}, extra...)...)
	for _, name := range []string{"a.txt", "b.txt"} {
		write(t, filepath.Join(dir, name), name+"\n")
		command(t, dir, "add", name)
		command(t, dir, "commit", "-q", "-m", name)
	}
	return dir
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// command runs git away from the configuration of who runs the test, and returns what it prints.
func command(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=ann", "-c", "user.email=ann@example.com", "-c", "protocol.file.allow=always"}, args...)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+t.TempDir(), "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func tree(dir string) git.Tree { return git.Tree{Dir: dir, Environ: os.Environ()} }

func TestTree(t *testing.T) {
	for _, names := range []string{"sha1", "sha256"} {
		t.Run(names, func(t *testing.T) {
			dir, ctx := repository(t, "--object-format="+names), t.Context()
			first := command(t, dir, "rev-parse", "HEAD~1")
			commit, branch, err := tree(dir).Head(ctx)
			if err != nil || commit != command(t, dir, "rev-parse", "HEAD") || branch != "main" {
				t.Errorf("HEAD is %q on %q, %v", commit, branch, err)
			}
			if n, ancestor, err := tree(dir).Since(ctx, first); n != 1 || !ancestor || err != nil {
				t.Errorf("%d commits since, ancestor %v, %v", n, ancestor, err)
			}
			if n, err := tree(dir).Touching(ctx, first, []string{"a.txt", ":(glob)*"}); n != 0 || err != nil {
				t.Errorf("%d commits touch a.txt, %v", n, err)
			}
			if n, err := tree(dir).Touching(ctx, first, []string{"b.txt"}); n != 1 || err != nil {
				t.Errorf("%d commits touch b.txt, %v", n, err)
			}
			if _, _, err := tree(dir).Since(ctx, strings.Repeat("a", len(first))); !errors.Is(err, git.ErrUnknown) {
				t.Errorf("a commit that is not there: %v", err)
			}
			write(t, filepath.Join(dir, "a.txt"), "a.txt\r\n") // as some systems check it out
			if err := os.Chtimes(filepath.Join(dir, "b.txt"), time.Now(), time.Now().Add(time.Hour)); err != nil {
				t.Fatal(err)
			}
			if files, err := tree(dir).Differing(ctx, commit); len(files) != 0 || err != nil {
				t.Errorf("%v differ, %v", files, err)
			}
			write(t, filepath.Join(dir, "a.txt"), "other\n")
			if files, err := tree(dir).Differing(ctx, first); !slices.Equal(files, []string{"a.txt", "b.txt"}) || err != nil {
				t.Errorf("%v differ from the first commit, %v", files, err)
			}
		})
	}
}

func TestNoRepository(t *testing.T) {
	if _, _, err := tree(t.TempDir()).Head(t.Context()); err == nil || errors.Is(err, git.ErrForeign) {
		t.Errorf("no repository: %v", err)
	}
}

func TestForeignRepository(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can make a repository that belongs to somebody else")
	}
	dir := repository(t)
	if err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, _ error) error { return os.Lchown(path, 12345, 12345) }); err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "HOME="+t.TempDir(), "XDG_CONFIG_HOME="+t.TempDir(), "GIT_CONFIG_NOSYSTEM=1")
	at := git.Tree{Dir: dir, Environ: slices.DeleteFunc(env, func(v string) bool { return strings.HasPrefix(v, "SUDO_UID=") })}
	_, _, head := at.Head(t.Context())
	_, _, since := at.Since(t.Context(), strings.Repeat("a", 40))
	_, differing := at.Differing(t.Context(), strings.Repeat("a", 40))
	for _, err := range []error{head, since, differing} {
		if !errors.Is(err, git.ErrForeign) {
			t.Errorf("%v", err)
		}
	}
}

// A plant is a place in a repository where git finds a program to run.
type plant struct {
	name string
	set  func(t testing.TB, dir, program string)
}

func config(key, format string) plant {
	return plant{key, func(t testing.TB, dir, program string) { command(t, dir, "config", key, fmt.Sprintf(format, program)) }}
}

// plants are those of the repository in dir; the filters and drivers that its attributes name are called evil.
var plants = []plant{
	config("core.fsmonitor", "%s"), config("core.pager", "%s"), config("pager.diff-index", "%s"), config("pager.rev-list", "%s"), config("core.editor", "%s"),
	config("core.sshCommand", "%s"), config("core.gitProxy", "%s"), config("core.askPass", "%s"), config("credential.helper", "!%s"), config("core.alternateRefsCommand", "%s"),
	config("gpg.program", "%s"), config("gpg.ssh.program", "%s"), config("diff.external", "%s"),
	config("filter.evil.clean", "%s"), config("filter.evil.smudge", "%s"), config("filter.evil2.process", "%s"),
	config("diff.evil.textconv", "%s"), config("diff.evil.command", "%s"), config("merge.evil.driver", "%s"), config("sequence.editor", "%s"),
	config("alias.rev-parse", "!%s"), config("alias.rev-list", "!%s"), config("alias.diff-index", "!%s"), config("uploadpack.packObjectsHook", "%s"),
	{"booleans", func(t testing.TB, dir, _ string) {
		command(t, dir, "config", "filter.evil.required", "true")
		command(t, dir, "config", "log.showSignature", "true")
	}},
	{"hooks", func(t testing.TB, dir, program string) {
		for _, hook := range []string{"post-index-change", "post-checkout", "pre-auto-gc", "fsmonitor-watchman", "reference-transaction", "pre-commit"} {
			if err := os.MkdirAll(filepath.Join(dir, ".git/hooks"), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(program, filepath.Join(dir, ".git/hooks", hook)); err != nil {
				t.Fatal(err)
			}
		}
	}},
	{"hooksPath", func(t testing.TB, dir, program string) { command(t, dir, "config", "core.hooksPath", ".git/hooks") }},
	{"include", func(t testing.TB, dir, program string) {
		write(t, filepath.Join(dir, ".git/more"), "[core]\n\tfsmonitor = "+program+"\n[filter \"evil3\"]\n\tclean = "+program+"\n\tprocess = "+program+"\n")
		command(t, dir, "config", "include.path", "more")
		command(t, dir, "config", "includeIf.gitdir:/.path", filepath.Join(dir, ".git/more"))
	}},
	{"worktree configuration", func(t testing.TB, dir, program string) {
		command(t, dir, "config", "extensions.worktreeConfig", "true")
		command(t, dir, "config", "--worktree", "filter.evil4.clean", program)
		command(t, dir, "config", "--worktree", "core.fsmonitor", program)
	}},
	{"info/attributes", func(t testing.TB, dir, program string) {
		write(t, filepath.Join(dir, ".git/info/attributes"), "* filter=evil diff=evil merge=evil\n")
	}},
	{"attributesFile", func(t testing.TB, dir, program string) {
		write(t, filepath.Join(dir, ".git/attr"), "* filter=evil\n")
		command(t, dir, "config", "core.attributesFile", filepath.Join(dir, ".git/attr"))
	}},
	{"partial clone", func(t testing.TB, dir, program string) {
		command(t, dir, "config", "core.repositoryformatversion", "1")
		command(t, dir, "config", "extensions.partialClone", "origin")
		command(t, dir, "config", "remote.origin.url", "ext::"+program+" %S")
		command(t, dir, "config", "remote.origin.promisor", "true")
		command(t, dir, "config", "remote.origin.uploadpack", program)
		command(t, dir, "config", "protocol.ext.allow", "always")
		command(t, dir, "config", "protocol.allow", "always")
	}},
}

// hostile makes a repository in which each plant runs a program that leaves a file. Git cannot tell by its index whether files
// are as they were, so that it asks filters.
func hostile(t testing.TB) (dir, ran string) {
	dir, ran = repository(t), filepath.Join(t.TempDir(), "ran")
	write(t, filepath.Join(dir, ".gitattributes"), "a.txt filter=evil diff=evil merge=evil\nb.txt filter=evil2\nc.txt filter=evil3\nd.txt filter=evil4\n")
	for _, name := range []string{"c.txt", "d.txt"} {
		write(t, filepath.Join(dir, name), name+"\n")
	}
	sub := repository(t)
	command(t, dir, "submodule", "--quiet", "add", sub, "sub")
	command(t, dir, "add", ".")
	command(t, dir, "commit", "-q", "-m", "more")
	program := filepath.Join(t.TempDir(), "program")
	write(t, program, "#!/bin/sh\necho \"$0 $*\" >>"+ran+"\ncat\n")
	if err := os.Chmod(program, 0o755); err != nil {
		t.Fatal(err)
	}
	racy(t, dir)
	for _, p := range plants {
		p.set(t, dir, program)
	}
	write(t, filepath.Join(dir, "sub/.gitattributes"), "* filter=evil\n")
	for _, p := range plants[:5] {
		p.set(t, filepath.Join(dir, "sub"), program)
	}
	command(t, filepath.Join(dir, "sub"), "config", "filter.evil.clean", program)
	os.Remove(ran)
	return dir, ran
}

// racy gives the index and the files the same time: git looks into the files then (git's technical/racy-git).
func racy(t testing.TB, dir string) {
	then := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	files, _ := filepath.Glob(filepath.Join(dir, "*.txt"))
	for _, file := range files {
		if err := os.Chtimes(file, then, then); err != nil {
			t.Fatal(err)
		}
	}
	command(t, dir, "update-index", "-q", "--refresh")
	if err := os.Chtimes(filepath.Join(dir, ".git/index"), then, then); err != nil {
		t.Fatal(err)
	}
}

func TestHostileRepository(t *testing.T) {
	dir, ran := hostile(t)
	commit := command(t, dir, "-c", "core.fsmonitor=false", "rev-parse", "HEAD")
	blob := command(t, dir, "-c", "core.fsmonitor=false", "rev-parse", "HEAD~1:a.txt")
	os.Remove(ran)
	ask := func(ctx context.Context) {
		at := tree(dir)
		if got, _, err := at.Head(ctx); got != commit || err != nil {
			t.Errorf("HEAD is %q, %v", got, err)
		}
		if n, ancestor, err := at.Since(ctx, commit); n != 0 || !ancestor || err != nil {
			t.Errorf("%d commits since, %v", n, err)
		}
		_, _, _ = at.Since(ctx, strings.Repeat("a", 40)) // which a partial clone would fetch
		_, _ = at.Touching(ctx, commit+"~1", []string{"a.txt"})
		if files, err := at.Differing(ctx, commit); len(files) != 0 || err != nil {
			t.Errorf("%v differ, %v", files, err)
		}
	}
	ask(t.Context())
	object := filepath.Join(dir, ".git/objects", blob[:2], blob[2:])
	if err := os.Remove(object); err != nil { // as if it had to be fetched
		t.Fatal(err)
	}
	_, _ = tree(dir).Differing(t.Context(), commit)
	_, _ = tree(dir).Touching(t.Context(), commit+"~2", []string{"a.txt"})
	if text, err := os.ReadFile(ran); err == nil {
		t.Errorf("the repository has run\n%s", text)
	}
	// The same questions, asked as usual, run it.
	cmd := exec.Command("git", "-c", "core.fsmonitor=false", "diff-index", "--name-only", "HEAD")
	cmd.Dir = dir
	_ = cmd.Run()
	if _, err := os.Stat(ran); err != nil {
		t.Error("the plants are dead: nothing proves anything")
	}
}

func BenchmarkTree5000(b *testing.B) {
	dir := repository(b)
	for i := range 5000 {
		write(b, filepath.Join(dir, fmt.Sprintf("d%d/f%d.go", i%100, i)), strings.Repeat(fmt.Sprintln(i), 200))
	}
	command(b, dir, "add", ".")
	command(b, dir, "commit", "-q", "-m", "many")
	commit := command(b, dir, "rev-parse", "HEAD")
	for b.Loop() {
		if _, err := tree(dir).Differing(b.Context(), commit); err != nil {
			b.Fatal(err)
		}
	}
}
