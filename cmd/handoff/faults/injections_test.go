//go:build linux

package faults_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The calls of the Go runtime touch no file, and how many there are differs from run to run. A kill there
// is one between two other calls, an error one of them the end of the process.
var runtimeCalls = map[string]bool{"rt_sigaction": true, "rt_sigprocmask": true, "rt_sigreturn": true, "futex": true, "mmap": true, "munmap": true,
	"mprotect": true, "madvise": true, "clone": true, "clone3": true, "sigaltstack": true, "sched_getaffinity": true, "sched_yield": true,
	"gettid": true, "getpid": true, "tgkill": true, "arch_prctl": true, "brk": true, "exit_group": true, "prlimit64": true, "execve": true,
	"nanosleep": true, "set_robust_list": true, "set_tid_address": true, "rseq": true, "prctl": true}

var errnos = []string{"ENOSPC", "EIO", "EROFS", "EINTR", "EMFILE", "EACCES", "EDQUOT"}

// An extent is how much of a scenario is swept.
type extent struct {
	all      bool // everything
	core     bool // kills, ENOSPC and EIO at every call
	closely  bool // ENOSPC and EIO at every call from the first look at the store
	portable bool // the way that few systems need: a smaller sample
}

// isWhole says whether what is done to a call is part of each sweep. A kill counts where something
// was changed on disk since the call before it: between two of them there is nothing to tell kills apart. What the
// program does before it looks at the store is the same in all scenarios.
func (e extent) isWhole(kind string, tr trace, c call) bool {
	switch kind {
	case "KILL":
		return e.all || e.core || tr.changes[c]
	case "ENOSPC", "EIO":
		return e.all || e.core || e.closely && c.n > tr.early[c.name]
	}
	return e.all
}

// sample is how many of the other injections there are for each that is done.
func (e extent) sample(kind string) int {
	step := 151
	if kind == "ENOSPC" || kind == "EIO" {
		step = 13
	}
	if e.portable {
		step *= 3
	}
	return step
}

// injections lists what is done to the calls of a trace: what each sweep has, and a sample of the rest.
func injections(tr trace, base string, e extent) []string {
	counts := maps.Clone(tr.most)
	maps.DeleteFunc(counts, func(call string, _ int) bool { return runtimeCalls[call] })
	own, _, _ := strings.Cut(base, ":")
	delete(counts, own) // strace takes one injection for a call
	var list []string
	left := make(map[string]int)
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		for n := 1; n <= counts[name]; n++ {
			take := func(kind, what string) {
				if left[kind] == 0 {
					left[kind] = 5 * len(left) // so that not all kinds skip the same calls
				}
				if left[kind]++; e.isWhole(kind, tr, call{name, n}) || left[kind]%e.sample(kind) == 0 {
					list = append(list, name+":"+what)
				}
			}
			take("KILL", fmt.Sprintf("signal=KILL:when=%d", n))
			if name == "close" && counts["pipe2"] > 0 {
				continue // strace leaves the file open, which no system does: who waits for the end of a pipe waits for ever
			}
			for _, errno := range errnos {
				take(errno, fmt.Sprintf("error=%s:when=%d", errno, n))
				forGood := fmt.Sprintf("error=%s:when=%d+", errno, n)
				if errno == "EINTR" { // an interrupted call is made again, without end if it never succeeds
					forGood = fmt.Sprintf("error=%s:when=%d..%d", errno, n, n+3)
				}
				take(errno+" for good", forGood)
			}
		}
	}
	return list
}
