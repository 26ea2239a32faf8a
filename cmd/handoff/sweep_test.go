//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// The sweeps run the program once for every system call that it makes on its main thread, where all of
// its work on files is done, and make that call fail or kill the program there. Afterwards the store must
// be in the old state or in the new one, and the same command must bring it to the new one without a trace.
//
// HANDOFF_FAULTS=ci sweeps SIGKILL, ENOSPC and EIO over writing and marking, and samples the rest;
// HANDOFF_FAULTS=all sweeps everything.

var swept = regexp.MustCompile(`^(openat|read|pread64|write|pwrite64|fsync|close|fstat|newfstatat|linkat|renameat|renameat2|unlinkat|mkdirat|ftruncate|fallocate|flock|fcntl|getdents64|faccessat|faccessat2|fchown|fchmod|lseek|statx|readlinkat)\(`)

// A scenario is a command on a store. Its template is what the store looks like before.
type scenario struct {
	name    string
	prepare [][]string // commands that make the template
	crash   string     // the system call at which the last of them is killed, "" for none
	command []string
	files   map[string]string
	rows    int // of the index afterwards
	rest    bool
}

func docText(topic string) string {
	return "---\nschema_version: '1.0'\nfrom: ann\nto: ben\ntopic: " + topic + "\nts_utc: '2026-05-07T12:00:00Z'\n---\nbody of " + topic + "\n"
}

func scenarios() []scenario {
	files := map[string]string{".handoff.yaml": "", "in/a.md": docText("a"), "in/b.md": docText("b"), "in/c.md": docText("c"), "d.md": docText("d"), "e.md": docText("e")}
	small := map[string]string{".handoff.yaml": "index_max_rows: 2\n", "in/a.md": docText("a"), "in/b.md": docText("b"), "in/c.md": docText("c"), "d.md": docText("d"), "e.md": docText("e")}
	id := strings.TrimSpace("sha256:" + idOf("a"))
	return []scenario{
		{name: "first write", command: []string{"write", "d.md"}, files: files, rows: 1},
		{name: "write", prepare: [][]string{{"write", "in"}}, command: []string{"write", "d.md"}, files: files, rows: 4},
		{name: "mark-read", prepare: [][]string{{"write", "in"}}, command: []string{"mark-read", id, "ben"}, files: files, rows: 3},
		{name: "batch", prepare: [][]string{{"write", "d.md"}}, command: []string{"write", "in"}, files: files, rows: 4},
		{name: "rotation", prepare: [][]string{{"write", "in/a.md"}, {"write", "in/b.md"}}, command: []string{"write", "d.md"}, files: small, rows: 3, rest: true},
		{name: "mark-read in an archive", prepare: [][]string{{"write", "in/a.md"}, {"write", "in/b.md"}, {"write", "d.md"}}, command: []string{"mark-read", id, "ben"}, files: small, rows: 3, rest: true},
		{name: "regenerate", prepare: [][]string{{"write", "in"}}, command: []string{"machine-fingerprint", "regenerate", "--operator", "ann", "--reason", "test"}, files: files, rows: 3, rest: true},
		{name: "recovery of a committed write", prepare: [][]string{{"write", "in"}, {"write", "d.md"}}, crash: "pwrite64", command: []string{"write", "e.md"}, files: files, rows: 5, rest: true},
		{name: "recovery of an uncommitted write", prepare: [][]string{{"write", "in"}, {"write", "d.md"}}, crash: "renameat", command: []string{"write", "d.md"}, files: files, rows: 4, rest: true},
		{name: "recovery of a mark", prepare: [][]string{{"write", "in"}, {"mark-read", id, "ben"}}, crash: "pwrite64", command: []string{"mark-read", id, "ben"}, files: files, rows: 3, rest: true},
	}
}

var ids = map[string]string{}

// idOf returns the id of docText(topic), as the program computes it in process.
func idOf(topic string) string {
	if ids[topic] == "" {
		var out bytes.Buffer
		path := filepath.Join(os.TempDir(), fmt.Sprintf("sweep-%d.md", os.Getpid()))
		defer os.Remove(path)
		if os.WriteFile(path, []byte(docText(topic)), 0o600) == nil {
			run(env{[]string{"compute-id", path}, strings.NewReader(""), &out, os.Stderr, func(string) string { return "" }, os.Getwd})
		}
		ids[topic] = strings.TrimPrefix(strings.TrimSpace(out.String()), "sha256:")
	}
	return ids[topic]
}

type sweep struct {
	t        *testing.T
	bin, tmp string
	runs     atomic.Int64
	damage   atomic.Int64
	report   func(format string, args ...any)
}

func newSweep(t *testing.T, overlay string) *sweep {
	t.Helper()
	if os.Getenv("HANDOFF_FAULTS") == "" {
		t.Skip("set HANDOFF_FAULTS=ci or all; takes minutes")
	}
	if _, err := exec.LookPath("strace"); err != nil {
		t.Skip("strace is not installed")
	}
	tmp := t.TempDir()
	if exec.Command("mount", "-t", "tmpfs", "handoff-sweep", tmp).Run() == nil { // syncs cost nothing there
		t.Cleanup(func() { exec.Command("umount", "-l", tmp).Run() })
	}
	s := &sweep{t: t, bin: filepath.Join(t.TempDir(), "handoff"), tmp: tmp, report: t.Errorf}
	args := []string{"build", "-o", s.bin}
	if overlay != "" {
		args = append(args, "-overlay", overlay)
	}
	if out, err := exec.Command("go", append(args, ".")...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return s
}

// exec runs the program in dir, under strace with the given options if there are any.
func (s *sweep) exec(dir string, strace []string, command ...string) (code int, output string) {
	args := append([]string{s.bin}, command...)
	if len(strace) > 0 {
		args = append(append([]string{"strace", "-qq"}, strace...), args...)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.WaitDelay = time.Second
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOGC=off", "HANDOFFS_DIR=", "HANDOFF_OPERATOR=")
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return -1, "did not end within 10 s"
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		s.t.Errorf("%v: %v", args, err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

// template makes the store before the command.
func (s *sweep) template(sc scenario) string {
	dir, err := os.MkdirTemp(s.tmp, "template-")
	if err != nil {
		s.t.Fatal(err)
	}
	for name, text := range sc.files {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			s.t.Fatal(err)
		}
	}
	for i, command := range sc.prepare {
		var strace []string
		if sc.crash != "" && i == len(sc.prepare)-1 {
			strace = []string{"-o", "/dev/null", "-e", "trace=" + sc.crash, "-e", "inject=" + sc.crash + ":signal=KILL:when=1"}
		}
		if code, out := s.exec(dir, strace, command...); code != 0 && strace == nil {
			s.t.Fatalf("%v: exit code %d\n%s", command, code, out)
		}
	}
	return dir
}

// calls counts the system calls that the command makes, by name.
func (s *sweep) calls(template string, sc scenario) map[string]int {
	dir := s.copy(template)
	trace := filepath.Join(dir, "trace")
	if code, out := s.exec(dir, []string{"-o", trace}, sc.command...); code != 0 {
		s.t.Fatalf("%s: exit code %d\n%s", sc.name, code, out)
	}
	text, err := os.ReadFile(trace)
	if err != nil {
		s.t.Fatal(err)
	}
	counts := make(map[string]int)
	for line := range strings.Lines(string(text)) {
		if m := swept.FindStringSubmatch(line); m != nil {
			counts[m[1]]++
		}
	}
	if counts["fsync"] == 0 || counts["flock"] == 0 {
		s.t.Fatalf("%s: the main thread does not do the work: %v", sc.name, counts)
	}
	os.RemoveAll(dir)
	return counts
}

func (s *sweep) copy(template string) string {
	dir, err := os.MkdirTemp(s.tmp, "run-")
	if err == nil {
		err = exec.Command("cp", "-a", template+"/.", dir).Run()
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return dir
}

type fault struct{ call, what string }

// faults lists the injections of a scenario. Of the errors other than ENOSPC and EIO, and of the scenarios
// that are marked so, the short run takes every few.
func faultsOf(sc scenario, counts map[string]int, all bool) []fault {
	var list []fault
	n := 0
	for call, count := range counts {
		for i := 1; i <= count; i++ {
			for _, what := range []string{"signal=KILL", "error=ENOSPC", "error=EIO", "error=EROFS", "error=EINTR", "error=EMFILE", "error=EACCES", "error=EDQUOT"} {
				whens := []string{fmt.Sprintf("when=%d", i)}
				if strings.HasPrefix(what, "error") && what != "error=EINTR" { // a call that is interrupted for ever is repeated for ever
					whens = append(whens, fmt.Sprintf("when=%d+", i))
				}
				for _, when := range whens {
					n++
					core := what == "signal=KILL" || what == "error=ENOSPC" || what == "error=EIO"
					step := 1
					if !core {
						step *= 11
					}
					if sc.rest {
						step *= 5
					}
					if all || n%step == 0 {
						list = append(list, fault{call, what + ":" + when})
					}
				}
			}
		}
	}
	return list
}

func (s *sweep) run(sc scenario, all bool) {
	template := s.template(sc)
	before := rowCount(template)
	list := make(chan fault)
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for f := range list {
				s.one(sc, template, before, f)
			}
		})
	}
	for _, f := range faultsOf(sc, s.calls(template, sc), all) {
		list <- f
	}
	close(list)
	wg.Wait()
	os.RemoveAll(template)
}

// one injects one fault, looks at what is there, repeats the command and looks again.
func (s *sweep) one(sc scenario, template string, before int, f fault) {
	dir := s.copy(template)
	defer os.RemoveAll(dir)
	s.runs.Add(1)
	name := fmt.Sprintf("%s, %s %s", sc.name, f.call, f.what)
	bad := func(format string, args ...any) {
		s.damage.Add(1)
		s.report("%s: "+format, append([]any{name}, args...)...)
	}
	code, out := s.exec(dir, []string{"-o", "/dev/null", "-e", "trace=" + f.call, "-e", "inject=" + f.call + ":" + f.what}, sc.command...)
	if strings.HasPrefix(out, "did not end") {
		bad("%s", out)
	}
	if rows := rowCount(dir); rows < before {
		bad("there are %d rows, before there were %d", rows, before)
	}
	if why := halfThere(dir); why != "" {
		bad("%s", why)
	}
	if code == 0 {
		if why := s.complete(dir, sc); why != "" {
			bad("exit code 0, but %s", why)
		}
	}
	if code == 2 && !strings.HasPrefix(f.what, "signal") && strings.Contains(out, "goroutine") {
		bad("panicked: %s", out)
	}
	if again, out := s.exec(dir, nil, sc.command...); again != 0 {
		bad("first exit code %d, the repeat has %d: %s", code, again, out)
		return
	}
	if why := s.complete(dir, sc); why != "" {
		bad("after the repeat %s", why)
	}
	if code, out := s.exec(dir, nil, "verify"); code != 0 || !strings.Contains(out, " 0 warnings") {
		bad("after the repeat verify has exit code %d: %s", code, out)
	}
}

func indexText(dir string) string {
	paths, _ := filepath.Glob(filepath.Join(dir, "handoffs", "INDEX*.md"))
	var all strings.Builder
	for _, path := range paths {
		text, _ := os.ReadFile(path)
		all.Write(text)
	}
	return all.String()
}

var rowID = regexp.MustCompile(`(?m)^\| (sha256:[0-9a-f]{64}) \| ([^ ]+) \|.*\|$`)

// rowCount counts the handoffs that the index files list, each once.
func rowCount(dir string) int {
	seen := make(map[string]bool)
	for _, m := range rowID.FindAllStringSubmatch(indexText(dir), -1) {
		seen[m[1]] = true
	}
	return len(seen)
}

// halfThere says what is there by half, "" if nothing is. It knows the store only from its documentation.
func halfThere(dir string) string {
	text := indexText(dir)
	if text != "" && !strings.HasSuffix(text, "\n") {
		return "an index ends in half a line"
	}
	for _, m := range rowID.FindAllStringSubmatch(text, -1) {
		body, err := os.ReadFile(filepath.Join(dir, "handoffs", m[2]))
		if err != nil {
			return "a row without its file: " + m[2]
		}
		if !strings.Contains(string(body), "handoff_id: '"+m[1]+"'") || !strings.Contains(string(body), "\nbody of ") || !strings.HasSuffix(string(body), "\n") {
			return "a file that is not whole: " + m[2]
		}
	}
	return ""
}

// complete says what is missing of the new state, "" if nothing is.
func (s *sweep) complete(dir string, sc scenario) string {
	if rows := rowCount(dir); rows != sc.rows {
		return fmt.Sprintf("there are %d rows, want %d", rows, sc.rows)
	}
	log, _ := os.ReadFile(filepath.Join(dir, ".run", "handoff-events.jsonl"))
	writes := make(map[string]int)
	marks := 0
	for line := range strings.Lines(string(log)) {
		var e struct {
			Type    string `json:"event_type"`
			Payload struct {
				ID string `json:"handoff_id"`
			}
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			return fmt.Sprintf("the audit log has a line that is no event: %.60q", line)
		}
		if e.Type == "handoff.write" {
			writes[e.Payload.ID]++
		}
		if e.Type == "handoff.mark_read" {
			marks++
		}
	}
	for _, m := range rowID.FindAllStringSubmatch(indexText(dir), -1) {
		if writes[m[1]] != 1 {
			return fmt.Sprintf("%s has %d write events", m[1], writes[m[1]])
		}
	}
	if sc.command[0] == "mark-read" && (marks != 1 || !strings.Contains(indexText(dir), "| ben:20")) {
		return fmt.Sprintf("there are %d mark events, or no mark", marks)
	}
	for _, pattern := range []string{"handoffs/.tmp-*", "handoffs/.intent", "handoffs/.*.md[0-9]*", ".run/.machine-fingerprint[0-9]*"} {
		if left, _ := filepath.Glob(filepath.Join(dir, pattern)); len(left) > 0 {
			return fmt.Sprintf("%v was left", left)
		}
	}
	return ""
}

func TestFaultSweep(t *testing.T) {
	s := newSweep(t, "")
	for _, sc := range scenarios() {
		t.Run(sc.name, func(t *testing.T) {
			s.t, s.report = t, t.Errorf
			before := s.runs.Load()
			s.run(sc, os.Getenv("HANDOFF_FAULTS") == "all")
			t.Logf("%d injections", s.runs.Load()-before)
		})
	}
}

// A sweep that finds nothing must be one that could: without the intent it has to report damage.
func TestFaultSweepFindsDamage(t *testing.T) {
	source, err := filepath.Abs("../../lib/handoff/change.go")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	broken := bytes.Replace(text, []byte("err = x.publishIntent(c.intent)"), []byte("err = nil"), 1)
	if bytes.Equal(broken, text) {
		t.Fatal("change.go no longer publishes the intent where this test expects it")
	}
	mutant := filepath.Join(t.TempDir(), "change.go")
	overlay := filepath.Join(t.TempDir(), "overlay.json")
	replace, _ := json.Marshal(map[string]any{"Replace": map[string]string{source: mutant}})
	if err := errors.Join(os.WriteFile(mutant, broken, 0o600), os.WriteFile(overlay, replace, 0o600)); err != nil {
		t.Fatal(err)
	}
	s := newSweep(t, overlay)
	s.report = func(string, ...any) {}
	s.run(scenarios()[1], false)
	if s.damage.Load() == 0 {
		t.Errorf("%d injections into a program without intents reported no damage", s.runs.Load())
	}
	t.Logf("%d reports of damage in %d injections", s.damage.Load(), s.runs.Load())
}
