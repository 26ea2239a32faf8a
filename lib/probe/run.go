package probe

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// MaxOutput is the number of bytes at the end of a probe's output that are kept.
const MaxOutput = 64 << 10

// An Outcome is the result of one run.
type Outcome struct {
	Code   int // the exit code; -1 if it was stopped
	Took   time.Duration
	Why    string // why it was stopped; "" if it ended by itself
	Output []byte // the end of its output and errors
}

// Run runs the probe in root: without a shell, standard input or terminal, with a minimal environment, in its own
// session and process group. It kills the group at the timeout, when ctx ends, and when the probe has ended; a process
// that left the group can live on. An error means that the probe could not be started.
func (p Probe) Run(ctx context.Context, root string, environ []string) (o Outcome, err error) {
	runtime.LockOSThread() // the kernel kills the process when this thread ends
	defer runtime.UnlockOSThread()
	limited, cancel := context.WithTimeout(ctx, p.Timeout)
	defer cancel()
	out := &tail{}
	cmd := exec.CommandContext(limited, p.Argv[0], p.Argv[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = root, minimalEnv(environ), out, out
	cmd.WaitDelay = time.Second // if another process keeps the outputs open
	inOwnSession(cmd)
	cmd.Cancel = func() error { return kill(cmd.Process) }
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return o, err
	}
	_ = cmd.Wait() // the state of the process has the result
	o.Took = time.Since(began)
	_ = kill(cmd.Process)
	o.Output = out.end()
	switch o.Code = cmd.ProcessState.ExitCode(); {
	case o.Code >= 0: // it ended by itself, even if its outputs stayed open
	case ctx.Err() != nil:
		o.Why = "it was stopped"
	case limited.Err() != nil:
		o.Why = fmt.Sprintf("it did not end within %s", p.Timeout)
	default:
		o.Why = "it was killed (" + cmd.ProcessState.String() + ")"
	}
	return o, nil
}

// kept lists the variables that programs need to find themselves and their files.
var kept = []string{"PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR",
	"SystemRoot", "SystemDrive", "USERPROFILE", "LocalAppData", "AppData", "TEMP", "TMP", "PATHEXT", "ComSpec"}

// minimalEnv returns a minimal environment, without variables of a shell, agent or build, such as credentials.
func minimalEnv(environ []string) (env []string) {
	for _, v := range environ {
		name, value, _ := strings.Cut(v, "=")
		if name == "PATH" {
			dirs := filepath.SplitList(value)
			// a relative directory would be the project's
			dirs = slices.DeleteFunc(dirs, func(dir string) bool { return !filepath.IsAbs(dir) })
			v = "PATH=" + strings.Join(dirs, string(filepath.ListSeparator))
		}
		if slices.Contains(kept, name) {
			env = append(env, v)
		}
	}
	return append(env, "TERM=dumb")
}

// A tail keeps the last MaxOutput bytes written to it.
type tail struct{ buf []byte }

func (t *tail) Write(p []byte) (int, error) {
	t.buf = append(t.buf, p[max(0, len(p)-MaxOutput):]...)
	if len(t.buf) > 2*MaxOutput {
		t.buf = append(t.buf[:0], t.end()...)
	}
	return len(p), nil
}

func (t *tail) end() []byte { return t.buf[max(0, len(t.buf)-MaxOutput):] }
