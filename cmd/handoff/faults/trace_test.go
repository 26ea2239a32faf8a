//go:build linux

package faults_test

import (
	"errors"
	"fmt"
	"iter"
	"os"
	"regexp"
	"strings"
)

// A program is what is swept, and where.
type program struct{ bin, tmp string }

func (p program) handoff(dir string, args ...string) result {
	return start(dir, append([]string{p.bin}, args...)...)
}

// strace runs a command with injections. Each thread counts its calls for itself; "… of FILE" is for the calls that name this file.
func (p program) strace(dir string, inject []string, args ...string) result {
	out := dir + ".trace"
	defer os.Remove(out)
	list := []string{"strace", "-qq", "-f", "-o", out}
	if !strings.Contains(strings.Join(inject, " "), "signal=") {
		list = append(list, "--seccomp-bpf") // much faster, but it loses signals
	}
	var names []string
	for _, i := range inject {
		i, file, isOfFile := strings.Cut(i, " of ")
		if isOfFile {
			list = append(list, "-P", file)
		}
		name, _, _ := strings.Cut(i, ":")
		names = append(names, name)
		list = append(list, "-e", "inject="+i)
	}
	list = append(list, "-e", "trace="+strings.Join(names, ","), p.bin)
	r := start(dir, append(list, args...)...)
	text, _ := os.ReadFile(out)
	r.hit = r.code < 0 || strings.Contains(string(text), "(INJECTED)")
	return r
}

// A trace is what a command asked of the system.
type trace struct {
	main []string       // the calls of the main thread, where all work on the store is done but the staging of a batch
	most map[string]int // the most calls of a kind that one thread made

	early   map[string]int // the calls of a kind that the main thread made before it looked at the store
	changes map[call]bool  // its calls that change what is on disk
}

// A call is one of the main thread, as strace counts it: the n-th of its name.
type call struct {
	name string
	n    int
}

var callLine = regexp.MustCompile(`^(\d+) +(([a-z0-9_]+)\(.*)`)

// calls runs a command and returns its trace.
func (p program) calls(dir, base string, command []string) (trace, error) {
	out := dir + ".calls"
	defer os.Remove(out)
	args := []string{"strace", "-f", "-qq", "-o", out}
	if base != "" {
		args = append(args, "-e", "inject="+base)
	}
	r := start(dir, append(append(args, p.bin), command...)...)
	if (r.code != 0) != (base != "") {
		return trace{}, fmt.Errorf("%v: exit code %d\n%s", command, r.code, r.stderr)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		return trace{}, err
	}
	result := trace{most: make(map[string]int)}
	counts := make(map[string]int) // of a thread and a call
	first := workerOf(string(text))
	for line := range strings.Lines(string(text)) {
		m := callLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		if m[1] == first {
			result.main = append(result.main, m[2])
		}
		counts[m[1]+m[3]]++
		result.most[m[3]] = max(result.most[m[3]], counts[m[1]+m[3]])
	}
	result.early, result.changes = result.marks()
	if command[0] != "list" && counts[first+"flock"] == 0 { // who only reads needs no lock
		err = errors.New("the main thread does not do the work")
	}
	return result, err
}

// workerOf is the thread that takes the lock, or the first one.
func workerOf(text string) (thread string) {
	for line := range strings.Lines(text) {
		m := callLine.FindStringSubmatch(line)
		if m != nil && m[3] == "flock" {
			return m[1]
		}
		if m != nil && thread == "" {
			thread = m[1]
		}
	}
	return thread
}

var (
	callName    = regexp.MustCompile(`^([a-z0-9_]+)\(`)
	looks       = regexp.MustCompile(`/(handoffs|\.run)"`)
	changesDisk = regexp.MustCompile(`^(write|pwrite64|fsync|fdatasync|linkat|renameat2?|unlinkat|mkdirat|ftruncate|fallocate|fchmod|fchmodat|openat\(.*O_(CREAT|TMPFILE))\b`)
)

// numbered are the calls of the main thread with their lines.
func (tr trace) numbered() iter.Seq2[call, string] {
	return func(yield func(call, string) bool) {
		counts := make(map[string]int)
		for _, line := range tr.main {
			if m := callName.FindStringSubmatch(line); m != nil {
				counts[m[1]]++
				if !yield(call{m[1], counts[m[1]]}, line) {
					return
				}
			}
		}
	}
}

func (tr trace) marks() (early map[string]int, changes map[call]bool) {
	early, changes = make(map[string]int), make(map[call]bool)
	looked := false
	for c, line := range tr.numbered() {
		if looked = looked || looks.MatchString(line); !looked {
			early[c.name] = c.n
		}
		if changesDisk.MatchString(line) {
			changes[c] = true
		}
	}
	return early, changes
}

// isChange reports whether an injection hits a call that changes what is on disk.
func (tr trace) isChange(injection string) bool {
	name, how, _ := strings.Cut(injection, ":")
	_, n, _ := strings.Cut(how, "when=")
	return tr.changes[call{name, atoi(n)}]
}

// before returns the calls of the main thread up to the one that an injection names.
func (tr trace) before(injection string) string {
	const most = 20
	name, how, _ := strings.Cut(injection, ":")
	var lines []string
	for c, line := range tr.numbered() {
		lines = append(lines, line)
		if c.name == name && strings.HasSuffix(strings.TrimRight(how, "+"), fmt.Sprintf("when=%d", c.n)) {
			break
		}
	}
	return strings.Join(lines[max(0, len(lines)-most):], "\n")
}
