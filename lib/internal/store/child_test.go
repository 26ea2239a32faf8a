//go:build linux

package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/facts"
	"github.com/seed-78daf238/handoff/lib/internal/log"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// Commands run in a process of their own, so that they can be killed: this test binary, started again. All that they do
// happens on the first thread, which strace watches alone.
func init() {
	if site := os.Getenv("HANDOFF_TEST_SITE"); site != "" {
		runtime.LockOSThread()
		os.Exit(perform(site, os.Args[1:]))
	}
}

const gone = -1 // the exit code of a killed command

// perform does commands, such as "write a b", and returns the exit code of the first one that fails.
func perform(site string, commands []string) (code int) {
	var warned []string
	s := at(site, os.Getenv("HANDOFF_TEST_USER"), &warned)
	for _, command := range commands {
		err := act(s, command)
		if code = codeOf(err); code != 0 {
			fmt.Fprintln(os.Stderr, err)
			return code
		}
		fmt.Println(command)
	}
	if len(warned) > 0 {
		fmt.Fprintln(os.Stderr, warned)
		return 99
	}
	return 0
}

func codeOf(err error) int {
	for class, code := range map[error]int{fault.ErrInvalid: 2, fault.ErrDenied: 3, fault.ErrBusy: 4,
		fault.ErrIntegrity: 6, fault.ErrConfig: 7} {
		if errors.Is(err, class) {
			return code
		}
	}
	if err != nil {
		return 1
	}
	return 0
}

// at returns the store of a site, as a user sees it: each has a state of its own.
func at(site, user string, warned *[]string) *store.Store {
	dir := filepath.Join(site, "project")
	return &store.Store{Opt: store.Options{Dir: filepath.Join(dir, "handoffs"), StateDir: filepath.Join(dir, ".run"),
		Root: dir, UserState: filepath.Join(site, "home"+user), OperatorsFile: filepath.Join(dir, "OPERATORS.md"),
		Git: disk.GitNone, LockTimeout: 10 * time.Second, IndexMaxRows: 5000, Now: time.Now,
		Warn:        func(s string) { *warned = append(*warned, s) },
		Fingerprint: func() (string, error) { return strings.Repeat("a", 64), nil }}}
}

// act does a command of one word and topics.
func act(s *store.Store, command string) error {
	verb, rest, _ := strings.Cut(command, " ")
	topics := strings.Fields(rest)
	switch verb {
	case "write":
		var docs []store.Document
		for _, topic := range topics {
			docs = append(docs, doc(topic))
		}
		_, err := s.Write(context.Background(), docs, func(*store.Change) {}, nil)
		return err
	case "copy": // of a document by hand
		text, err := doc(topics[0]).Text()
		name := filepath.Join(s.Opt.Dir, "2026-05-07-ann-ben-"+topics[0]+".md")
		return errors.Join(err, os.WriteFile(name, text, 0o644))
	}
	return s.Change(context.Background(), func(c *store.Change) error {
		h := c.Of(doc(topics[0]).HandoffID)
		if h == nil {
			return fault.Invalid("", "no %s", topics[0])
		}
		if verb == "mark" {
			c.Mark(h, log.MarkRead, "ben")
			return nil
		}
		l := c.Life(h)
		if l.IsHeldBy("ben", "s1") {
			return nil
		}
		if _, counts := c.Turn(h, l, facts.Turn{Type: log.Take, Operator: "ben", Session: "s1"}); !counts {
			return fault.Denied("", "somebody has it")
		}
		return nil
	})
}

// A bench is where commands are run: a site, its first state, and what commands make of it.
type bench struct {
	t              testing.TB
	site, template string
}

// newBench makes a site, after commands.
func newBench(t testing.TB, prepare ...string) *bench {
	t.Helper()
	dir := t.TempDir()
	b := &bench{t: t, site: filepath.Join(dir, "site"), template: filepath.Join(dir, "template")}
	if err := os.MkdirAll(filepath.Join(b.site, "project"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, command := range prepare {
		user, injection := "", ""
		if command, user, _ = strings.Cut(command, " by "); strings.Contains(user, ":") {
			user, injection = "", user
		}
		r := b.run(user, injection, command)
		if (r.code != 0) != (injection != "") {
			t.Fatalf("%s: %+v", command, r)
		}
	}
	b.copy(b.template, b.site)
	return b
}

func (b *bench) copy(to, from string) {
	b.t.Helper()
	if out, err := exec.Command("cp", "-a", from, to).CombinedOutput(); err != nil {
		b.t.Fatal(err, string(out))
	}
}

// reset gives the site its first state.
func (b *bench) reset() {
	b.t.Helper()
	if err := os.RemoveAll(b.site); err != nil {
		b.t.Fatal(err)
	}
	b.copy(b.site, b.template)
}

// A result is how a command ended.
type result struct {
	code   int
	stdout string
	stderr string
	hit    bool // the injection took place
}

// command returns a command for the site, with arguments before those of the program.
func (b *bench) command(user string, before []string, commands ...string) *exec.Cmd {
	args := append(append(before, os.Args[0]), commands...)
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), "HANDOFF_TEST_SITE="+b.site, "HANDOFF_TEST_USER="+user, "GOGC=off",
		"GODEBUG=asyncpreemptoff=1", "GOMAXPROCS=1")
	return cmd
}

// run runs commands of a user in a process, with an injection of strace, or "".
func (b *bench) run(user, injection string, commands ...string) result {
	b.t.Helper()
	trace := b.site + ".trace"
	var before []string
	if injection != "" {
		name, _, _ := strings.Cut(injection, ":")
		before = []string{"strace", "-qq", "-o", trace, "-e", "trace=" + name, "-e", "inject=" + injection}
	}
	cmd := b.command(user, before, commands...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if cmd.ProcessState == nil {
		b.t.Fatal(err)
	}
	r := result{code: cmd.ProcessState.ExitCode(), stdout: stdout.String(), stderr: stderr.String()}
	text, _ := os.ReadFile(trace)
	r.hit = r.code == gone || strings.Contains(string(text), "(INJECTED)")
	if status, is := cmd.ProcessState.Sys().(syscall.WaitStatus); is && status.ExitStatus() == 128+9 {
		r.code = gone
	}
	return r
}

// A call is one of a command, as strace counts it: the n-th of its name.
type call struct {
	name string
	n    int
	line string
}

var (
	callName = regexp.MustCompile(`^([a-z0-9_]+)\(`)

	// The calls of the runtime touch no file.
	ofRuntime = regexp.MustCompile(`^(rt_sig\w+|futex|mmap|munmap|mprotect|madvise|clone3?|sigaltstack|sched_\w+|` +
		`gettid|getpid|tgkill|brk|exit_group|prlimit64|nanosleep|prctl|getrandom|epoll_\w+|eventfd2|uname|getuid|` +
		`geteuid|write\(1,.*)`)
	changesDisk = regexp.MustCompile(
		`^(write|pwrite64|fsync|fdatasync|linkat|renameat2?|unlinkat|mkdirat|ftruncate|fch\w+|openat\(.*O_CREAT)\b`)
)

// calls returns the calls of commands, from the first one on that names the site.
func (b *bench) calls(user string, commands ...string) (list []call) {
	b.t.Helper()
	trace := b.site + ".calls"
	cmd := b.command(user, []string{"strace", "-qq", "-s", "200", "-o", trace}, commands...)
	if out, err := cmd.CombinedOutput(); err != nil {
		b.t.Fatal(err, string(out))
	}
	text, err := os.ReadFile(trace)
	if err != nil {
		b.t.Fatal(err)
	}
	counts, begun := map[string]int{}, false
	for line := range strings.Lines(string(text)) {
		m := callName.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		counts[m[1]]++
		begun = begun || strings.Contains(line, b.site) && m[1] != "execve"
		if begun && !ofRuntime.MatchString(line) {
			list = append(list, call{m[1], counts[m[1]], line})
		}
	}
	return list
}
