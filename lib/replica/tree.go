package replica

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/git"
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

// A change is one of a tree.
type change struct{ name, blob, mode, old, status string }

// emptyTree is what git calls a tree without files.
const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

// changes returns how the tree of a commit differs from that of another one, from nothing if that is "".
func (r *repo) changes(ctx ctx, old, young string) (all []change, err error) {
	if old == "" {
		old = emptyTree
	}
	out, err := r.Run(ctx, git.Call{Args: []string{"diff-tree", "-r", "-z", "--no-renames", "--no-abbrev", old, young}})
	if err != nil {
		return nil, err
	}
	all, rest, err := parseChanges(string(out))
	if err == nil && rest != "" {
		err = fmt.Errorf("git diff-tree printed %.80q", rest)
	}
	return all, err
}

// parseChanges reads what git diff-tree -z prints of two trees, and returns what comes behind that.
func parseChanges(text string) (all []change, rest string, err error) {
	for strings.HasPrefix(text, ":") {
		head, behind, _ := strings.Cut(text[1:], "\x00")
		name, next, isWhole := strings.Cut(behind, "\x00")
		fields := strings.Fields(head)
		if len(fields) != 5 || !isWhole {
			return nil, "", fmt.Errorf("git diff-tree printed %.80q", text)
		}
		all, text = append(all, change{name: name, mode: fields[1], old: fields[2], blob: fields[3], status: fields[4]}), next
	}
	return all, text, nil
}

// names returns the names of all files in the tree of a commit.
func (r *repo) names(ctx ctx, commit string) ([]string, error) {
	out, err := r.Run(ctx, git.Call{Args: []string{"ls-tree", "-r", "-z", "--name-only", commit}, Max: 512 << 20})
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"), r.broken(err)
}

// publishedLog returns how many events the log in the tree of a commit has, and the last of them.
func (r *repo) publishedLog(ctx ctx, commit string) (count int, last []byte, err error) {
	names, err := r.names(ctx, commit)
	if err != nil {
		return 0, nil, err
	}
	number := 0
	for _, name := range names {
		number = max(number, logNumber(name))
	}
	if number == 0 {
		return 0, nil, nil
	}
	texts, err := r.read(ctx, []wanted{{commit + ":" + logFile(number), maxLogFile}})
	if err != nil || texts[0] == nil {
		return 0, nil, fmt.Errorf("%s of %s cannot be read: %v", logFile(number), commit, err)
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
