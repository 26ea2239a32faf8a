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

// A wanted object, with how long it may be.
type wanted struct {
	object string
	max    int64
}

// Blobs are objects that were asked for, by what was asked. Their contents lie in a file of the repository, so that few
// of them are in memory.
type blobs struct {
	file   *os.File
	parts  map[string]part        // of it
	failed *atomic.Pointer[error] // what could not be read of it, by whomever
}

// A part is what git has printed of an object: its head, and its content behind that.
type part struct {
	head     string
	at, size int64
}

// read returns the contents of a few blobs; nil for one that is missing, none, or too long.
func (r *repo) read(ctx ctx, want []wanted) ([][]byte, error) {
	texts := make([][]byte, len(want))
	got, err := r.lay(ctx, "blob", maxAtOnce, want)
	for n, w := range want {
		if err == nil && got.has(w) {
			texts[n], err = got.text(w)
		}
	}
	return texts, err
}

// lay asks for objects of a kind, of at most so many bytes together. One that is missing, of another kind, or too
// long has no text.
func (r *repo) lay(ctx ctx, kind string, most int64, want []wanted) (got blobs, err error) {
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
		err = r.broken(err)
	}
	return got, err
}

// has reports whether an object that was asked for has a text.
func (b blobs) has(w wanted) bool {
	p, is := b.parts[w.object]
	return is && p.size <= w.max
}

// text returns the content of an object that was asked for. It is errNoText if there is none.
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

// sizeOf reads what git says of an object, if it is of a kind.
func sizeOf(kind, line string) (int64, bool) {
	fields := strings.Fields(line)
	if len(fields) != 3 || fields[1] != kind {
		return 0, false
	}
	size, err := strconv.ParseInt(fields[2], 10, 64)
	return size, err == nil
}

// What the trees of writers may have, in bytes: of one that a day has some 95 a handoff. They are never walked
// by git, which goes down into all that a tree names.
const (
	maxRoot  = 1 << 20
	maxDay   = 32 << 20
	maxTrees = 64 << 20 // together
)

// A leaf is an entry of a tree.
type leaf struct{ mode, name, object string }

func (l leaf) isTree() bool { return l.mode == "40000" }

// order is what git sorts an entry by.
func (l leaf) order() string {
	if l.isTree() {
		return l.name + "/"
	}
	return l.name
}

// A change is an entry of a tree that is not as it was in another one: then it was old, and is zero if it is gone.
type change struct {
	leaf
	old    string // object
	status string // A, M or D
}

// parseTree reads a tree as git stores it: mode, name, and the 20 bytes of an object, in order.
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

// differ returns how a tree differs from another one, with their files below a name.
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

// trees reads trees, each at most so long, and returns them by what was asked for; "" is an empty one. One that is not
// there, or is no tree, is an error.
func (r *repo) trees(ctx ctx, max int64, names []string) (map[string][]leaf, error) {
	names = slices.DeleteFunc(names, func(name string) bool { return name == "" })
	want := make([]wanted, len(names))
	for i, name := range names {
		want[i] = wanted{name, max}
	}
	got, err := r.lay(ctx, "tree", maxTrees, want)
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

// rootOf names the tree of a commit, "" of none.
func rootOf(commit string) string {
	if commit == "" {
		return ""
	}
	return commit + "^{tree}"
}

// changesOf returns how the tree of each offer differs from what was imported of it. It goes down one step, into
// what a writer has, so that no tree of others costs more than its own bytes.
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

// changes returns how the tree of a commit differs from that of another one, from nothing if that is "".
func (r *repo) changes(ctx ctx, old, young string) (all []change, err error) {
	each, err := r.changesOf(ctx, []*offer{{old: old, commit: young}})
	if err != nil {
		return nil, err
	}
	return each[0], nil
}

// publishedLog returns how many events the log in the tree of a commit has, and the last of them.
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
