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

// injections lists what is done to the calls of a trace. One in step is taken of each kind, by kind.
func injections(tr trace, base string, step func(kind string) int) []string {
	counts := maps.Clone(tr.most)
	maps.DeleteFunc(counts, func(call string, _ int) bool { return runtimeCalls[call] })
	own, _, _ := strings.Cut(base, ":")
	delete(counts, own) // strace takes one injection for a call
	var list []string
	taken := make(map[string]int)
	take := func(kind, injection string) {
		if taken[kind] == 0 {
			taken[kind] = 5 * len(taken) // so that not all kinds skip the same calls
		}
		if taken[kind]++; taken[kind]%step(kind) == 0 {
			list = append(list, injection)
		}
	}
	for _, call := range slices.Sorted(maps.Keys(counts)) {
		for n := 1; n <= counts[call]; n++ {
			take("KILL", fmt.Sprintf("%s:signal=KILL:when=%d", call, n))
			for _, errno := range errnos {
				take(errno, fmt.Sprintf("%s:error=%s:when=%d", call, errno, n))
				last := ""
				if errno == "EINTR" { // an interrupted call is made again, without end if it never succeeds
					last = fmt.Sprint(n + 3)
				}
				take(errno+" for good", fmt.Sprintf("%s:error=%s:when=%d%s", call, errno, n, map[bool]string{true: "..", false: "+"}[last != ""]+last))
			}
		}
	}
	return list
}

// steps is how much of a scenario is swept. The way that few systems need is looked at less closely.
func steps(all, core, portable bool) func(string) int {
	scale := map[bool]int{false: 1, true: 2}[portable]
	return func(kind string) int {
		switch {
		case all, core && kind == "KILL", core && !portable && (kind == "ENOSPC" || kind == "EIO"):
			return 1
		case kind == "KILL":
			return 41 * scale
		}
		return 251 * scale
	}
}
