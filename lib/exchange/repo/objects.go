package repo

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/git"
)

var (
	ErrTooMuch = errors.New("it has published more at once than is read")
	ErrTree    = errors.New("it holds a tree that is cut or not in order")
	ErrNoText  = errors.New("it holds a file that is too long, or no file")

	// ErrLost is wrapped by the error for an object that git does not find. A fetch brings all objects that a commit
	// names, so it is no fault of who published the commit.
	ErrLost = errors.New("the repository of sync lacks an object")
)

// maxRead is the maximum number of bytes of the objects that Read returns together.
const maxRead = 1 << 30

// A Wanted is an object to read, with its maximum size.
type Wanted struct {
	Object string
	Max    int64
}

// Blobs are git objects by their names. Their contents are in a file of the repository, to save memory.
type Blobs struct {
	file   *os.File
	parts  map[string]part        // of the file
	failed *atomic.Pointer[error] // the first error of reading the file, shared by all readers
}

// A part is the place of an object in the output of git: its header line, and the content after it.
type part struct {
	head     string
	at, size int64
}

// Read returns the contents of a few Blobs. Too long Blobs, and other objects, are nil. Missing ones are nil too, as is
// a file that a commit does not have; a missing object or commit is also ErrLost.
func (r *Repo) Read(ctx ctx, want []Wanted) ([][]byte, error) {
	texts := make([][]byte, len(want))
	got, err := r.Spool(ctx, "blob", maxRead, want)
	var lost error
	if errors.Is(err, ErrLost) {
		lost, err = err, nil
	}
	for n, w := range want {
		if err == nil && got.Has(w) {
			texts[n], err = got.Text(w)
		}
	}
	return texts, cmp.Or(err, lost)
}

// Spool reads objects of a kind into the spool file, up to most bytes together. An object that is missing, too
// long or of another kind has no text. If an object or a commit is missing, the error is ErrLost, and the others have
// their texts.
func (r *Repo) Spool(ctx ctx, kind string, most int64, want []Wanted) (got Blobs, err error) {
	got = Blobs{r.spool, make(map[string]part, len(want)), &r.failed}
	if len(want) == 0 {
		return got, nil
	}
	heads, err := r.heads(ctx, want)
	if err != nil {
		return got, err
	}
	begin, err := got.file.Seek(0, io.SeekEnd)
	var ask strings.Builder
	var lost error
	end := begin
	for n, head := range heads {
		size, ok := sizeOf(kind, head)
		if ok && n < len(want) && size <= want[n].Max && !got.Has(want[n]) {
			got.parts[want[n].Object] = part{head, end, size}
			end += int64(len(head)) + size + 1
			ask.WriteString(want[n].Object + "\n")
		}
		name, isMissing := strings.CutSuffix(head, " missing\n")
		if isMissing && len(name) >= 40 && !strings.ContainsAny(name, ":^") {
			r.suspect = true
			lost = fault.New(ErrLost, "run it again", "%v: %s", ErrLost, name)
		}
	}
	if end-begin > most {
		return got, ErrTooMuch
	}
	if err == nil && ask.Len() > 0 {
		_, err = r.Run(ctx, git.Call{Args: []string{"cat-file", "--batch"}, Stdin: strings.NewReader(ask.String()),
			Into: got.file, Limit: transferLimit})
		err = r.Explain(err)
	}
	return got, cmp.Or(err, lost)
}

// heads returns what git answers about the wanted objects, and then about the commits in their names.
func (r *Repo) heads(ctx ctx, want []Wanted) ([]string, error) {
	var names, commits []string
	for _, w := range want {
		names = append(names, w.Object)
		if at := strings.IndexAny(w.Object, ":^"); at >= 0 {
			commits = append(commits, w.Object[:at])
		}
	}
	names = append(names, commits...)
	out, err := r.Ask(ctx, strings.Join(names, "\n")+"\n", "cat-file", "--batch-check")
	heads := slices.Collect(strings.Lines(string(out)))
	if err == nil && len(heads) != len(names) {
		err = fmt.Errorf("git cat-file answered %d of %d questions", len(heads), len(names))
	}
	return heads, err
}

// Has reports whether a wanted object has a text.
func (b Blobs) Has(w Wanted) bool {
	p, is := b.parts[w.Object]
	return is && p.size <= w.Max
}

// Text returns the content of a wanted object, or ErrNoText if the object is missing or too long.
func (b Blobs) Text(w Wanted) ([]byte, error) {
	if !b.Has(w) {
		return nil, ErrNoText
	}
	p := b.parts[w.Object]
	all := make([]byte, int64(len(p.head))+p.size)
	if _, err := b.file.ReadAt(all, p.at); err != nil {
		b.failed.Store(&err)
		return nil, err
	}
	text := all[len(p.head):]
	if string(all[:len(p.head)]) != p.head {
		return nil, fmt.Errorf("git cat-file printed %.80q", all)
	}
	return text, nil
}

// sizeOf parses a line of git cat-file, and returns the size if the object is of the kind.
func sizeOf(kind, line string) (int64, bool) {
	fields := strings.Fields(line)
	if len(fields) != 3 || fields[1] != kind {
		return 0, false
	}
	size, err := strconv.ParseInt(fields[2], 10, 64)
	return size, err == nil
}

// The maximum sizes of the trees of writers, in bytes. The tree of a day has about 95 bytes a handoff. git never
// walks these trees, since it would descend into everything that they name.
const (
	maxRoot  = 1 << 20
	maxDay   = 32 << 20
	maxTrees = 64 << 20 // all trees together
)

// A Leaf is an entry of a tree.
type Leaf struct{ Mode, Name, Object string }

func (l Leaf) isTree() bool { return l.Mode == "40000" }

// order returns the key by which git sorts an entry.
func (l Leaf) order() string {
	if l.isTree() {
		return l.Name + "/"
	}
	return l.Name
}

// A Change is an entry that differs between two trees. Leaf is the new entry; its object is "" if it was removed.
type Change struct {
	Leaf
	Old    string // the object in the old tree
	Status string // A, M or D
}

// parseTree parses a tree as git stores it: mode, name, and the 20 bytes of an object, sorted.
func parseTree(text []byte) (all []Leaf, err error) {
	for len(text) > 0 {
		mode, rest, ok := bytes.Cut(text, []byte(" "))
		name, rest, isWhole := bytes.Cut(rest, []byte{0})
		if !ok || !isWhole || len(rest) < 20 || len(mode) > 6 {
			return nil, ErrTree
		}
		l := Leaf{string(mode), string(name), hex.EncodeToString(rest[:20])}
		if n := len(all); n > 0 && all[n-1].order() >= l.order() {
			return nil, ErrTree
		}
		all, text = append(all, l), rest[20:]
	}
	return all, nil
}

// differ returns the changes from the tree old to the tree young. Names get the prefix below.
func differ(below string, old, young []Leaf) (all []Change) {
	was := make(map[string]Leaf, len(old))
	for _, l := range old {
		was[l.Name] = l
	}
	for _, l := range young {
		before, is := was[l.Name]
		delete(was, l.Name)
		c := Change{Leaf{l.Mode, below + l.Name, l.Object}, before.Object, "M"}
		if !is {
			c.Status = "A"
		}
		if before != l {
			all = append(all, c)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(was)) {
		all = append(all, Change{Leaf{was[name].Mode, below + name, ""}, was[name].Object, "D"})
	}
	return all
}

// trees reads trees of at most max bytes, and returns them by name; "" is an empty tree. A missing object, or one
// that is not a tree, is an error.
func (r *Repo) trees(ctx ctx, max int64, names []string) (map[string][]Leaf, error) {
	names = slices.DeleteFunc(names, func(name string) bool { return name == "" })
	want := make([]Wanted, len(names))
	for i, name := range names {
		want[i] = Wanted{name, max}
	}
	got, err := r.Spool(ctx, "tree", maxTrees, want)
	all := make(map[string][]Leaf, len(names))
	for i, name := range names {
		var text []byte
		if err == nil {
			text, err = got.Text(want[i])
		}
		if err == nil {
			all[name], err = parseTree(text)
		}
	}
	return all, err
}

// rootOf returns the name of the tree of a commit, "" if there is no commit.
func rootOf(commit string) string {
	if commit == "" {
		return ""
	}
	return commit + "^{tree}"
}

// A Span is what happened from an old commit, "" for none, to a young one.
type Span struct{ Old, Young string }

// ChangesOf returns how the trees of the commits of each span differ. It reads only the root and the
// directories that a writer has, so that no foreign tree costs more than its own bytes.
func (r *Repo) ChangesOf(ctx ctx, spans []Span) (all [][]Change, err error) {
	var names []string
	for _, o := range spans {
		names = append(names, rootOf(o.Old), rootOf(o.Young))
	}
	trees, err := r.trees(ctx, maxRoot, names)
	if err != nil {
		return nil, err
	}
	names, all = nil, make([][]Change, len(spans))
	below := make([][]Change, len(spans))
	for i, o := range spans {
		for _, c := range differ("", trees[rootOf(o.Old)], trees[rootOf(o.Young)]) {
			isDir := c.Name == "log" || form.Matches(c.Name, "0000-00-00")
			if isDir && c.isTree() && c.Status != "D" {
				names, below[i] = append(names, c.Old, c.Object), append(below[i], c)
			} else {
				all[i] = append(all[i], c)
			}
		}
	}
	trees, err = r.trees(ctx, maxDay, names)
	for i, dirs := range below {
		for _, c := range dirs {
			all[i] = append(all[i], differ(c.Name+"/", trees[c.Old], trees[c.Object])...)
		}
	}
	return all, err
}

// Changes returns how the tree of commit young differs from that of old. If old is "", everything is new.
func (r *Repo) Changes(ctx ctx, old, young string) (all []Change, err error) {
	each, err := r.ChangesOf(ctx, []Span{{old, young}})
	if err != nil {
		return nil, err
	}
	return each[0], nil
}
