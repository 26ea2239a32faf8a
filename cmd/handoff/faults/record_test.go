//go:build linux

package faults_test

import (
	"encoding/hex"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
)

// A sysCall is a system call that succeeded, or a sync that failed, with its data.
type sysCall struct {
	name string
	args []string // as strace prints them, strings in hexadecimal digits
	ret  int64
}

// recorded are the calls that change files, make changes last, or say which file a descriptor is.
const recorded = "open,openat,openat2,creat,close,dup,dup2,dup3,fcntl,chdir,fchdir,execve,read,lseek," +
	"write,pwrite64,writev,pwritev,pwritev2,copy_file_range,sendfile,splice,truncate,ftruncate,fallocate," +
	"mkdir,mkdirat,link,linkat,symlink,symlinkat,mknod,mknodat,rename,renameat,renameat2,unlink,unlinkat,rmdir,chmod,fchmod,fchmodat,fchmodat2," +
	"fsync,fdatasync,sync,syncfs,sync_file_range,clone,clone3,fork,vfork"

// record runs a command and returns what it asked of the system.
func (p program) record(dir, inject string, command ...string) ([]sysCall, result, error) {
	out := dir + ".record"
	defer os.Remove(out)
	args := []string{"strace", "-f", "-qq", "-xx", "-s", "10000000", "-e", "signal=none", "-e", "trace=?" + strings.ReplaceAll(recorded, ",", ",?"), "-o", out}
	if inject == "" {
		args = append(args, "--seccomp-bpf")
	} else {
		args = append(args, "-e", "inject="+inject)
	}
	r := start(dir, append(append(args, p.bin), command...)...)
	text, err := os.ReadFile(out)
	if err != nil {
		return nil, r, fmt.Errorf("%w: %s", err, r.stderr)
	}
	calls, err := parseCalls(string(text))
	return calls, r, err
}

var (
	tracedLine = regexp.MustCompile(`^(\d+) +(.*)$`)
	resumed    = regexp.MustCompile(`^<\.\.\. \w+ resumed>(.*)$`)
	endless    = regexp.MustCompile(`^\+\+\+|= \?( E\w+ \(.*\))?$|<detached \.\.\.>$`) // the end of a thread, and calls that did not end
	wholeCall  = regexp.MustCompile(`^(\w+)\((.*)\) += (-?\d+|0x[0-9a-f]+)\b(.*)$`)
)

// A traced is a call as strace prints it, with the thread that made it.
type traced struct{ thread, call string }

// join reads a trace. Calls that were interrupted by others in it are whole, at the place where they ended.
func join(text string) (list []traced) {
	begun := make(map[string]string)
	for line := range strings.Lines(text) {
		m := tracedLine.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if m == nil {
			continue
		}
		call := m[2]
		if head, isBegun := strings.CutSuffix(call, " <unfinished ...>"); isBegun {
			begun[m[1]] = head
			continue
		}
		if rest := resumed.FindStringSubmatch(call); rest != nil {
			call = begun[m[1]] + rest[1]
		}
		list = append(list, traced{m[1], call})
	}
	return list
}

// parseCalls reads the calls of the first process in a trace, in the order in which they ended. Those of other processes
// that it starts are left out.
func parseCalls(text string) (calls []sysCall, err error) {
	all := join(text)
	threads := threadsOf(all)
	for _, t := range all {
		if !threads[t.thread] {
			continue
		}
		parts := wholeCall.FindStringSubmatch(t.call)
		if parts == nil {
			if endless.MatchString(t.call) {
				continue
			}
			return nil, fmt.Errorf("strace says what this test does not read: %.60s … %s", t.call, t.call[max(0, len(t.call)-200):])
		}
		isSync := parts[1] == "fsync" || parts[1] == "fdatasync"
		if ret, err := strconv.ParseInt(parts[3], 0, 64); err == nil && (ret >= 0 || isSync && strings.Contains(parts[4], "INJECTED")) {
			calls = append(calls, sysCall{parts[1], split(parts[2]), ret})
		}
	}
	return calls, nil
}

var startsThread = regexp.MustCompile(`\bCLONE_THREAD\b.*\) += (\d+)$`)

// threadsOf are the threads of the first process, by their numbers. One may be seen before the call that starts it ends.
func threadsOf(all []traced) map[string]bool {
	threads := map[string]bool{all[0].thread: true}
	for _, t := range all {
		if m := startsThread.FindStringSubmatch(t.call); m != nil {
			threads[m[1]] = true
		}
	}
	return threads
}

// split parts arguments at the commas that stand in no brackets.
func split(args string) (list []string) {
	depth, begin := 0, 0
	for i, c := range args {
		switch c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case ',':
			if depth == 0 {
				list, begin = append(list, strings.TrimSpace(args[begin:i])), i+1
			}
		}
	}
	return append(list, strings.TrimSpace(args[begin:]))
}

// text is an argument that is a string.
func (c sysCall) text(i int) string {
	digits := strings.ReplaceAll(strings.Trim(c.args[i], `"`), `\x`, "")
	data, err := hex.DecodeString(digits)
	if err != nil {
		panic(fmt.Sprintf("%s: argument %d: %v", c.name, i, err))
	}
	return string(data)
}

// number is an argument that is a number; AT_FDCWD is -100, as in the kernel.
func (c sysCall) number(i int) int64 {
	if c.args[i] == "AT_FDCWD" {
		return -100
	}
	n, err := strconv.ParseInt(c.args[i], 0, 64)
	if err != nil {
		panic(fmt.Sprintf("%s: argument %d: %v", c.name, i, err))
	}
	return n
}

// has says whether an argument, if there is one, has a flag.
func (c sysCall) has(i int, flag string) bool {
	return i < len(c.args) && regexp.MustCompile(`\b`+flag+`\b`).MatchString(c.args[i])
}

// mode is the permission that an argument gives, in octal digits, also inside of the structure of openat2.
func (c sysCall) mode(i int) uint32 {
	if i >= len(c.args) {
		return 0
	}
	digits := c.args[i]
	if _, inside, ok := strings.Cut(digits, "mode="); ok {
		digits, _, _ = strings.Cut(inside, ",")
	}
	n, err := strconv.ParseUint(strings.TrimRight(digits, "}"), 8, 32)
	if err != nil {
		return 0
	}
	return uint32(n) & 0o7777
}
