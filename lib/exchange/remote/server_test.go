package remote_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/exchange/remote"
	"github.com/seed-78daf238/handoff/testdata/remotetest"
)

// serve serves a repository by smart HTTP, through a function that may refuse or spoil requests. It returns the URL.
func serve(t testing.TB, dir string, through func(http.Handler, http.ResponseWriter, *http.Request)) (url string) {
	command(t, dir, "config", "http.receivepack", "true")
	backend := &cgi.Handler{Path: filepath.Join(command(t, dir, "--exec-path"), "git-http-backend"),
		Env: append(environ(t), "GIT_PROJECT_ROOT="+filepath.Dir(dir), "GIT_HTTP_EXPORT_ALL=1")}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if through == nil {
			backend.ServeHTTP(w, r)
		} else {
			through(backend, w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL + "/" + filepath.Base(dir)
}

func TestHTTP(t *testing.T) {
	t.Parallel()
	url := serve(t, hub(t, "sha1"), nil)
	remotetest.Run(t, func(t *testing.T) remote.Remote { return open(t, options(t, url)) })
}

func TestDaemon(t *testing.T) {
	t.Parallel()
	dir := hub(t, "sha1")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	listener.Close()
	cmd := exec.Command(filepath.Join(command(t, dir, "--exec-path"), "git-daemon"), "--export-all", "--reuseaddr",
		"--enable=receive-pack", "--listen=127.0.0.1", fmt.Sprint("--port=", port), "--base-path="+filepath.Dir(dir))
	cmd.Env = environ(t)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	for {
		c, err := net.Dial("tcp", fmt.Sprint("127.0.0.1:", port))
		if err == nil {
			c.Close()
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	url := fmt.Sprintf("git://127.0.0.1:%d/%s", port, filepath.Base(dir))
	remotetest.Run(t, func(t *testing.T) remote.Remote { return open(t, options(t, url)) })
}

// A server that takes what was pushed, and does not answer.
func TestLostAnswer(t *testing.T) {
	t.Parallel()
	deaf := false
	url := serve(t, hub(t, "sha1"), func(backend http.Handler, w http.ResponseWriter, r *http.Request) {
		if deaf && r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "git-receive-pack") {
			backend.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		}
		backend.ServeHTTP(w, r)
	})
	r := open(t, options(t, url))
	first := appended(t, r, "t-00", "", "one")
	deaf = true
	second := appended(t, r, "t-00", first, "two")
	deaf = false
	if got := texts(t, open(t, options(t, url)), "t-00", first); got != "two" {
		t.Errorf("%q", got)
	}
	if got := texts(t, r, "t-00", second); got != "" {
		t.Errorf("%q", got)
	}
}

func TestSlowServer(t *testing.T) {
	t.Parallel()
	url := serve(t, hub(t, "sha1"), func(_ http.Handler, _ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	r := open(t, options(t, url))
	begin, ctx := time.Now(), limited(t, 300*time.Millisecond)
	_, versions := r.Versions(ctx)
	read := r.Read(ctx, map[string]remote.Position{"t-00": ""}, nil)
	_, appended := r.Append(ctx, []remote.Addition{{Log: "t-00"}})
	for _, err := range []error{versions, read, appended} {
		isLate(t, err)
	}
	if passed := time.Since(begin); passed > 20*time.Second {
		t.Errorf("it took %v", passed)
	}
}

func TestBrokenServer(t *testing.T) {
	t.Parallel()
	broken := true
	url := serve(t, hub(t, "sha1"), func(backend http.Handler, w http.ResponseWriter, r *http.Request) {
		if broken {
			http.Error(w, "out of order", http.StatusInternalServerError)
			return
		}
		backend.ServeHTTP(w, r)
	})
	r := open(t, options(t, url))
	_, err := r.Versions(t.Context())
	hasClass(t, err, nil, "cannot be reached", "500")
	_, err = r.Append(t.Context(), []remote.Addition{{Log: "t-00", Text: []byte("x")}})
	hasClass(t, err, nil, "cannot be reached", "500")
	broken = false
	appended(t, r, "t-00", "", "x")
}
