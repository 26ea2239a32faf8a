package replica

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
)

// What a published file may have at most, in bytes.
const (
	maxWriterFile = 4 << 10
	maxLogFile    = 64 << 20
)

// maxAtOnce is how much a writer may publish between two exchanges.
var maxAtOnce int64 = 1 << 30

// fileOf returns where a handoff is published.
func fileOf(id, at string) string {
	return at[:len("0000-00-00")] + "/" + strings.TrimPrefix(id, form.IDPrefix) + ".md"
}

// signatureOf returns where the signature of a published handoff is.
func signatureOf(name string) string { return strings.TrimSuffix(name, ".md") + ".sig" }

// idOf is the inverse of fileOf, without the day.
func idOf(name string) (id string, ok bool) {
	day, file, _ := strings.Cut(name, "/")
	digest, isMarkdown := strings.CutSuffix(file, ".md")
	return form.IDPrefix + digest, form.Matches(day, "0000-00-00") && isMarkdown && form.IsDigest(digest)
}

// logNumber returns the number of a file of the log, 0 if it is none.
func logNumber(name string) int {
	digits, ok := strings.CutPrefix(strings.TrimSuffix(name, ".jsonl"), "log/")
	n, err := strconv.Atoi(digits)
	if !ok || err != nil || n < 1 || logFile(n) != name {
		return 0
	}
	return n
}

// What the trees of writers may have, in bytes: of one that a day has some 95 a handoff. They are never walked
// by git, which goes down into all that a tree names.
const (
	maxRoot  = 1 << 20
	maxDay   = 32 << 20
	maxTrees = 64 << 20 // together
)

// A change is one of a tree.
type change struct{ name, blob, mode, old, status string }

// A leaf is an entry of a tree.
type leaf struct{ mode, name, object string }

// order is what git sorts an entry by.
func (l leaf) order() string {
	if l.isTree() {
		return l.name + "/"
	}
	return l.name
}

func (l leaf) isTree() bool { return l.mode == "40000" }

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
	for len(old)+len(young) > 0 {
		switch {
		case len(young) == 0 || len(old) > 0 && old[0].order() < young[0].order():
			all = append(all, change{name: below + old[0].name, mode: old[0].mode, old: old[0].object, status: "D"})
			old = old[1:]
		case len(old) == 0 || young[0].order() < old[0].order():
			all = append(all, change{name: below + young[0].name, mode: young[0].mode, blob: young[0].object, status: "A"})
			young = young[1:]
		default:
			if o, y := old[0], young[0]; o != y {
				all = append(all, change{name: below + y.name, mode: y.mode, old: o.object, blob: y.object, status: "M"})
			}
			old, young = old[1:], young[1:]
		}
	}
	return all
}

// trees reads trees, each at most so long. One that is not there, or is no tree, is an error.
func (r *repo) trees(ctx ctx, objects []string, max int64) ([][]leaf, error) {
	want := make([]wanted, len(objects))
	for i, object := range objects {
		want[i] = wanted{object, max}
	}
	got, err := r.layAll(ctx, "tree", maxTrees, want)
	all := make([][]leaf, len(objects))
	for i := range objects {
		var text []byte
		if err == nil {
			text, err = got.text(i)
		}
		if err == nil {
			all[i], err = parseTree(text)
		}
	}
	return all, err
}

// A step is two trees that are compared: objects, "" for an empty one. The younger one lies below a name.
type step struct {
	below, old, young string
	of                int // offer
}

// compare returns how each younger tree differs from the older one.
func (r *repo) compare(ctx ctx, steps []step, max int64) (all [][]change, err error) {
	var objects []string
	for _, s := range steps {
		objects = append(objects, slices.DeleteFunc([]string{s.old, s.young}, func(o string) bool { return o == "" })...)
	}
	trees, err := r.trees(ctx, objects, max)
	next := func(object string) (tree []leaf) {
		if object != "" {
			tree, trees = trees[0], trees[1:]
		}
		return tree
	}
	for _, s := range steps {
		if err == nil {
			old := next(s.old)
			all = append(all, differ(s.below, old, next(s.young)))
		}
	}
	return all, err
}

// changesOf returns how the tree of each offer differs from what was imported of it. It goes down one step, into
// what a writer has, so that no tree of others costs more than its own bytes.
func (r *repo) changesOf(ctx ctx, offers []*offer) (all [][]change, err error) {
	var steps []step
	for _, o := range offers {
		s := step{young: o.commit + "^{tree}"}
		if o.old != "" {
			s.old = o.old + "^{tree}"
		}
		steps = append(steps, s)
	}
	roots, err := r.compare(ctx, steps, maxRoot)
	if err != nil {
		return nil, err
	}
	steps, all = nil, make([][]change, len(offers))
	for i, changes := range roots {
		for _, c := range changes {
			if isDir := c.name == "log" || form.Matches(c.name, "0000-00-00"); isDir && c.mode == "40000" && c.status != "D" {
				steps = append(steps, step{c.name + "/", c.old, c.blob, i})
			} else {
				all[i] = append(all[i], c)
			}
		}
	}
	below, err := r.compare(ctx, steps, maxDay)
	for i, changes := range below {
		all[steps[i].of] = append(all[steps[i].of], changes...)
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
	if err != nil {
		return 0, nil, err
	}
	number := 0
	for _, c := range all {
		number = max(number, logNumber(c.name))
	}
	if number == 0 {
		return 0, nil, nil
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

// An offer is what a writer has published since what was imported.
type offer struct {
	writer, old, commit string
	writerFile          string // blobs
	logs                []change
	documents           []change
	signatures          map[string]string // blobs, by the files of their documents
}

// look says what of the changes of a writer's tree there is to import; why is not "" for what no
// writer publishes.
func (o *offer) look(all []change) (why string) {
	for _, c := range all {
		number := logNumber(c.name)
		_, isDocument := idOf(c.name)
		stem, isSignature := strings.CutSuffix(c.name, ".sig")
		_, isOfDocument := idOf(stem + ".md")
		switch {
		case c.status != "A" && !(c.status == "M" && (number > 0 || isSignature)):
			return fmt.Sprintf("%.80q was changed or removed", c.name)
		case c.mode != "100644":
			return fmt.Sprintf("%.80q has the mode %s", c.name, c.mode)
		case number > 0:
			o.logs = append(o.logs, c)
		case isDocument:
			o.documents = append(o.documents, c)
		case c.name == "writer.json" && o.old == "":
			o.writerFile = c.blob
		case isSignature && isOfDocument:
			o.signatures[stem+".md"] = c.blob
		default:
			return fmt.Sprintf("%.80q is not a file that a writer has", c.name)
		}
	}
	slices.SortFunc(o.logs, func(a, b change) int { return logNumber(a.name) - logNumber(b.name) })
	for i, c := range o.logs {
		if follows := i == 0 || logNumber(c.name) == logNumber(o.logs[i-1].name)+1; !follows || i > 0 && c.status != "A" {
			return fmt.Sprintf("%s does not follow the log before it", c.name)
		}
	}
	if o.old == "" && o.writerFile == "" {
		return "it has no writer.json"
	}
	return ""
}

// wants lists what has to be read of an offer: what parse and sources take, in their order.
func (o *offer) wants() (all []wanted) {
	if o.old == "" {
		all = append(all, wanted{o.writerFile, maxWriterFile})
	}
	if len(o.logs) > 0 {
		first := logNumber(o.logs[0].name)
		switch {
		case o.logs[0].status == "M":
			all = append(all, wanted{o.logs[0].old, maxLogFile})
		case first > 1:
			all = append(all, wanted{o.old + ":" + logFile(first-1), maxLogFile})
		}
	}
	for _, c := range o.logs {
		all = append(all, wanted{c.blob, maxLogFile})
	}
	for _, c := range o.documents {
		all = append(all, wanted{c.blob, layout.MaxDocument})
	}
	return all
}
