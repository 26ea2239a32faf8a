//go:build linux

package faults_test

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A program is what is tested, by its path.
type program struct{ bin string }

func (p program) handoff(dir string, args ...string) result {
	return start(dir, append([]string{p.bin}, args...)...)
}

// strace runs a command with an injection. Each thread counts its calls for itself.
func (p program) strace(dir, injection string, args ...string) result {
	out := dir + ".trace"
	defer os.Remove(out)
	name, _, _ := strings.Cut(injection, ":")
	list := []string{"strace", "-f", "-qq", "-o", out, "-e", "inject=" + injection, "-e", "trace=" + name}
	if !isKill(injection) {
		list = append(list, "--seccomp-bpf") // much faster, but it loses signals
	}
	r := start(dir, append(append(list, p.bin), args...)...)
	text, _ := os.ReadFile(out)
	r.hit = r.code < 0 || strings.Contains(string(text), "(INJECTED)")
	return r
}

func isKill(injection string) bool { return strings.Contains(injection, "signal=KILL") }

// A trace is what a command asked of the system.
type trace struct {
	main []string       // the calls of the thread that does the work
	most map[string]int // the most calls of a kind that one thread made
}

// A call is one of the main thread, as strace counts it: the n-th of its name.
type call struct {
	name string
	n    int
}

var callLine = regexp.MustCompile(`^(\d+) +(([a-z0-9_]+)\(.*)`)

// calls runs a command and returns its trace.
func (p program) calls(dir string, command []string) (trace, error) {
	out := dir + ".calls"
	defer os.Remove(out)
	r := start(dir, append([]string{"strace", "-f", "-qq", "-s", "100", "-o", out, p.bin}, command...)...)
	text, err := os.ReadFile(out)
	if r.code != 0 {
		err = fmt.Errorf("%v: exit code %d\n%s", command, r.code, r.stderr)
	}
	result, counts, worker := trace{most: map[string]int{}}, map[string]int{}, ""
	for line := range strings.Lines(string(text)) { // who takes the lock does the work
		if m := callLine.FindStringSubmatch(line); m != nil && m[3] == "flock" {
			worker = m[1]
		}
	}
	for line := range strings.Lines(string(text)) {
		m := callLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		if m[1] == worker {
			result.main = append(result.main, m[2])
		}
		counts[m[1]+m[3]]++
		result.most[m[3]] = max(result.most[m[3]], counts[m[1]+m[3]])
	}
	if err == nil && worker == "" {
		err = errors.New("no thread takes the lock")
	}
	return result, err
}

var (
	callName    = regexp.MustCompile(`^([a-z0-9_]+)\(`)
	looks       = regexp.MustCompile(`/(handoffs|\.run)"`)
	changesDisk = regexp.MustCompile(`^(write\([^1]|(pwrite64|fsync|fdatasync|linkat|renameat2?|unlinkat|mkdirat|` +
		`ftruncate|fch\w+)\(|openat\(.*O_CREAT)`)
)

// numbered are the calls of the main thread with their lines.
func (tr trace) numbered() iter.Seq2[call, string] {
	return func(yield func(call, string) bool) {
		counts := map[string]int{}
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

// find returns the last call whose line matches, as an injection begins.
func (tr trace) find(pattern string) (injection string) {
	match := regexp.MustCompile("^" + pattern)
	for c, line := range tr.numbered() {
		if match.MatchString(line) {
			injection = fmt.Sprintf("%s:when=%d", c.name, c.n)
		}
	}
	return injection
}

// kills are the injections that end the command where something is changed on disk: between two of these there is
// nothing to tell kills apart.
func (tr trace) kills() (list []string) {
	for c, line := range tr.numbered() {
		if changesDisk.MatchString(line) {
			list = append(list, fmt.Sprintf("%s:signal=KILL:when=%d", c.name, c.n))
		}
	}
	return list
}

// The calls of the Go runtime touch no file, and how many there are differs from run to run.
var ofRuntime = regexp.MustCompile(`^(rt_sig\w+|futex|mmap|munmap|mprotect|madvise|clone3?|sigaltstack|sched_\w+|` +
	`gettid|getpid|tgkill|arch_prctl|brk|exit_group|prlimit64|execve|nanosleep|set_\w+|rseq|prctl|epoll_\w+|eventfd2|` +
	`getrandom)$`)

var errnos = []string{"ENOSPC", "EIO", "EROFS", "EINTR", "EMFILE", "EACCES", "EDQUOT"}

// failures lists the errors that calls can have, once and for good. Those of calls before the first look at the store
// come last: they are the same for all commands.
func (tr trace) failures() (near, far []string) {
	early, looked := map[string]int{}, false
	for c, line := range tr.numbered() {
		if looked = looked || looks.MatchString(line); !looked {
			early[c.name] = c.n
		}
	}
	for _, name := range slices.Sorted(maps.Keys(tr.most)) {
		if ofRuntime.MatchString(name) || name == "close" && tr.most["pipe2"] > 0 {
			continue // strace leaves a file open whose close fails: who waits for the end of a pipe waits for ever
		}
		for n := 1; n <= tr.most[name]; n++ {
			for _, errno := range errnos {
				forGood := fmt.Sprintf("%s:error=%s:when=%d+", name, errno, n)
				if errno == "EINTR" { // an interrupted call is made again, without end if it never succeeds
					forGood = fmt.Sprintf("%s:error=%s:when=%d..%d", name, errno, n, n+3)
				}
				both := []string{fmt.Sprintf("%s:error=%s:when=%d", name, errno, n), forGood}
				if n > early[name] {
					near = append(near, both...)
				} else {
					far = append(far, both...)
				}
			}
		}
	}
	return near, far
}

// before returns the calls of the main thread up to the one that an injection names.
func (tr trace) before(injection string) string {
	const most = 20
	name, how, _ := strings.Cut(injection, ":")
	_, when, _ := strings.Cut(how, "when=")
	n, _ := strconv.Atoi(strings.TrimRight(when, "+"))
	var lines []string
	for c, line := range tr.numbered() {
		if lines = append(lines, strings.TrimSpace(line)); c == (call{name, n}) {
			break
		}
	}
	return strings.Join(lines[max(0, len(lines)-most):], "\n")
}
