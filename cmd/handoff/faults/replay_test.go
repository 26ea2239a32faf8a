//go:build linux

package faults_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
)

// A step is one thing that a system call changes, or makes last.
type step struct {
	what   string // for people
	ends   bool   // the last of its call
	does   kind
	node   *node  // the file, or the directory of the name
	name   string // that gets another meaning
	to     *node  // its meaning then, nil for none
	source string // the name that the file had in the same directory until then, for a rename
	change func(content) content
	isBare bool    // a sync of the data alone
	after  content // of node after it
}

type kind int

const (
	isName   kind = iota // a name in a directory
	isData               // the content or size of a file
	isSynced             // what is in the file, or which names are in the directory, is on disk
)

// A history is what commands did to a tree.
type history struct {
	base  tree              // before
	born  map[*node]content // what they made, as it was at first
	steps []step
	now   tree // after all
}

func (d tree) apply(s step) {
	if s.does != isSynced {
		d.has[s.node] = s.after
	}
}

// rename gives a directory the names that it has after the step.
func (s step) rename(c content) content {
	if s.source != "" {
		c = c.named(s.source, nil)
	}
	return c.named(s.name, s.to)
}

// An open is an open file. Descriptors that were duplicated share it.
type open struct {
	node    *node
	outside string // the path, if it does not lie in the tree
	offset  int64
}

// A replay carries out calls on a model of the tree.
type replay struct {
	history
	root  string
	files map[int64]*open
	cwd   *open
}

// replay returns what the calls, made in the project of a site, do to its tree.
func (d tree) replay(root string, calls []sysCall) (h history, err error) {
	r := &replay{history: history{base: d, born: map[*node]content{}, now: d.clone()}, root: root,
		files: map[int64]*open{}, cwd: &open{node: d.has[d.root].names["project"]}}
	line := ""
	defer func() {
		if why := recover(); why != nil {
			err = fmt.Errorf("after %d steps, at %.300s: %v", len(r.steps), line, why)
		}
	}()
	for _, c := range calls {
		before := len(r.steps)
		line = c.name + "(" + strings.Join(c.args, ", ") + ")"
		r.do(c)
		if len(r.steps) > before {
			r.steps[len(r.steps)-1].ends = true
		}
	}
	r.describe()
	return r.history, nil
}

// do carries out a call.
func (r *replay) do(c sysCall) {
	switch c.name {
	case "openat":
		r.open(c, r.walk(c.number(0), c.text(1)))
	case "close":
		delete(r.files, c.number(0))
	case "dup", "dup2", "dup3", "fcntl":
		if c.name != "fcntl" || c.has(1, "F_DUPFD") || c.has(1, "F_DUPFD_CLOEXEC") {
			r.files[c.ret] = r.files[c.number(0)]
		}
	case "chdir": // git is run with paths that are absolute
	case "execve":
		r.files = map[int64]*open{} // Go opens all with O_CLOEXEC
	case "read", "lseek", "write", "pwrite64", "ftruncate", "fsync", "fdatasync":
		if f := r.files[c.number(0)]; f != nil && f.node != nil {
			r.file(c, f)
		}
	case "mkdirat":
		if p := r.walk(c.number(0), c.text(1)); p.dir != nil {
			r.add(step{does: isName, node: p.dir, name: p.name, to: r.make(true)})
		}
	case "unlinkat":
		if p := r.walk(c.number(0), c.text(1)); p.dir != nil {
			r.add(step{does: isName, node: p.dir, name: p.name})
		}
	case "linkat", "renameat", "renameat2":
		r.move(c, r.walk(c.number(0), c.text(1)), r.walk(c.number(2), c.text(3)))
	default:
		panic("the model does not know this call")
	}
}

// A place is what a path leads to.
type place struct {
	dir     *node // nil outside of the tree
	name    string
	node    *node // nil if there is nothing
	outside string
}

// walk follows a path. Links are not followed: the tree has none.
func (r *replay) walk(at int64, path string) place {
	from := r.cwd
	if at != -100 {
		from = r.files[at]
	}
	if filepath.IsAbs(path) {
		from = &open{outside: "/"}
	}
	if from == nil {
		panic("a descriptor that nobody opened")
	}
	p := place{node: from.node, outside: from.outside}
	for _, name := range strings.Split(filepath.Clean(path), "/") {
		switch {
		case name == "." || name == "":
		case p.node == nil && p.dir != nil:
			panic("no such directory")
		case p.node != nil && name == "..":
			panic("the way up from a directory of the tree is not known")
		case p.node != nil:
			p = place{dir: p.node, name: name, node: r.now.has[p.node].names[name]}
		default:
			if p.outside = filepath.Join(p.outside, name); p.outside == r.root {
				p = place{node: r.now.root}
			}
		}
	}
	return p
}

// open opens a place, and makes the file if there is none.
func (r *replay) open(c sysCall, p place) {
	f := &open{node: p.node, outside: p.outside}
	r.files[c.ret] = f
	switch {
	case p.node == nil && p.dir != nil:
		f.node = r.make(false)
		r.add(step{does: isName, node: p.dir, name: p.name, to: f.node})
	case p.node != nil && (c.has(2, "O_TRUNC") || c.has(2, "O_APPEND") || c.has(2, "O_TMPFILE")):
		panic("the model does not know this flag")
	}
}

func (r *replay) make(isDir bool) *node {
	n := &node{isDir}
	r.born[n], r.now.has[n] = content{}, content{}
	return n
}

// file does what an open file of the tree is asked.
func (r *replay) file(c sysCall, f *open) {
	write := func(at int64) {
		data := []byte(c.text(1)[:c.ret])
		r.add(step{does: isData, node: f.node, change: func(c content) content { return c.written(data, at) }})
	}
	switch c.name {
	case "read":
		f.offset += c.ret
	case "lseek":
		f.offset = c.ret
	case "write":
		write(f.offset)
		f.offset += c.ret
	case "pwrite64":
		write(c.number(3))
	case "ftruncate":
		size := c.number(1)
		r.add(step{does: isData, node: f.node, change: func(c content) content { return c.sized(size) }})
	default:
		r.add(step{does: isSynced, node: f.node, isBare: c.name == "fdatasync"})
	}
}

func (r *replay) move(c sysCall, from, to place) {
	isOdd := c.has(4, "RENAME_EXCHANGE") || from.dir != to.dir && c.name != "linkat"
	switch {
	case (from.dir == nil) != (to.dir == nil) || isOdd:
		panic("a move that the model does not know")
	case from.dir == nil || from.node == to.node:
	case c.name == "linkat":
		r.add(step{does: isName, node: to.dir, name: to.name, to: from.node})
	default:
		r.add(step{does: isName, node: to.dir, name: to.name, to: from.node, source: from.name})
	}
}

func (r *replay) add(s step) {
	switch s.does {
	case isName:
		s.after = s.rename(r.now.has[s.node])
	case isData:
		s.after = s.change(r.now.has[s.node])
	}
	r.now.apply(s)
	r.steps = append(r.steps, s)
}

// random are the digits in names that are others in each run.
var random = regexp.MustCompile(`[0-9a-f]{8,}|\d{9,}`)

// describe names the steps for people. A file that gets its name later has it from the beginning.
func (h history) describe() {
	names := map[*node]string{}
	for path, n := range h.base.paths() {
		names[n] = path
	}
	for _, s := range h.steps {
		if s.to != nil && (names[s.to] == "" || strings.Contains(names[s.to], "/.tmp-")) {
			names[s.to] = filepath.Join(names[s.node], s.name)
		}
	}
	for i, s := range h.steps {
		what := map[kind]string{isData: "content of ", isSynced: "sync of "}[s.does] + names[s.node]
		switch {
		case s.does == isName && s.to == nil:
			what = "removal of " + filepath.Join(what, s.name)
		case s.does == isName:
			what = "name " + filepath.Join(what, s.name)
		}
		h.steps[i].what = random.ReplaceAllString(what, "#")
	}
}

// isLike says where the model is not like the real tree after all.
func (h history) isLike(root string) error {
	real, err := readTree(root)
	if err != nil {
		return err
	}
	if want, got := real.text(), h.now.text(); want != got {
		return fmt.Errorf("the model of the calls is not what they did:\n%s\nbut:\n%s", got, want)
	}
	return nil
}

// then is what a second command did after the first n steps of the history, which a kill ended.
func (h history) then(n int, second history) history {
	both := history{base: h.base, born: map[*node]content{}, now: second.now}
	for _, made := range []map[*node]content{h.born, second.born} {
		for n, c := range made {
			both.born[n] = c
		}
	}
	both.steps = append(append([]step{}, h.steps[:n]...), second.steps...)
	if n > 0 {
		both.steps[n-1].ends = true
	}
	return both
}

// until returns the tree after the first n steps.
func (h history) until(n int) tree {
	d := h.base.clone()
	for n, c := range h.born {
		d.has[n] = c
	}
	for _, s := range h.steps[:n] {
		d.apply(s)
	}
	return d
}
