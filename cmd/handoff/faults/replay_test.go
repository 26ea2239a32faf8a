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
	node   *node   // the file, or the directory of the name
	name   string  // that gets another meaning
	source string  // the name that the file had in the same directory until then, for a rename
	from   *node   // its meaning before, nil for none
	to     *node   // its meaning then
	next   content // of the file then
}

type kind int

const (
	isName   kind = iota // a name in a directory
	isData               // the content or size of a file
	isMode               // its permissions
	isSynced             // what is in the file, or which names are in the directory, is on tree
)

// A history is what a command did to a tree.
type history struct {
	base  tree              // before
	born  map[*node]content // what it made, as it was at first
	steps []step
	now   tree // after all
}

func (d tree) apply(s step) {
	switch s.does {
	case isName:
		now := d.has[s.node].named(s.name, s.to)
		if s.source != "" {
			now = now.named(s.source, nil)
		}
		d.has[s.node] = now
	case isData, isMode:
		d.has[s.node] = s.next
	}
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
	last  uint64 // the inode number that was given last
	umask uint32
	line  string // the call that is carried out
}

// replay returns what the calls, made in root, do to the tree.
func (d tree) replay(root string, calls []sysCall) (h history, err error) {
	r := &replay{history: history{base: d, born: make(map[*node]content), now: d.clone()}, root: root, files: make(map[int64]*open), cwd: &open{node: d.root}}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return h, err
	}
	fmt.Sscanf(string(umaskLine.Find(status)), "Umask:\t%o", &r.umask)
	for _, n := range d.paths() {
		r.last = max(r.last, n.number)
	}
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
	if s.does == isName {
		s.from = r.now.has[s.node].names[s.name]
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
			what = map[kind]string{isData: "content of ", isMode: "mode of ", isSynced: "sync of "}[s.does] + what
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
var random = regexp.MustCompile(`\d{8}T\d{6}\.\d+Z|\d{8,}`)

// isLike says where the model is not like the real tree after all.
func (h history) isLike(root string) error {
	real, err := readTree(root)
	if err != nil {
		return err
	}
	if want, got := real.text(), h.now.text(); want != got {
		return fmt.Errorf("the model of the calls is not what they did:\n%s\nbut:\n%s", got, want)
	}
	there := real.paths()
	for path, n := range h.now.paths() {
		if number := there[path].number; number != n.number {
			return fmt.Errorf("%s has inode number %d, not %d as the model says", path, number, n.number)
		}
	}
	return nil
}
