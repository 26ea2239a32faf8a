package remote_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/seed-78daf238/handoff/lib/exchange/remote"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/testdata/remotetest"
)

// environ is the environment of a user without settings, whose home is empty.
func environ(t testing.TB, more ...string) []string {
	return append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GIT_CONFIG_NOSYSTEM=1"}, more...)
}

// command runs git, and returns what it prints.
func command(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=ann", "-c", "user.email=ann@example.com"}, args...)...)
	cmd.Dir, cmd.Env = dir, environ(t)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// hub makes a bare repository.
func hub(t testing.TB, format string) (dir string) {
	dir = filepath.Join(t.TempDir(), "hub.git")
	command(t, t.TempDir(), "init", "--quiet", "--bare", "--object-format="+format, dir)
	return dir
}

// project makes a work tree with a remote origin.
func project(t testing.TB, format, url string) (dir string) {
	dir = t.TempDir()
	command(t, dir, "init", "--quiet", "--object-format="+format)
	command(t, dir, "remote", "add", "origin", url)
	return dir
}

// options are those of a clone whose remote is at a URL.
func options(t testing.TB, url string) remote.GitOptions {
	return remote.GitOptions{Cache: filepath.Join(t.TempDir(), "sync.git"), Project: project(t, "sha1", url), URL: url,
		Namespace: "refs/handoff", Environ: environ(t)}
}

func open(t testing.TB, o remote.GitOptions) remote.Remote {
	t.Helper()
	r, _, err := remote.OpenGit(o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestPath(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			url := hub(t, format)
			remotetest.Run(t, func(t *testing.T) remote.Remote {
				o := options(t, url)
				o.Project = project(t, format, url)
				return open(t, o)
			})
		})
	}
}

func limited(t testing.TB, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

func isLate(t testing.TB, err error) {
	t.Helper()
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
}

// hasClass fails if an error has another class, or lacks words in its text or hint.
func hasClass(t testing.TB, err, class error, words ...string) {
	t.Helper()
	if err == nil || fault.Class(err) != class {
		t.Fatalf("%v, class %v", err, fault.Class(err))
	}
	text := err.Error()
	if hint, is := errors.AsType[interface {
		error
		Hint() string
	}](err); is {
		text += "; " + hint.Hint()
	}
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("%q does not say %q", text, w)
		}
	}
}

func appended(t testing.TB, r remote.Remote, log string, after remote.Position, text string) remote.Position {
	t.Helper()
	ends, err := r.Append(t.Context(), []remote.Addition{{Log: log, After: after, Text: []byte(text)}})
	if err != nil {
		t.Fatal(err)
	}
	return ends[log]
}

// texts returns the batches of a log behind a position, with spaces between them.
func texts(t testing.TB, r remote.Remote, log string, after remote.Position) string {
	t.Helper()
	var all []string
	err := r.Read(t.Context(), map[string]remote.Position{log: after}, func(_ string, b remote.Batch) error {
		all = append(all, string(b.Text))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(all, " ")
}

// A cache that was damaged, planted, removed or left behind by a killed git is made again.
func TestBrokenCache(t *testing.T) {
	t.Parallel()
	ran := filepath.Join(t.TempDir(), "ran")
	program := filepath.Join(t.TempDir(), "program")
	write(t, program, "#!/bin/sh\ntouch "+ran+"\n")
	files := func(cache, pattern string, do func(path string) error) {
		found, err := filepath.Glob(filepath.Join(cache, pattern))
		if err != nil || len(found) == 0 {
			t.Fatal(pattern, err)
		}
		for _, path := range found {
			if err := do(path); err != nil {
				t.Fatal(err)
			}
		}
	}
	empty := func(path string) error { return os.WriteFile(path, nil, 0o600) }
	for name, spoil := range map[string]func(cache string){
		"removed":         func(cache string) { files(cache, "", os.RemoveAll) },
		"no objects":      func(cache string) { files(cache, "objects", os.RemoveAll) },
		"objects removed": func(cache string) { files(cache, "objects/??", os.RemoveAll) },
		"objects emptied": func(cache string) {
			files(cache, "objects/??/*", func(p string) error { return errors.Join(os.Remove(p), empty(p)) })
		},
		"refs emptied": func(cache string) { files(cache, "refs/*/*", empty) },
		"refs removed": func(cache string) { files(cache, "refs", os.RemoveAll) },
		"packed refs":  func(cache string) { write(t, filepath.Join(cache, "packed-refs"), "nonsense\n") },
		"locks":        func(cache string) { write(t, filepath.Join(cache, "refs/seen/t-00.lock"), "") },
		"all locks": func(cache string) {
			for _, name := range []string{"refs/next/t-00.lock", "packed-refs.lock", "HEAD.lock", "config.lock", "shallow.lock"} {
				write(t, filepath.Join(cache, name), "")
			}
		},
		"HEAD":   func(cache string) { files(cache, "HEAD", empty) },
		"a file": func(cache string) { files(cache, "", os.RemoveAll); write(t, cache, "x") },
		"settings": func(cache string) {
			for _, key := range []string{"core.sshCommand", "core.fsmonitor", "core.gitProxy", "gpg.program", "core.askPass",
				"uploadpack.packObjectsHook", "remote.handoff.uploadpack", "remote.handoff.receivepack", "core.alternateRefsCommand"} {
				command(t, cache, "config", key, program)
			}
			command(t, cache, "config", "push.gpgSign", "true")
		},
		"hooks": func(cache string) {
			for _, hook := range []string{"pre-push", "reference-transaction", "post-update", "pre-auto-gc"} {
				write(t, filepath.Join(cache, "hooks", hook), "#!/bin/sh\ntouch "+ran+"\n")
			}
		},
		"commondir": func(cache string) {
			other := hub(t, "sha1")
			command(t, other, "config", "remote.handoff.receivepack", program)
			write(t, filepath.Join(cache, "commondir"), other+"\n")
		},
		"trust": func(cache string) {
			write(t, filepath.Join(cache, "config"), "[remote \"handoff\"]\n\treceivepack = "+program+"\n")
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := options(t, hub(t, "sha1"))
			r, other := open(t, o), open(t, options(t, o.URL))
			first := appended(t, r, "t-00", "", "one")
			second := appended(t, other, "t-00", first, "two")
			if got := texts(t, r, "t-00", ""); got != "one two" {
				t.Fatalf("%q", got)
			}
			spoil(o.Cache)
			if all, err := r.Versions(t.Context()); err != nil || len(all) != 1 {
				t.Errorf("%v, %v", all, err)
			}
			third := appended(t, r, "t-00", second, "three")
			appended(t, other, "t-00", third, "four")
			spoil(o.Cache)
			if got := texts(t, r, "t-00", first); got != "two three four" {
				t.Errorf("%q", got)
			}
		})
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("the cache has run a program")
	}
}

func TestRewritten(t *testing.T) {
	t.Parallel()
	dir := hub(t, "sha1")
	r := open(t, options(t, dir))
	first := appended(t, r, "t-00", "", "one")
	second := appended(t, r, "t-00", first, "two")
	fresh := appended(t, r, "t-01", "", "fresh")
	for name, args := range map[string][]string{
		"restored": {"update-ref", "refs/handoff/log/t-00", string(first)},
		"another":  {"update-ref", "refs/handoff/log/t-00", string(fresh)},
		"deleted":  {"update-ref", "-d", "refs/handoff/log/t-00"},
		"a blob":   {"update-ref", "refs/handoff/log/t-00", command(t, dir, "rev-parse", string(first)+":batch")},
	} {
		command(t, dir, args...)
		err := r.Read(t.Context(), map[string]remote.Position{"t-00": second}, nil)
		hasClass(t, err, fault.ErrIntegrity, "t-00", "--restore-remote")
		_, err = r.Append(t.Context(), []remote.Addition{{Log: "t-00", After: second}, {Log: "t-02"}})
		if !errors.Is(err, remote.ErrMoved) {
			t.Errorf("%s: %v", name, err)
		}
		if all, err := r.Versions(t.Context()); err != nil || all["t-02"] != "" {
			t.Errorf("%s: half of it was appended: %v, %v", name, all, err)
		}
	}
	command(t, dir, "update-ref", "refs/handoff/log/t-00", command(t, dir, "rev-parse", string(fresh)+"^{tree}"))
	if got := texts(t, r, "t-00", ""); got != "" { // no log, and no error for who has never read one
		t.Errorf("%q", got)
	}
	command(t, dir, "update-ref", "-d", "refs/handoff/log/t-00")
	if got := texts(t, r, "t-00", ""); got != "" {
		t.Errorf("%q", got)
	}
	appended(t, r, "t-00", "", "anew")
}

// What somebody plants in the place of a log is told to who reads it, and replaced by who appends.
func TestPlanted(t *testing.T) {
	t.Parallel()
	dir := hub(t, "sha1")
	o := options(t, dir)
	commit := appended(t, open(t, o), "t-ff", "", "x")
	command(t, dir, "tag", "-a", "-m", "x", "v", string(commit))
	o.Remote = "origin"
	for name, object := range map[string]string{"t-00": "refs/tags/v", "t-01": string(commit) + "^{tree}", "t-02": string(commit) + ":batch"} {
		command(t, dir, "update-ref", "refs/handoff/log/"+name, command(t, dir, "rev-parse", object))
		r, other := open(t, o), open(t, options(t, dir))
		n := 0
		err := other.Read(t.Context(), map[string]remote.Position{name: "", "t-ff": ""}, func(_ string, b remote.Batch) error {
			n++
			return nil
		})
		if n != 2 || err != nil {
			t.Errorf("%s: %d batches, %v", object, n, err)
		}
		end := appended(t, r, name, "", "mine")
		appended(t, other, name, end, "yours")
		if got := texts(t, open(t, options(t, dir)), name, ""); got != "mine yours" {
			t.Errorf("%s: %q", object, got)
		}
		if _, err := r.Append(t.Context(), []remote.Addition{{Log: name}}); !errors.Is(err, remote.ErrMoved) {
			t.Errorf("%s: %v", object, err)
		}
	}
	command(t, dir, "update-ref", "refs/handoff/log/t-03/x", string(commit))
	r := open(t, o)
	_, err := r.Append(t.Context(), []remote.Addition{{Log: "t-03"}})
	hasClass(t, err, fault.ErrConfig, "`git push origin --delete refs/handoff/log/t-03/x`")
	command(t, o.Project, "push", "origin", "--delete", "refs/handoff/log/t-03/x")
	appended(t, r, "t-03", "", "x")
}

// Whatever stands in the refs, a log goes on behind it.
func TestHostileCommits(t *testing.T) {
	t.Parallel()
	dir := hub(t, "sha1")
	imports := exec.Command("git", "fast-import", "--quiet")
	imports.Dir, imports.Env = dir, environ(t)
	imports.Stdin = strings.NewReader(`commit refs/handoff/log/t-00
committer x <x@example.com> 0 +0000
data 0
M 100644 inline other
data 1
x

commit refs/handoff/log/t-00
committer x <x@example.com> 0 +0000
data 0
M 100644 inline batch/file
data 1
x

commit refs/handoff/log/t-00
committer x <x@example.com> 0 +0000
data 0
deleteall
M 160000 ` + strings.Repeat("1", 40) + ` other

commit refs/x
committer x <x@example.com> 0 +0000
data 0

commit refs/handoff/log/t-00
committer x <x@example.com> 0 +0000
data 0
merge refs/x
M 100644 inline batch
data 6
merged

commit refs/handoff/log/t-00
committer x <x@example.com> 0 +0000
data 0
M 100644 inline batch
data 20000000
` + strings.Repeat("0123456789", 2_000_000) + `
`)
	if out, err := imports.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	tip := command(t, dir, "rev-parse", "refs/handoff/log/t-00")
	for _, ref := range []string{"refs/handoff/log/t-000", "refs/handoff/log/t-0g", "refs/handoff/log/x/t-00",
		"refs/handoff/log/t-01/x"} {
		command(t, dir, "update-ref", ref, tip)
	}
	r := open(t, options(t, dir))
	all, err := r.Versions(t.Context())
	if err != nil || len(all) != 1 || all["t-00"] != tip {
		t.Errorf("%v, %v", all, err)
	}
	appended(t, r, "t-00", remote.Position(tip), "mine")
	if got := texts(t, r, "t-00", ""); got != "   merged  mine" {
		t.Errorf("%q", got)
	}
}

// A remote that refuses is heard, in words that can do no harm.
func TestRefusingHook(t *testing.T) {
	t.Parallel()
	dir := hub(t, "sha1")
	write(t, filepath.Join(dir, "hooks/update"), `#!/bin/sh
case $1 in refs/heads/*) exit 0;; esac
printf 'only \033[31mbranches\n'
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo line $i; done
exit 1
`)
	url := serve(t, dir, nil)
	for _, where := range []string{dir, url} {
		o := options(t, where)
		r := open(t, o)
		_, err := r.Append(t.Context(), []remote.Addition{{Log: "t-00", Text: []byte("x")}})
		hasClass(t, err, fault.ErrConfig, `remote: only \x1b[31mbranches`, "line 7", "sync_namespace: refs/heads/handoff")
		if n := strings.Count(err.Error(), "\n"); n > 10 || strings.ContainsRune(err.Error(), '\033') {
			t.Errorf("%d lines: %q", n, err)
		}
		if all, err := r.Versions(t.Context()); err != nil || len(all) != 0 {
			t.Errorf("%v, %v", all, err)
		}
	}
	o := options(t, url)
	o.Namespace = "refs/heads/handoff"
	appended(t, open(t, o), "t-00", "", "x")
}

func TestWithoutAtomic(t *testing.T) {
	t.Parallel()
	dir := hub(t, "sha1")
	command(t, dir, "config", "receive.advertiseAtomic", "false")
	r := open(t, options(t, dir))
	first := appended(t, r, "t-00", "", "one")
	appended(t, open(t, options(t, dir)), "t-00", first, "two")
	_, err := r.Append(t.Context(), []remote.Addition{{Log: "t-00", After: first}, {Log: "t-01"}})
	if !errors.Is(err, remote.ErrMoved) {
		t.Errorf("%v", err)
	}
}

func TestBadRemotes(t *testing.T) {
	t.Parallel()
	url := hub(t, "sha256")
	_, err := open(t, options(t, url)).Versions(t.Context())
	if err == nil {
		_, err = open(t, options(t, url)).Append(t.Context(), []remote.Addition{{Log: "t-00"}})
	}
	hasClass(t, err, fault.ErrConfig, "object format")
	_, err = open(t, options(t, filepath.Join(t.TempDir(), "nowhere"))).Versions(t.Context())
	hasClass(t, err, fault.ErrConfig, "no such remote")
	_, err = open(t, options(t, "http://127.0.0.1:1/x")).Versions(t.Context())
	hasClass(t, err, nil, "cannot be reached")
}

func TestMissingOrOldGit(t *testing.T) {
	o := options(t, "/nowhere")
	bin := t.TempDir()
	t.Setenv("PATH", bin)
	_, _, err := remote.OpenGit(o)
	hasClass(t, err, fault.ErrConfig, "not installed", "2.32")
	write(t, filepath.Join(bin, "git"), "#!/bin/sh\necho git version 2.31.8\n")
	_, _, err = remote.OpenGit(o)
	hasClass(t, err, fault.ErrConfig, "too old", "2.32")
}

// Somebody else's repository is not used, unless the user trusts it.
func TestForeign(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root can make a repository that belongs to somebody else")
	}
	away := func(dir string) {
		t.Helper()
		if err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, _ error) error { return os.Lchown(path, 12345, 12345) }); err != nil {
			t.Fatal(err)
		}
	}
	trust := func(o remote.GitOptions, dir string) {
		write(t, filepath.Join(strings.TrimPrefix(o.Environ[1], "HOME="), ".gitconfig"), "[safe]\n\tdirectory = "+dir+"\n")
	}
	o := options(t, hub(t, "sha1"))
	away(o.URL)
	r := open(t, o)
	_, err := r.Versions(t.Context())
	hasClass(t, err, fault.ErrConfig, "another user", "`git config --global --add safe.directory "+o.URL+"`")
	_, err = r.Append(t.Context(), []remote.Addition{{Log: "t-00"}})
	hasClass(t, err, fault.ErrConfig, "another user")
	command(t, o.Project, "config", "safe.directory", "*")
	_, err = open(t, o).Versions(t.Context())
	hasClass(t, err, fault.ErrConfig, "another user")
	trust(o, o.URL)
	r = open(t, o)
	appended(t, r, "t-00", "", "x")
	if got := texts(t, r, "t-00", ""); got != "x" {
		t.Errorf("%q", got)
	}
	away(o.Project)
	_, _, err = remote.OpenGit(o)
	hasClass(t, err, fault.ErrConfig, "another user", "safe.directory "+o.Project)
	trust(o, o.Project)
	open(t, o)
}

func TestURL(t *testing.T) {
	t.Parallel()
	dir := project(t, "sha1", "../hub.git")
	urlOf := func(project, name string) (string, error) {
		_, url, err := remote.OpenGit(remote.GitOptions{Project: project, Remote: name, Environ: environ(t)})
		return url, err
	}
	sub := filepath.Join(dir, "a/b")
	if err := os.MkdirAll(sub, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, url := range map[string]string{"ssh": "git@hub.example:x/y.git", "https": "https://hub.example/x", "my.own": "/srv/x"} {
		command(t, dir, "remote", "add", name, url)
		if got, err := urlOf(sub, name); got != url || err != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if got, err := urlOf(sub, "origin"); got != filepath.Join(filepath.Dir(dir), "hub.git") || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	_, err := urlOf(dir, "upstream")
	hasClass(t, err, fault.ErrConfig, `"upstream"`, "git remote add upstream URL")
	_, err = urlOf(t.TempDir(), "origin")
	hasClass(t, err, fault.ErrConfig, `"origin"`)
}

// Whoever pushes elsewhere than they fetch, as to the same repository by another way, does so here.
func TestPushURL(t *testing.T) {
	t.Parallel()
	dir := hub(t, "sha1")
	o := options(t, serve(t, dir, func(backend http.Handler, w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.RawQuery+r.URL.Path, "receive-pack") {
			http.Error(w, "read only", http.StatusForbidden)
			return
		}
		backend.ServeHTTP(w, r)
	}))
	_, err := open(t, o).Append(t.Context(), []remote.Addition{{Log: "t-00"}})
	hasClass(t, err, fault.ErrConfig)
	command(t, o.Project, "config", "remote.origin.pushurl", dir)
	command(t, o.Project, "config", "--add", "remote.origin.pushurl", "/nowhere")
	r := open(t, o)
	appended(t, r, "t-00", "", "x")
	if got := texts(t, r, "t-00", ""); got != "x" {
		t.Errorf("%q", got)
	}
}

// A host that pretends to have somebody else's repository cannot make us advise what it likes.
func TestWordsOfOthers(t *testing.T) {
	t.Parallel()
	ssh := filepath.Join(t.TempDir(), "ssh")
	write(t, ssh, `#!/bin/sh
printf "fatal: detected dubious ownership in repository at '/x'\n\tgit config --global --add safe.directory '*'; evil\n" >&2
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do printf '\xff\033]0;x\007 %s\n' https://ann:secret@hub.example/ >&2; done
exit 128
`)
	o := options(t, "hub.example:x")
	o.Environ = append(o.Environ, "GIT_SSH="+ssh, "GIT_SSH_VARIANT=simple")
	_, err := open(t, o).Versions(t.Context())
	hasClass(t, err, nil, "run it again")
	if e, is := errors.AsType[*fault.Error](err); !is || strings.Contains(e.Advice, "evil") || strings.Contains(err.Error(), "secret") ||
		strings.ContainsAny(err.Error(), "\a\x1b") || !utf8.ValidString(err.Error()) || strings.Count(err.Error(), "\n") > 9 {
		t.Errorf("%q", err)
	}
}

// More logs than are asked for by name, in a repository with a work tree.
func TestManyLogs(t *testing.T) {
	t.Parallel()
	dir := project(t, "sha1", "x")
	r := open(t, options(t, dir))
	tip := appended(t, r, "t-00", "", "one")
	var orders strings.Builder
	after := map[string]remote.Position{"t-00": tip}
	for i := range 600 {
		log := fmt.Sprintf("w-%016x", i)
		fmt.Fprintf(&orders, "create refs/handoff/log/%s %s\n", log, tip)
		after[log] = ""
	}
	cmd := exec.Command("git", "update-ref", "--stdin")
	cmd.Dir, cmd.Env, cmd.Stdin = dir, environ(t), strings.NewReader(orders.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	n := 0
	err := r.Read(t.Context(), after, func(string, remote.Batch) error {
		n++
		return nil
	})
	if all, versionsErr := r.Versions(t.Context()); n != 600 || err != nil || len(all) != 601 || versionsErr != nil {
		t.Errorf("%d batches, %v; %d logs, %v", n, err, len(all), versionsErr)
	}
}
