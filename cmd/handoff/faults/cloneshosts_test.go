//go:build linux

package faults_test

import (
	"errors"
	"io"
	"net"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// startOn starts a command on a machine of another name, as unshare -u has it, or on this one.
func startOn(host string, cmd *exec.Cmd) error {
	if host == "" {
		return cmd.Start()
	}
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // never given back, so that the thread ends with its name
		err := unix.Unshare(unix.CLONE_NEWUTS)
		if err == nil {
			err = unix.Sethostname([]byte(host))
		}
		if err == nil {
			err = cmd.Start()
		}
		started <- err
	}()
	return <-started
}

// hasHosts says whether machines of other names can be made here.
func hasHosts(t *testing.T) bool {
	t.Helper()
	cmd := exec.Command("true")
	if err := startOn("other", cmd); err != nil {
		t.Logf("all clones are on one host: %v", err)
		return false
	}
	return cmd.Wait() == nil
}

// served serves a directory in other ways than by its path, as far as git is installed with them, and returns the URLs of
// the repository hub.git in it.
func served(t *testing.T, dir string) (urls []string) {
	t.Helper()
	lib := strings.TrimSpace(must(t, dir, "git", "--exec-path"))
	for name, serve := range map[string]func(*testing.T, string, string) (string, error){"git-daemon": daemon, "git-http-backend": smartHTTP} {
		url, err := "", errors.New("it is not installed")
		if _, missing := os.Stat(filepath.Join(lib, name)); missing == nil {
			url, err = serve(t, filepath.Join(lib, name), dir)
		}
		if err != nil {
			t.Logf("nothing is exchanged over %s: %v", name, err)
		} else {
			urls = append(urls, url+"/hub.git")
		}
	}
	return urls
}

// daemon serves a directory by git's own protocol.
func daemon(t *testing.T, path, dir string) (string, error) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return // the test has ended
			}
			if file, err := connection.(*net.TCPConn).File(); err == nil {
				one := exec.Command(path, "--inetd", "--base-path="+dir, "--export-all", "--enable=receive-pack")
				one.Stdin, one.Stdout = file, file
				if one.Start() == nil {
					go one.Wait()
				}
				file.Close()
			}
			connection.Close()
		}
	}()
	return "git://" + listener.Addr().String(), nil
}

// smartHTTP serves a directory as a forge does.
func smartHTTP(t *testing.T, path, dir string) (string, error) {
	t.Helper()
	server := httptest.NewServer(&cgi.Handler{Path: path, Dir: dir, Stderr: io.Discard,
		Env: []string{"GIT_PROJECT_ROOT=" + dir, "GIT_HTTP_EXPORT_ALL=1", "REMOTE_USER=ann", "HOME=" + t.TempDir(), "GIT_CONFIG_NOSYSTEM=1", "PATH=" + os.Getenv("PATH")}})
	t.Cleanup(server.Close)
	return server.URL, nil
}
