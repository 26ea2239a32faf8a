//go:build linux

package faults_test

import (
	"fmt"
	"strings"
)

// do carries out a call on the model.
func (r *replay) do(c sysCall) {
	switch c.name {
	case "read", "lseek", "close", "dup", "dup2", "dup3", "fcntl", "execve", "chdir", "fchdir":
		r.descriptor(c)
	case "open":
		r.open(c, r.walk(-100, c.text(0)), 1)
	case "openat", "openat2":
		r.open(c, r.walk(c.number(0), c.text(1)), 2)
	case "write", "pwrite64", "copy_file_range", "ftruncate", "fallocate", "fchmod", "fsync", "fdatasync":
		if f := r.files[c.number(map[bool]int{true: 2}[c.name == "copy_file_range"])]; f != nil && f.node != nil {
			r.file(c, f)
		}
	case "sync", "syncfs":
		for n := range r.now.has {
			r.add(step{does: isSynced, node: n})
		}
	case "clone", "clone3", "fork", "vfork", "sync_file_range": // the last begins to write, and makes nothing sure
	default:
		r.path(c)
	}
}

// descriptor does what changes only how files are open.
func (r *replay) descriptor(c sysCall) {
	switch c.name {
	case "chdir":
		p := r.walk(-100, c.text(0))
		r.cwd = &open{node: p.node, outside: p.outside}
		return
	case "execve":
		r.files = make(map[int64]*open) // Go opens all with O_CLOEXEC
		return
	}
	fd := c.number(0)
	f := r.files[fd]
	switch {
	case c.name == "close":
		delete(r.files, fd)
	case c.name == "fchdir":
		r.cwd = f
	case strings.HasPrefix(c.name, "dup"), c.has(1, "F_DUPFD"), c.has(1, "F_DUPFD_CLOEXEC"):
		r.files[c.ret] = f
	case f == nil:
	case c.name == "read":
		f.offset += c.ret
	case c.name == "lseek":
		f.offset = c.ret
	}
}

// open opens a place, and makes the file if there is none. The flags are argument i.
func (r *replay) open(c sysCall, p place, i int) {
	f := &open{node: p.node, outside: p.outside, appends: c.has(i, "O_APPEND")}
	perm := c.mode(i)
	if c.name != "openat2" {
		perm = c.mode(i + 1)
	}
	r.files[c.ret] = f
	switch {
	case c.has(i, "O_TMPFILE") && p.node != nil:
		f.node = r.make(false, perm)
	case p.node == nil && p.dir != nil:
		f.node = r.make(false, perm)
		r.add(step{does: isName, node: p.dir, name: p.name, to: f.node})
	case c.has(i, "O_TRUNC") && p.node != nil:
		r.resize(p.node, 0)
	}
}

func (r *replay) make(isDir bool, perm uint32) *node {
	n := &node{isDir}
	r.born[n] = content{mode: perm &^ r.umask}
	r.now.has[n] = r.born[n]
	return n
}

func (r *replay) resize(n *node, size int64) {
	r.add(step{does: isData, node: n, change: func(c content) content { return c.sized(size) }})
}

// file does what changes an open file of the tree.
func (r *replay) file(c sysCall, f *open) {
	now := r.now.has[f.node]
	switch c.name {
	case "fsync", "fdatasync":
		does := isSynced
		if c.ret < 0 {
			does = isFailed
		}
		r.add(step{does: does, node: f.node, isBare: c.name == "fdatasync"})
	case "fchmod":
		r.setMode(f.node, c.mode(1))
	case "ftruncate":
		r.resize(f.node, c.number(1))
	case "fallocate":
		if !c.has(1, "FALLOC_FL_KEEP_SIZE") || c.has(1, "FALLOC_FL_PUNCH_HOLE") {
			r.resize(f.node, max(now.size, c.number(2)+c.number(3)))
		}
	case "pwrite64":
		r.write(f.node, c.text(1)[:c.ret], c.number(3))
	case "write":
		if f.appends {
			f.offset = now.size
		}
		r.write(f.node, c.text(1)[:c.ret], f.offset)
		f.offset += c.ret
	case "copy_file_range":
		r.copy(c, f)
	}
}

func (r *replay) write(n *node, text string, at int64) {
	data := []byte(text)
	r.add(step{does: isData, node: n, change: func(c content) content { return c.written(data, at) }})
}

func (r *replay) setMode(n *node, mode uint32) {
	r.add(step{does: isMode, node: n, change: func(c content) content { c.mode = mode; return c }})
}

func (r *replay) copy(c sysCall, to *open) {
	from := r.files[c.number(0)]
	if from == nil || from.node == nil || c.args[3] != "NULL" {
		panic("a copy that the model does not know")
	}
	at := &from.offset
	if c.args[1] != "NULL" {
		var given int64
		fmt.Sscanf(c.args[1], "[%d", &given)
		at = &given
	}
	r.write(to.node, string(r.now.has[from.node].full()[*at:*at+c.ret]), to.offset)
	*at += c.ret
	to.offset += c.ret
}

// path does what changes a directory of the tree.
func (r *replay) path(c sysCall) {
	switch c.name {
	case "mkdir", "mkdirat":
		p, perm := r.first(c)
		if p.dir != nil {
			r.add(step{does: isName, node: p.dir, name: p.name, to: r.make(true, c.mode(perm))})
		}
	case "unlink", "unlinkat", "rmdir":
		if p, _ := r.first(c); p.dir != nil {
			r.add(step{does: isName, node: p.dir, name: p.name})
		}
	case "fchmodat", "fchmodat2", "chmod":
		if p, perm := r.first(c); p.node != nil {
			r.setMode(p.node, c.mode(perm))
		}
	case "link", "linkat":
		from, to := r.both(c)
		if to.dir != nil {
			r.add(step{does: isName, node: to.dir, name: to.name, to: from.node})
		}
	case "rename", "renameat", "renameat2":
		from, to := r.both(c)
		isExchange := c.has(4, "RENAME_EXCHANGE")
		if (from.dir == nil) != (to.dir == nil) || isExchange && from.dir != to.dir {
			panic("a rename that the model does not know")
		}
		switch {
		case isExchange && from.dir != nil:
			r.add(step{does: isName, node: to.dir, name: to.name, to: from.node, source: from.name, back: to.node})
		case from.dir == nil || from.node == to.node:
		case from.dir == to.dir:
			r.add(step{does: isName, node: to.dir, name: to.name, to: from.node, source: from.name})
		default:
			r.add(step{does: isName, node: to.dir, name: to.name, to: from.node})
			r.add(step{does: isName, node: from.dir, name: from.name})
		}
	default:
		panic("the model does not know this call")
	}
}

// first is the place that the first argument names, or the first two, and the number of the argument that follows.
func (r *replay) first(c sysCall) (place, int) {
	if strings.HasPrefix(c.args[0], `"`) {
		return r.walk(-100, c.text(0)), 1
	}
	return r.walk(c.number(0), c.text(1)), 2
}

// both are the two places that a link or rename names.
func (r *replay) both(c sysCall) (from, to place) {
	if strings.HasPrefix(c.args[0], `"`) {
		return r.walk(-100, c.text(0)), r.walk(-100, c.text(1))
	}
	if c.has(4, "AT_EMPTY_PATH") {
		return place{node: r.files[c.number(0)].node}, r.walk(c.number(2), c.text(3))
	}
	return r.walk(c.number(0), c.text(1)), r.walk(c.number(2), c.text(3))
}
