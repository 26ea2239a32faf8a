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

// A sysCall is a system call that succeeded, with its data.
type sysCall struct {
	name string
	args []string // as strace prints them, strings in hexadecimal digits
	ret  int64
}

// recorded are the calls that change files, make changes last, or say which file a descriptor is.
const recorded = "?open,openat,?openat2,?creat,close,dup,dup2,dup3,fcntl,chdir,fchdir,execve,read,lseek,write," +
	"pwrite64,writev,pwritev,pwritev2,copy_file_range,sendfile,splice,truncate,ftruncate,fallocate,mkdir,mkdirat,link," +
	"linkat,symlink,symlinkat,rename,renameat,renameat2,unlink,unlinkat,rmdir,fsync,fdatasync,sync,syncfs,sync_file_range"

// record runs a command and returns what it asked of the system.
func (p program) record(dir string, command ...string) ([]sysCall, result, error) {
	out := dir + ".record"
	defer os.Remove(out)
	args := []string{"strace", "-f", "--seccomp-bpf", "-qq", "-xx", "-s", "10000000", "-e", "signal=none", "-e",
		"trace=" + recorded, "-o", out, p.bin}
	r := start(dir, append(args, command...)...)
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
	wholeCall  = regexp.MustCompile(`^(\w+)\((.*)\) += (-?\d+|0x[0-9a-f]+)\b`)
)

// join reads a trace. Calls that were interrupted by others in it are whole, at the place where they ended.
func join(text string) (list []string) {
	begun := map[string]string{}
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
		list = append(list, call)
	}
	return list
}

// parseCalls reads the calls in a trace that succeeded, in the order in which they ended.
func parseCalls(text string) (calls []sysCall, err error) {
	for _, call := range join(text) {
		parts := wholeCall.FindStringSubmatch(call)
		if parts == nil {
			continue // the end of a thread, or a call that did not end
		}
		ret, err := strconv.ParseInt(parts[3], 0, 64)
		if err != nil {
			return nil, err
		}
		if ret >= 0 {
			calls = append(calls, sysCall{parts[1], split(parts[2]), ret})
		}
	}
	return calls, nil
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
	data, err := hex.DecodeString(strings.ReplaceAll(strings.Trim(c.args[i], `"`), `\x`, ""))
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

// has reports whether an argument, if there is one, has a flag.
func (c sysCall) has(i int, flag string) bool {
	return i < len(c.args) && regexp.MustCompile(`\b`+flag+`\b`).MatchString(c.args[i])
}
