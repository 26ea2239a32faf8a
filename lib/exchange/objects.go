package exchange

import (
	"bytes"
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

	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/git"
)

var (
	errTooMuch = errors.New("it has published more at once than is read")
	errTree    = errors.New("it holds a tree that is cut or not in order")
	errNoText  = errors.New("it holds a file that is too long, or no file")
)

// A wanted is an object to read, with its maximum size.
type wanted struct {
	object string
	max    int64
}

// blobs are git objects by their names. Their contents are in a file of the repository, to save memory.
type blobs struct {
	file   *os.File
	parts  map[string]part        // of the file
	failed *atomic.Pointer[error] // the first error of reading the file, shared by all readers
}

// A part is the place of an object in the output of git: its header line, and the content after it.
type part struct {
	head     string
	at, size int64
}

// read returns the contents of a few blobs. Missing and too long blobs, and other objects, are nil.
func (r *repo) read(ctx ctx, want []wanted) ([][]byte, error) {
	texts := make([][]byte, len(want))
	got, err := r.spoolObjects(ctx, "blob", maxAtOnce, want)
	for n, w := range want {
		if err == nil && got.has(w) {
			texts[n], err = got.text(w)
		}
	}
	return texts, err
}

// spoolObjects reads objects of a kind into the spool file, up to most bytes together. An object that is missing, too
// long or of another kind has no text.
func (r *repo) spoolObjects(ctx ctx, kind string, most int64, want []wanted) (got blobs, err error) {
	got = blobs{r.spool, make(map[string]part, len(want)), &r.failed}
	if len(want) == 0 {
		return got, nil
	}
	var names, ask strings.Builder
	for _, w := range want {
		names.WriteString(w.object + "\n")
	}
	out, err := r.ask(ctx, names.String(), "cat-file", "--batch-check")
	if err != nil {
		return got, err
	}
	begin, err := got.file.Seek(0, io.SeekEnd)
	end, n := begin, 0
	for head := range strings.Lines(string(out)) {
		size, ok := sizeOf(kind, head)
		if ok && n < len(want) && size <= want[n].max && !got.has(want[n]) {
			got.parts[want[n].object] = part{head, end, size}
			end += int64(len(head)) + size + 1
			ask.WriteString(want[n].object + "\n")
		}
		n++
	}
	if end-begin > most {
		return got, errTooMuch
	}
	if err == nil && ask.Len() > 0 {
		_, err = r.Run(ctx, git.Call{Args: []string{"cat-file", "--batch"}, Stdin: strings.NewReader(ask.String()),
			Into: got.file, Limit: transferLimit})
		err = r.repoError(err)
	}
	return got, err
}

// has reports whether a wanted object has a text.
func (b blobs) has(w wanted) bool {
	p, is := b.parts[w.object]
	return is && p.size <= w.max
}

// text returns the content of a wanted object, or errNoText if there is none.
func (b blobs) text(w wanted) ([]byte, error) {
	if !b.has(w) {
		return nil, errNoText
	}
	p := b.parts[w.object]
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

// A leaf is an entry of a tree.
type leaf struct{ mode, name, object string }

func (l leaf) isTree() bool { return l.mode == "40000" }

// order returns the key by which git sorts an entry.
func (l leaf) order() string {
	if l.isTree() {
		return l.name + "/"
	}
	return l.name
}

// A change is an entry that differs between two trees. leaf is the new entry; its object is "" if it was removed.
type change struct {
	leaf
	old    string // the object in the old tree
	status string // A, M or D
}

// parseTree parses a tree as git stores it: mode, name, and the 20 bytes of an object, sorted.
func parseTree(text []byte) (all []leaf, err error) {
	for len(text) > 0 {
		mode, rest, ok := bytes.Cut(text, []byte(" "))
		name, rest, isWhole := bytes.Cut(rest, []byte{0})
		if !ok || !isWhole || len(rest) < 20 || len(mode) > 6 {
			return nil, errTree
		}
		l := leaf{string(mode), string(name), hex.EncodeToString(rest[:20])}
		if n := len(all); n > 0 && all[n-1].order() >= l.order() {
			return nil, errTree
		}
		all, text = append(all, l), rest[20:]
	}
	return all, nil
}

// differ returns the changes from the tree old to the tree young. Names get the prefix below.
func differ(below string, old, young []leaf) (all []change) {
	was := make(map[string]leaf, len(old))
	for _, l := range old {
		was[l.name] = l
	}
	for _, l := range young {
		before, is := was[l.name]
		delete(was, l.name)
		c := change{leaf{l.mode, below + l.name, l.object}, before.object, "M"}
		if !is {
			c.status = "A"
		}
		if before != l {
			all = append(all, c)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(was)) {
		all = append(all, change{leaf{was[name].mode, below + name, ""}, was[name].object, "D"})
	}
	return all
}

// trees reads trees of at most max bytes, and returns them by name; "" is an empty tree. A missing object, or one
// that is not a tree, is an error.
func (r *repo) trees(ctx ctx, max int64, names []string) (map[string][]leaf, error) {
	names = slices.DeleteFunc(names, func(name string) bool { return name == "" })
	want := make([]wanted, len(names))
	for i, name := range names {
		want[i] = wanted{name, max}
	}
	got, err := r.spoolObjects(ctx, "tree", maxTrees, want)
	all := make(map[string][]leaf, len(names))
	for i, name := range names {
		var text []byte
		if err == nil {
			text, err = got.text(want[i])
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

// changesOf returns how the tree of each offer differs from what was imported. It reads only the root and the
// directories that a writer has, so that no foreign tree costs more than its own bytes.
func (r *repo) changesOf(ctx ctx, offers []*offer) (all [][]change, err error) {
	var names []string
	for _, o := range offers {
		names = append(names, rootOf(o.old), rootOf(o.commit))
	}
	trees, err := r.trees(ctx, maxRoot, names)
	if err != nil {
		return nil, err
	}
	names, all = nil, make([][]change, len(offers))
	below := make([][]change, len(offers))
	for i, o := range offers {
		for _, c := range differ("", trees[rootOf(o.old)], trees[rootOf(o.commit)]) {
			isDir := c.name == "log" || form.Matches(c.name, "0000-00-00")
			if isDir && c.isTree() && c.status != "D" {
				names, below[i] = append(names, c.old, c.object), append(below[i], c)
			} else {
				all[i] = append(all[i], c)
			}
		}
	}
	trees, err = r.trees(ctx, maxDay, names)
	for i, dirs := range below {
		for _, c := range dirs {
			all[i] = append(all[i], differ(c.name+"/", trees[c.old], trees[c.object])...)
		}
	}
	return all, err
}

// changes returns how the tree of commit young differs from that of old. If old is "", everything is new.
func (r *repo) changes(ctx ctx, old, young string) (all []change, err error) {
	each, err := r.changesOf(ctx, []*offer{{old: old, commit: young}})
	if err != nil {
		return nil, err
	}
	return each[0], nil
}

// publishedLog returns the number of events of the log in the tree of a commit, and the last event.
func (r *repo) publishedLog(ctx ctx, commit string) (count int, last []byte, err error) {
	all, err := r.changes(ctx, "", commit)
	number := 0
	for _, c := range all {
		number = max(number, logNumber(c.name))
	}
	if number == 0 || err != nil {
		return 0, nil, err
	}
	texts, err := r.read(ctx, []wanted{{commit + ":" + logFile(number), maxLogFile}})
	if err == nil && texts[0] == nil {
		err = errNoText
	}
	if err != nil {
		return 0, nil, err
	}
	lines := bytes.Split(bytes.TrimSuffix(texts[0], []byte("\n")), []byte("\n"))
	return (number-1)*perFile + len(lines), lines[len(lines)-1], nil
}
