package exchange_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/exchange"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/settings"
)

// A program of git's that is needed, or the test is skipped.
func program(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join(git(t, ".", "--exec-path"), name)
	if _, err := os.Stat(path); err != nil {
		t.Skip(name + " is not installed")
	}
	return path
}

// daemon serves the directory by git's own protocol, and returns its URL.
func daemon(t *testing.T, dir string) string {
	t.Helper()
	program(t, "git-daemon")
	address, err := net.ResolveTCPAddr("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.ListenTCP("tcp", address)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			connection, err := listener.AcceptTCP()
			if err != nil {
				return // the test has ended
			}
			if file, err := connection.File(); err == nil {
				one := exec.Command("git", "daemon", "--inetd", "--base-path="+dir, "--export-all", "--enable=receive-pack")
				one.Stdin, one.Stdout = file, file
				if one.Start() == nil {
					go one.Wait()
				}
				file.Close()
			}
			connection.Close()
		}
	}()
	return "git://" + listener.Addr().String()
}

// smartHTTP serves the directory as a forge does, and returns its URL.
func smartHTTP(t *testing.T, dir string, env ...string) string {
	t.Helper()
	server := httptest.NewServer(&cgi.Handler{Path: program(t, "git-http-backend"), Dir: dir, Stderr: io.Discard,
		Env: append([]string{"GIT_PROJECT_ROOT=" + dir, "GIT_HTTP_EXPORT_ALL=1", "HOME=" + t.TempDir(), "GIT_CONFIG_NOSYSTEM=1"}, env...)})
	t.Cleanup(server.Close)
	return server.URL
}

func TestTransports(t *testing.T) {
	t.Parallel()
	for name, serve := range some(map[string]func(t *testing.T, dir string) string{
		"path":       func(_ *testing.T, dir string) string { return dir },
		"file":       func(_ *testing.T, dir string) string { return "file://" + dir },
		"git daemon": daemon,
		"smart HTTP": func(t *testing.T, dir string) string { return smartHTTP(t, dir, "REMOTE_USER=ann") },
	}, 2) {
		t.Run(name, func(t *testing.T) {
			hub, roots := clones(t, 2)
			url := serve(t, filepath.Dir(hub)) + "/hub.git"
			for _, root := range roots {
				git(t, root, "remote", "set-url", "origin", url)
			}
			for round := range 2 { // the second one has something to compare with
				id := write(t, roots[0], []string{"one", "two"}[round])
				if got := mustSync(t, roots[0]); got.Sent != 1 {
					t.Errorf("%+v", got)
				}
				if got := mustSync(t, roots[1]); len(got.Received) != 1 || got.Received[0].ID != id {
					t.Errorf("%+v", got)
				}
				if got := mustSync(t, roots[1]); got.Told || len(got.Received) > 0 {
					t.Errorf("%+v", got)
				}
				if round == 0 {
					continue
				}
				if winners, told := race(t, 4, roots, id, "take"); len(winners) != 1 || len(told) != 3 {
					t.Errorf("the winners are %v, and %v", winners, told)
				}
			}
		})
	}
}

// A remote that takes no such refs is a matter of settings, whatever it refuses them with. What is not sent waits.
func TestRemotesThatRefuse(t *testing.T) {
	t.Parallel()
	for name, refuse := range map[string]func(t *testing.T, hub string){
		"update hook":      func(t *testing.T, hub string) { hook(t, hub, "update", "exit 1") },
		"pre-receive hook": func(t *testing.T, hub string) { hook(t, hub, "pre-receive", "echo no >&2; exit 1") },
		"hidden refs":      func(t *testing.T, hub string) { git(t, hub, "config", "receive.hideRefs", "refs/handoff") },
	} {
		t.Run(name, func(t *testing.T) {
			hub, roots := clones(t, 1)
			refuse(t, hub)
			git(t, roots[0], "remote", "set-url", "origin", smartHTTP(t, filepath.Dir(hub), "REMOTE_USER=ann")+"/hub.git")
			write(t, roots[0], "one")
			got, err := sync(roots[0])
			advice := (*handoff.Error)(nil)
			if !errors.Is(err, handoff.ErrConfig) || !errors.As(err, &advice) || !strings.Contains(advice.Advice, "sync_namespace: refs/heads/handoff") || got.Waiting != 1 || got.Sent != 0 {
				t.Errorf("%v %+v", err, got)
			}
		})
	}
}

func hook(t *testing.T, hub, name, script string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(hub, "hooks", name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
}

// A remote that takes a connection and says nothing is given up. Nothing that waits for it is left, so that the next sync runs.
func TestRemotesThatHang(t *testing.T) {
	before := exchange.SetAnswerLimit(200 * time.Millisecond)
	defer exchange.SetAnswerLimit(before)
	_, roots := clones(t, 1)
	write(t, roots[0], "one")
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skip(err)
	}
	defer silent.Close()
	for _, scheme := range []string{"git", "http"} {
		git(t, roots[0], "remote", "set-url", "origin", scheme+"://"+silent.Addr().String()+"/hub.git")
		for range 2 {
			got, err := sync(roots[0])
			if err == nil || !strings.Contains(err.Error(), "took too long") || got.Waiting != 1 {
				t.Errorf("%s: %v %+v", scheme, err, got)
			}
		}
	}
}

// What answers is not a repository, or one that does not let in: a matter of settings.
func TestRemotesThatAreNone(t *testing.T) {
	t.Parallel()
	hub, roots := clones(t, 1)
	write(t, roots[0], "one")
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("<html>hello</html>")) }))
	defer page.Close()
	for _, url := range []string{
		page.URL + "/hub.git",
		smartHTTP(t, filepath.Dir(hub)) + "/other.git",
		smartHTTP(t, filepath.Dir(hub)) + "/hub.git", // nothing may be sent there
		daemon(t, filepath.Dir(hub)) + "/other.git",
	} {
		git(t, roots[0], "remote", "set-url", "origin", url)

		o := remote(roots[0])
		o.Named = true
		got, err := exchange.Sync(t.Context(), mustOpen(t, roots[0]), o)
		if !errors.Is(err, handoff.ErrConfig) || got.Waiting != 1 || strings.Contains(err.Error(), "so far") {
			t.Errorf("%s: %v %+v", url, err, got)
		}
	}
}

// Where another repository answers, or one that has lost all, everybody sends again what is theirs.
func TestRemoteThatIsAnother(t *testing.T) {
	t.Parallel()
	hub, roots := clones(t, 3)
	for i, root := range roots[:2] {
		write(t, root, []string{"one", "two"}[i])
		mustSync(t, root)
	}
	mustSync(t, roots[0])
	if err := os.Rename(hub, hub+".lost"); err != nil {
		t.Fatal(err)
	}
	git(t, filepath.Dir(hub), "init", "-q", "--bare", hub)
	for _, root := range roots[:2] {
		if got := mustSync(t, root); got.Sent != 1 {
			t.Errorf("%+v", got)
		}
	}
	if got := mustSync(t, roots[2]); len(got.Received) != 2 {
		t.Errorf("%+v", got)
	}
}

// A waiting context says each time that somebody asks whether to wait on.
type waiting struct {
	context.Context
	asked chan struct{}
}

func (w waiting) Done() <-chan struct{} {
	select {
	case w.asked <- struct{}{}:
	default: // nobody listens
	}
	return w.Context.Done()
}

// Who waits while another sync receives, and is stopped before it has sent that, goes on from there.
func TestSyncBehindOneThatIsStopped(t *testing.T) {
	_, roots := clones(t, 2)
	write(t, roots[0], "one")
	mustSync(t, roots[0])
	write(t, roots[1], "two")
	mustSync(t, roots[1])
	write(t, roots[0], "three")
	mustSync(t, roots[1])
	dir := t.TempDir()
	for _, name := range []string{"fetches", "fetch", "pushes", "push"} { // pipes: who opens one waits for the other end
		if out, err := exec.Command("mkfifo", filepath.Join(dir, name)).CombinedOutput(); err != nil {
			t.Skipf("%v %s", err, out)
		}
	}
	beforeGit(t, fmt.Sprintf(`cd %s; first() { mkdir $1-once 2>/dev/null && echo >$2 && read let <$1; }
(case " $* " in *' fetch '*) first fetch fetches;; *' push '*) first push pushes;; esac)
cd "$OLDPWD"`, dir))
	await := func(name string) {
		if _, err := os.ReadFile(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	let := func(name string) {
		pipe, err := os.OpenFile(filepath.Join(dir, name), os.O_RDWR, 0)
		if err == nil {
			t.Cleanup(func() { pipe.Close() }) // the reader may be gone, or open it later
			_, err = pipe.WriteString("\n")
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	start := func(ctx context.Context) chan error {
		ended := make(chan error, 1)
		go func() {
			_, err := exchange.Sync(ctx, mustOpen(t, roots[0]), remote(roots[0]))
			ended <- err
		}()
		return ended
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	first := start(ctx)
	await("fetches")
	waits := waiting{t.Context(), make(chan struct{})}
	second := start(waits)
	for range 30 { // it looks at the log, and waits: then it asks again and again
		<-waits.asked
	}
	let("fetch")
	await("pushes")
	stop()
	if err := <-first; err == nil {
		t.Error("it was not stopped")
	}
	let("push")
	if err := <-second; err != nil {
		t.Error(err)
	}
	if got := mustSync(t, roots[1]); len(got.Received) != 1 {
		t.Errorf("%+v", got)
	}
}

// Without a setting, commands ask the only remote that was synced.
func TestRemoteOf(t *testing.T) {
	hub, roots := clones(t, 1)
	root := roots[0]
	git(t, root, "remote", "add", "hub", hub)
	write(t, root, "first")
	p := handoff.Project{Options: options(root)}
	p.Settings.Remote = settings.Setting[string]{Value: "origin", Source: settings.Default}
	is := func(want string) {
		t.Helper()
		if got := exchange.RemoteOf(p); got != want {
			t.Errorf("the remote is %s, not %s", got, want)
		}
	}
	is("origin")
	syncWith := func(name string) {
		t.Helper()
		o := remote(root)
		o.Remote, o.Named = name, true
		if _, err := exchange.Sync(context.Background(), mustOpen(t, root), o); err != nil {
			t.Fatal(err)
		}
	}
	syncWith("hub")
	is("hub")
	named := p
	named.Settings.Remote = settings.Setting[string]{Value: "team", Source: settings.File}
	if got := exchange.RemoteOf(named); got != "team" {
		t.Errorf("the setting is team, and the remote %s", got)
	}
	other := filepath.Join(t.TempDir(), "other.git")
	git(t, root, "init", "-q", "--bare", "--template=", other)
	git(t, root, "remote", "add", "other", other)
	syncWith("other")
	is("other")
}
