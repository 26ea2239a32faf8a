//go:build unix

package probe_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/probe"
)

func shell(script string) probe.Probe {
	return probe.Probe{Name: "test", Argv: []string{"/bin/sh", "-c", script}, Timeout: 2 * time.Minute}
}

func mustRun(t *testing.T, p probe.Probe, environ ...string) probe.Outcome {
	t.Helper()
	o, err := p.Run(t.Context(), t.TempDir(), append(os.Environ(), environ...))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestRun(t *testing.T) {
	root := t.TempDir()
	for script, want := range map[string]struct {
		code   int
		output string
	}{
		"echo out; echo err >&2; exit 3": {3, "out\nerr\n"},
		"cat; echo end":                  {0, "end\n"}, // standard input is empty
		"pwd":                            {0, root + "\n"},
		"echo here >/dev/tty":            {-2, ""}, // there is no terminal
		`echo "${SECRET_KEY-none} ${TERM} ${BASH_ENV-none}"`: {0, "none dumb none\n"},
		`echo "$PATH"`: {0, "/bin:/usr/bin\n"},
		`[ "$(ps -o pgid= -p $$ | tr -d ' ')" = $$ ]`: {0, ""},
	} {
		o, err := shell(script).Run(t.Context(), root, []string{"SECRET_KEY=x", "BASH_ENV=/x", "PATH=/bin:bin:.::/usr/bin", "HOME=/"})
		failed := want.code == -2 && o.Code > 0
		if err != nil || !failed && (o.Code != want.code || string(o.Output) != want.output) || o.Why != "" {
			t.Errorf("%s: %+v, %q, %v", script, o, o.Output, err)
		}
	}
	for _, program := range []string{"no-such-program", "./none", root} {
		if o, err := (probe.Probe{Argv: []string{program}, Timeout: time.Second}).Run(t.Context(), root, os.Environ()); err == nil {
			t.Errorf("%s: %+v", program, o)
		}
	}
}

// endsWith makes a pipe that a script can hold open, with all that it starts. The function that it returns waits for the end
// of all of them.
func endsWith(t *testing.T, path string) (ended func()) {
	t.Helper()
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	pipe, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { pipe.Close() })
	return func() {
		if _, err := io.Copy(io.Discard, pipe); err != nil {
			t.Error(err)
		}
	}
}

func sizeOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// What a probe has started ends with it: after its time, when it ends by itself, and when it is stopped.
func TestRunLeavesNothing(t *testing.T) {
	const busy, begun = "while :; do echo x >>%s; sleep 0.05; done", "until test -s %s; do sleep 0.05; done"
	ways := map[string]string{
		"itself": busy, "in the background": "(" + busy + ") & sleep 600", "and ends": "(" + busy + ") >/dev/null 2>&1 & " + begun, "holds the output": "(" + busy + ") & " + begun,
		"ignores signals": "trap '' TERM INT HUP; " + busy,
	}
	for name, script := range ways {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "x")
			ends := strings.HasSuffix(script, begun)
			ended := endsWith(t, path+".alive")
			p := shell("exec 9>" + path + ".alive; " + strings.ReplaceAll(script, "%s", path))
			p.Timeout = time.Second
			if ends {
				p.Timeout = time.Minute
			}
			o := mustRun(t, p)
			for sizeOf(path) == 0 && p.Timeout < time.Minute { // it had no time to begin
				p.Timeout *= 2
				o = mustRun(t, p)
			}
			if sizeOf(path) == 0 {
				t.Errorf("%d bytes are too few: %+v", sizeOf(path), o)
			}
			ended()
			if ends != (o.Why == "") || o.Why == "" && o.Code != 0 {
				t.Errorf("%+v", o)
			}
		})
	}
	t.Run("stopped", func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		path := filepath.Join(t.TempDir(), "x")
		if err := syscall.Mkfifo(path+".begun", 0o600); err != nil {
			t.Fatal(err)
		}
		go func() {
			_, _ = os.ReadFile(path + ".begun") // waits until the script has opened and closed it
			stop()
		}()
		ended := endsWith(t, path+".alive")
		o, err := shell(strings.ReplaceAll("exec 9>%s.alive; : >%s.begun; "+busy, "%s", path)).Run(ctx, t.TempDir(), os.Environ())
		if err != nil || o.Code != -1 || o.Why == "" {
			t.Errorf("%+v, %v", o, err)
		}
		ended()
	})
}

// However much a probe prints, the end of it is kept.
func TestRunCapsOutput(t *testing.T) {
	p := shell("yes | head -c 30000000; printf 'the end'")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	o := mustRun(t, p)
	runtime.ReadMemStats(&after)
	if o.Code != 0 || len(o.Output) != probe.MaxOutput || !strings.HasSuffix(string(o.Output), "y\nthe end") {
		t.Errorf("%d bytes, %+v", len(o.Output), o.Code)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 8<<20 {
		t.Errorf("%d bytes were allocated", used)
	}
	endless := shell("yes")
	endless.Timeout = 3 * time.Second
	if o := mustRun(t, endless); o.Why == "" || len(o.Output) != probe.MaxOutput {
		t.Errorf("%d bytes, %q", len(o.Output), o.Why)
	}
}
