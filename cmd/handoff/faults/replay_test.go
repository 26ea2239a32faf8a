//go:build linux

package faults_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A step is one thing that a system call changes, or makes last.
type step struct {
	what   string // for people
	ends   bool   // the last of its call
	does   kind
	node   *node                 // the file, or the directory of the name
	name   string                // that gets another meaning
	to     *node                 // its meaning then, nil for none
	source string                // the name that the file had in the same directory until then, for a rename
	back   *node                 // what source means then, for an exchange
	change func(content) content // of the file
	isBare bool                  // a sync of the data alone, not of the mode
	after  content               // of node after it
}

type kind int

const (
	isName   kind = iota // a name in a directory
	isData               // the content or size of a file
	isMode               // its permissions
	isSynced             // what is in the file, or which names are in the directory, is on disk
	isFailed             // a sync failed: what was to be written is forgotten, and memory shows it as if it had been
)

// A history is what commands did to a tree.
type history struct {
	base  tree              // before
	born  map[*node]content // what they made, as it was at first
	steps []step
	now   tree // after all
}

func (d tree) apply(s step) {
	if s.does != isSynced && s.does != isFailed {
		d.has[s.node] = s.after
	}
}

// rename gives a directory the names that it has after the step.
func (s step) rename(c content) content {
	if s.source != "" {
		c = c.named(s.source, s.back)
	}
	return c.named(s.name, s.to)
}

// An open is an open file. Descriptors that were duplicated share it.
type open struct {
	node    *node
	outside string // the path, if it does not lie in the tree
	offset  int64
	appends bool
}

// A replay carries out calls on a model of the tree.
type replay struct {
	history
	root  string
	files map[int64]*open
	cwd   *open
	umask uint32
	line  string // the call that is carried out
}

// replay returns what the calls, made in the project of root, do to the tree.
func (d tree) replay(root string, calls []sysCall) (h history, err error) {
	r := &replay{history: history{base: d, born: make(map[*node]content), now: d.clone()}, root: root, files: make(map[int64]*open),
		cwd: &open{node: d.has[d.root].names[project]}}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return h, err
	}
	fmt.Sscanf(string(umaskLine.Find(status)), "Umask:\t%o", &r.umask)
	defer func() {
		if why := recover(); why != nil {
			err = fmt.Errorf("after %d steps, at %.300s: %v", len(r.steps), r.line, why)
		}
	}()
	for _, c := range calls {
		before := len(r.steps)
		r.line = c.name + "(" + strings.Join(c.args, ", ") + ")"
		r.do(c)
		if len(r.steps) > before {
			r.steps[len(r.steps)-1].ends = true
		}
	}
	r.describe()
	return r.history, nil
}

var umaskLine = regexp.MustCompile(`(?m)^Umask:.*$`)

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
		if fd := (int64)(-1); strings.HasPrefix(path, "/proc/self/fd/") {
			fmt.Sscanf(path, "/proc/self/fd/%d", &fd)
			return place{node: r.files[fd].node, outside: path}
		}
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

func (r *replay) add(s step) {
	switch s.does {
	case isName:
		s.after = s.rename(r.now.has[s.node])
	case isData, isMode:
		s.after = s.change(r.now.has[s.node])
	}
	r.now.apply(s)
	r.steps = append(r.steps, s)
}

// describe names the steps for people. A file that gets its name later has it from the beginning.
func (h history) describe() {
	names := make(map[*node]string)
	for path, n := range h.base.paths() {
		names[n] = path
	}
	for _, s := range h.steps {
		if s.to != nil && names[s.to] == "" {
			names[s.to] = filepath.Join(names[s.node], s.name)
		}
	}
	for i, s := range h.steps {
		what := names[s.node]
		if what == "" {
			what = "a file that gets no name"
		}
		switch {
		case s.does == isName && s.to == nil:
			what = "removal of " + filepath.Join(what, s.name)
		case s.does == isName:
			what = "name " + filepath.Join(what, s.name)
		default:
			what = map[kind]string{isData: "content of ", isMode: "mode of ", isSynced: "sync of ", isFailed: "failed sync of "}[s.does] + what
		}
		if s.does == isSynced && s.node.isDir {
			what += fmt.Sprintf(" with %q", h.unsynced(i))
		}
		h.steps[i].what = random.ReplaceAllString(what, "#")
	}
}

// unsynced are the names that the step, a sync of a directory, finds new there.
func (h history) unsynced(i int) (names []string) {
	for _, s := range slices.Backward(h.steps[:i]) {
		if s.node != h.steps[i].node {
			continue
		}
		if s.does == isSynced {
			break
		}
		names = append(names, s.name)
	}
	slices.Reverse(names)
	return names
}

// random are the digits in names that are others in each run.
var random = regexp.MustCompile(`\d{8}T\d{6}\.\d+Z|[0-9a-f]{8,}`)

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
