//go:build linux

package faults_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The calls of the Go runtime touch no file, and how many there are differs from run to run. A kill there
// is one between two other calls, an error one of them the end of the process.
var runtimeCalls = map[string]bool{"rt_sigaction": true, "rt_sigprocmask": true, "rt_sigreturn": true, "futex": true, "mmap": true, "munmap": true,
	"mprotect": true, "madvise": true, "clone": true, "clone3": true, "sigaltstack": true, "sched_getaffinity": true, "sched_yield": true,
	"gettid": true, "getpid": true, "tgkill": true, "arch_prctl": true, "brk": true, "exit_group": true, "prlimit64": true, "execve": true,
	"nanosleep": true, "set_robust_list": true, "set_tid_address": true, "rseq": true, "prctl": true}

var errnos = []string{"ENOSPC", "EIO", "EROFS", "EINTR", "EMFILE", "EACCES", "EDQUOT"}

// injections lists all that is done to the calls of a trace.
func injections(tr trace, base string) []string {
	counts := maps.Clone(tr.most)
	maps.DeleteFunc(counts, func(call string, _ int) bool { return runtimeCalls[call] })
	own, _, _ := strings.Cut(base, ":")
	delete(counts, own) // strace takes one injection for a call
	var list []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		for n := 1; n <= counts[name]; n++ {
			list = append(list, fmt.Sprintf("%s:signal=KILL:when=%d", name, n))
			if name == "close" && counts["pipe2"] > 0 {
				continue // strace leaves the file open, which no system does: who waits for the end of a pipe waits for ever
			}
			for _, errno := range errnos {
				forGood := fmt.Sprintf("%s:error=%s:when=%d+", name, errno, n)
				if errno == "EINTR" { // an interrupted call is made again, without end if it never succeeds
					forGood = fmt.Sprintf("%s:error=%s:when=%d..%d", name, errno, n, n+3)
				}
				list = append(list, fmt.Sprintf("%s:error=%s:when=%d", name, errno, n), forGood)
			}
		}
	}
	return list
}

// A share is how much of a scenario is swept: so many kills, where something was changed on disk since the call before
// (between two of these there is nothing to tell kills apart), and so many errors. Half of the errors are single ones of
// EIO and ENOSPC behind the first look at the store: what comes before is the same in all scenarios.
type share struct{ kills, errors int }

var (
	someOfCore = share{4, 4}
	someOfAny  = share{1, 2}
	someOfEach = share{2, 2} // without HANDOFF_FAULTS
)

var likely = regexp.MustCompile(`^([a-z0-9_]+):error=(?:EIO|ENOSPC):when=(\d+)$`)

func atoi(digits string) int {
	n, _ := strconv.Atoi(digits) // 0 for none
	return n
}

func isKill(injection string) bool { return strings.Contains(injection, "signal=KILL") }

// pick draws a share of all injections, others with each seed of the run.
func (s *sweep) pick(all []string, n share) []string {
	kills := slices.DeleteFunc(slices.Clone(all), func(i string) bool { return !isKill(i) || !s.trace.isChange(i) })
	near := slices.DeleteFunc(slices.Clone(all), func(i string) bool {
		m := likely.FindStringSubmatch(i)
		return m == nil || atoi(m[2]) <= s.trace.early[m[1]]
	})
	errs := slices.DeleteFunc(all, isKill)
	list := slices.Concat(some(kills, n.kills, s.name), some(near, n.errors/2, s.name), some(errs, n.errors-n.errors/2, s.name+" "))
	slices.Sort(list)
	return slices.Compact(list)
}
