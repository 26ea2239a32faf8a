//go:build linux

package faults_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A scenario is a command on a store. Its template is what the store looks like before.
type scenario struct {
	name     string
	settings string     // of .handoff.yaml
	prepare  [][]string // commands that make the template
	crashes  []crash    // commands that are killed after that, one after the other
	torn     bool       // half a line is at the end of the audit log
	failing  failure    // what fails in each run, besides the call that is swept
	command  []string
	adds     []string // topics that the command publishes
	mark     string   // the topic that the command marks
	core     bool     // the short sweep looks at it closely
}

// A crash kills a command at the first system call whose trace matches.
type crash struct {
	at      string
	command []string
}

// A failure makes the first system call fail whose trace matches.
type failure struct{ at, errno string }

const (
	beforeBodies = `linkat\(.*"2026`
	beforeCommit = `renameat\(`
	beforeEvent  = `pwrite64\(`
	beforeEnd    = `unlinkat\(.*"\.intent"`
)

func words(s string) []string { return strings.Fields(s) }

func scenarios() []scenario {
	three := [][]string{words("write in/a.md in/b.md in/c.md")}
	rotates := "index_max_rows: 2\n"
	two := [][]string{words("write in/a.md"), words("write in/b.md")}
	mark := []string{"mark-read", idOf("a"), "ben"}
	regenerate := words("machine-fingerprint regenerate --yes --operator ann --reason test")
	write, other := words("write d.md"), words("write e.md")
	list := []scenario{
		{name: "first write", command: write, adds: words("d")},
		{name: "write", prepare: three, command: write, adds: words("d"), core: true},
		{name: "write again", prepare: append(three, write), command: write, adds: words("d")},
		{name: "batch", prepare: three, command: words("write batch"), adds: words("f g h i j")},
		{name: "mark-read", prepare: three, command: mark, mark: "a", core: true},
		{name: "mark-read in an archive", settings: rotates, prepare: append(two, write), command: mark, mark: "a"},
		{name: "rotation", settings: rotates, prepare: two, command: write, adds: words("d")},
		{name: "regenerate", prepare: three, command: regenerate},
		{name: "torn log", prepare: three, torn: true, command: write, adds: words("d")},
		{name: "recovery of a first write", crashes: []crash{{beforeEvent, write}}, command: other, adds: words("e")},
		{name: "recovery of a batch", prepare: three, crashes: []crash{{beforeCommit, words("write batch")}}, command: other, adds: words("e")},
		{name: "recovery of a rotation", settings: rotates, prepare: two, crashes: []crash{{beforeCommit, write}}, command: write, adds: words("d")},
		{name: "recovery of a finished rotation", settings: rotates, prepare: two, crashes: []crash{{beforeEvent, write}}, command: write, adds: words("d")},
		{name: "recovery of a mark", prepare: three, crashes: []crash{{beforeEvent, mark}}, command: mark, mark: "a"},
		{name: "recovery of no mark", prepare: three, crashes: []crash{{beforeCommit, mark}}, command: mark, mark: "a"},
		{name: "recovery of a regenerate", prepare: three, crashes: []crash{{beforeEvent, regenerate}}, command: write, adds: words("d")},
		{name: "recovery of a recovery", prepare: three, crashes: []crash{{beforeCommit, write}, {`unlinkat\(.*"2026`, write}, {beforeEnd, write}}, command: write, adds: words("d")},
		{name: "recovery of a recovered event", prepare: three, crashes: []crash{{beforeEvent, write}, {beforeEvent, other}, {beforeEnd, other}}, command: other, adds: words("e")},
	}
	for _, at := range []string{beforeBodies, beforeCommit, beforeEvent, beforeEnd} {
		list = append(list, scenario{name: "recovery at " + at[:6], prepare: three, crashes: []crash{{at, write}}, command: write, adds: words("d")})
	}
	for _, f := range []failure{{beforeCommit, "EIO"}, {beforeBodies, "ENOSPC"}, {beforeEvent, "EIO"}, {beforeEnd, "EACCES"}} {
		list = append(list, scenario{name: "after " + f.errno + " at " + f.at[:6], prepare: three, failing: f, command: write, adds: words("d")})
	}
	return list
}

// A program is what is swept, and where.
type program struct{ bin, tmp string }

func (p program) handoff(dir string, args ...string) result {
	return start(dir, append([]string{p.bin}, args...)...)
}

func (p program) strace(dir, out string, inject []string, args ...string) result {
	list := []string{"strace", "-qq", "-o", out}
	for _, i := range inject {
		list = append(list, "-e", "inject="+i)
	}
	if len(inject) > 0 {
		var names []string
		for _, i := range inject {
			name, _, _ := strings.Cut(i, ":")
			names = append(names, name)
		}
		list = append(list, "-e", "trace="+strings.Join(names, ","))
	}
	return start(dir, append(append(list, p.bin), args...)...)
}

// calls runs a command and returns its trace, one system call of the main thread in a line: all work on
// files is done there.
func (p program) calls(t *testing.T, dir, base string, command []string) []string {
	t.Helper()
	out := filepath.Join(dir, "trace")
	args := []string{"strace", "-qq", "-o", out}
	if base != "" {
		args = append(args, "-e", "inject="+base)
	}
	r := start(dir, append(append(args, p.bin), command...)...)
	if (r.code != 0) != (base != "") {
		t.Fatalf("%v: exit code %d\n%s", command, r.code, r.stderr)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(text, []byte("\nflock(")) || !bytes.Contains(text, []byte("\nfsync(")) {
		t.Fatal("the main thread does not do the work")
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

var callName = regexp.MustCompile(`^([a-z0-9_]+)\(`)

// find returns the first call whose trace matches, as strace counts it.
func find(t *testing.T, trace []string, pattern string) (name string, n int) {
	t.Helper()
	match := regexp.MustCompile("^" + pattern)
	counts := make(map[string]int)
	for _, line := range trace {
		if m := callName.FindStringSubmatch(line); m != nil {
			counts[m[1]]++
			if match.MatchString(line) {
				return m[1], counts[m[1]]
			}
		}
	}
	t.Fatalf("no call is %s", pattern)
	return "", 0
}

func (p program) template(t *testing.T, sc scenario) string {
	t.Helper()
	dir, err := os.MkdirTemp(p.tmp, "template-")
	if err != nil {
		t.Fatal(err)
	}
	p.fill(t, dir, sc)
	return dir
}

// fill makes the store of the scenario in dir.
func (p program) fill(t *testing.T, dir string, sc scenario) {
	t.Helper()
	mustWrite(t, filepath.Join(dir, ".handoff.yaml"), sc.settings)
	for topic, place := range map[string]string{"a": "in/", "b": "in/", "c": "in/", "d": "", "e": "", "f": "batch/", "g": "batch/", "h": "batch/", "i": "batch/", "j": "batch/"} {
		mustWrite(t, filepath.Join(dir, place+topic+".md"), doc(topic))
	}
	for _, command := range sc.prepare {
		must(t, dir, append([]string{p.bin}, command...)...)
	}
	if sc.torn {
		f, err := os.OpenFile(filepath.Join(dir, ".run", "handoff-events.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
		if err == nil {
			_, err = f.WriteString(`{"event_type":"handoff.wr`)
			f.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// clone copies a template and has the crashes of the scenario happen in the copy: an interrupted change
// knows its files by inode, which a copy does not keep.
func (p program) clone(t *testing.T, template string, crashes []string, sc scenario) string {
	dir := p.copyOf(t, template)
	for i, injection := range crashes {
		if r := p.strace(dir, "/dev/null", []string{injection}, sc.crashes[i].command...); r.code == 0 {
			t.Errorf("%s: %v was not killed", sc.name, sc.crashes[i].command)
		}
	}
	return dir
}

// crashPoints finds out at which call each crash is to happen.
func (p program) crashPoints(t *testing.T, template string, sc scenario) (injections []string) {
	t.Helper()
	for i, c := range sc.crashes {
		dir := p.clone(t, template, injections, scenario{name: sc.name, crashes: sc.crashes[:i]})
		name, n := find(t, p.calls(t, dir, "", c.command), c.at)
		injections = append(injections, fmt.Sprintf("%s:signal=KILL:when=%d", name, n))
		os.RemoveAll(dir)
	}
	return injections
}

// copyOf copies a template, which has only directories and small files.
func (p program) copyOf(t *testing.T, template string) string {
	dir, err := os.MkdirTemp(p.tmp, "run-")
	if err == nil {
		err = os.CopyFS(dir, os.DirFS(template))
	}
	if err == nil {
		err = filepath.Walk(template, func(path string, info os.FileInfo, err error) error {
			if err != nil {
				return err
			}
			name, err := filepath.Rel(template, path)
			if err != nil {
				return err
			}
			return os.Chmod(filepath.Join(dir, name), info.Mode().Perm())
		})
	}
	if err != nil {
		t.Error(err)
	}
	return dir
}
