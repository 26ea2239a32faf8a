package probe

import (
	"context"
	"crypto/rand"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// MaxOutput is how much is kept of what a probe prints, in bytes: the end of it.
const MaxOutput = 64 << 10

// An Outcome is what became of one run.
type Outcome struct {
	Code    int // of its exit, -1 if it did not end by itself
	Took    time.Duration
	Why     string // it did not end by itself; "" if it did
	Output  []byte // the last that it printed, on both outputs
	Printed int64  // bytes in all
	Left    bool   // processes that it started may still run
}

// mark names a run in the environment of what it starts.
const mark = "HANDOFF_PROBE_RUN"

// Run runs the probe in root: no shell, nothing on standard input, no terminal, a small environment, a
// session and process group of its own. After its time, or when ctx ends, the group is killed, and
// with it, as far as they can be found, those that have left it. An error says that it could not be
// started.
func (p Probe) Run(ctx context.Context, root string, environ []string) (o Outcome, err error) {
	runtime.LockOSThread() // what is to die with this program dies with this thread
	defer runtime.UnlockOSThread()
	limited, cancel := context.WithTimeout(ctx, p.Timeout)
	defer cancel()
	id := rand.Text()
	out := &tail{}
	cmd := exec.CommandContext(limited, p.Argv[0], p.Argv[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = root, append(small(environ), mark+"="+id), out, out
	cmd.WaitDelay = time.Second // for what holds the outputs after the probe has ended
	apart(cmd)
	cmd.Cancel = func() error { return kill(cmd.Process) }
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return o, err
	}
	_ = cmd.Wait() // what it says is said by the state of the process
	o.Took = time.Since(began)
	_ = kill(cmd.Process)
	o.Left = !sweep(mark + "=" + id)
	o.Output, o.Printed = out.end(), out.total
	switch o.Code = cmd.ProcessState.ExitCode(); {
	case o.Code >= 0: // by itself, also if something held its outputs for longer
	case ctx.Err() != nil:
		o.Why = "it was stopped"
	case limited.Err() != nil:
		o.Why = fmt.Sprintf("it did not end within %s", p.Timeout)
	default:
		o.Why = "it was killed (" + cmd.ProcessState.String() + ")"
	}
	return o, nil
}

// kept are the variables that programs need to find themselves and their files.
var kept = []string{"PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR",
	"SystemRoot", "SystemDrive", "USERPROFILE", "LocalAppData", "AppData", "TEMP", "TMP", "PATHEXT", "ComSpec"}

// small is an environment without what a shell, an agent or a build has put into it, such as credentials.
func small(environ []string) (env []string) {
	for _, v := range environ {
		name, value, _ := strings.Cut(v, "=")
		if name == "PATH" {
			dirs := filepath.SplitList(value)
			// which would be the project's
			dirs = slices.DeleteFunc(dirs, func(dir string) bool { return !filepath.IsAbs(dir) })
			v = "PATH=" + strings.Join(dirs, string(filepath.ListSeparator))
		}
		if slices.Contains(kept, name) {
			env = append(env, v)
		}
	}
	return append(env, "TERM=dumb")
}

// A tail keeps the last MaxOutput bytes that are written to it.
type tail struct {
	buf   []byte
	total int64
}

func (t *tail) Write(p []byte) (int, error) {
	t.total += int64(len(p))
	t.buf = append(t.buf, p[max(0, len(p)-MaxOutput):]...)
	if len(t.buf) > 2*MaxOutput {
		t.buf = append(t.buf[:0], t.end()...)
	}
	return len(p), nil
}

func (t *tail) end() []byte { return t.buf[max(0, len(t.buf)-MaxOutput):] }
