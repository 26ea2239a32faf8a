package exchange

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-78daf238/handoff/lib/exchange/repo"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// The maximum sizes of published files, in bytes.
const (
	maxWriterFile = 4 << 10
	maxLogFile    = 64 << 20
)

// maxAtOnce is the number of bytes that a writer can publish between two exchanges.
var maxAtOnce int64 = 1 << 30

// fileOf returns the path of a published handoff.
func fileOf(id, at string) string {
	return at[:len("0000-00-00")] + "/" + strings.TrimPrefix(id, form.IDPrefix) + ".md"
}

// signatureOf returns the path of the signature of a published handoff.
func signatureOf(name string) string { return strings.TrimSuffix(name, ".md") + ".sig" }

// idOf is the inverse of fileOf. It ignores the day.
func idOf(name string) (id string, ok bool) {
	day, file, _ := strings.Cut(name, "/")
	digest, isMarkdown := strings.CutSuffix(file, ".md")
	return form.IDPrefix + digest, form.Matches(day, "0000-00-00") && isMarkdown && form.IsDigest(digest)
}

// logNumber returns the number of a file of the log, 0 for another file.
func logNumber(name string) int {
	digits, ok := strings.CutPrefix(strings.TrimSuffix(name, ".jsonl"), "log/")
	n, err := strconv.Atoi(digits)
	if !ok || err != nil || n < 1 || logFile(n) != name {
		return 0
	}
	return n
}

// An offer is what a writer has published since the last import.
type offer struct {
	writer, old, commit string
	writerFile          string // a blob
	logs                []repo.Change
	documents           []repo.Change
	signatures          map[string]string // blobs, by the paths of their documents
	folded              map[string]string // blobs of claims, by their names
	ended               map[string][]byte // their texts
}

// look sorts the changes of a writer's tree into the fields of the offer. why is not "" if a change is not one that a
// writer publishes.
func (o *offer) look(all []repo.Change) (why string) {
	*o = offer{writer: o.writer, old: o.old, commit: o.commit, signatures: make(map[string]string),
		folded: make(map[string]string), ended: make(map[string][]byte)}
	for _, c := range all {
		number := logNumber(c.Name)
		_, isDocument := idOf(c.Name)
		stem, isSignature := strings.CutSuffix(c.Name, ".sig")
		_, isOfDocument := idOf(stem + ".md")
		claim, isClaim := foldedName(c.Name)
		switch {
		case c.Status != "A" && !(c.Status == "M" && (number > 0 || isSignature)):
			return fmt.Sprintf("%.80q was changed or removed", c.Name)
		case c.Mode != "100644":
			return fmt.Sprintf("%.80q has the mode %s", c.Name, c.Mode)
		case number > 0:
			o.logs = append(o.logs, c)
		case isDocument:
			o.documents = append(o.documents, c)
		case c.Name == "writer.json" && o.old == "":
			o.writerFile = c.Object
		case isClaim:
			o.folded[claim] = c.Object
		case isSignature && isOfDocument:
			o.signatures[stem+".md"] = c.Object
		default:
			return fmt.Sprintf("%.80q is not a file that a writer has", c.Name)
		}
	}
	slices.SortFunc(o.logs, func(a, b repo.Change) int { return logNumber(a.Name) - logNumber(b.Name) })
	for i, c := range o.logs {
		if i > 0 && (logNumber(c.Name) != logNumber(o.logs[i-1].Name)+1 || c.Status != "A") {
			return fmt.Sprintf("%s does not follow the log before it", c.Name)
		}
	}
	if o.old == "" && o.writerFile == "" {
		return "it has no writer.json"
	}
	return ""
}

// previousLog returns the last known file of the log, "" if there is none.
func (o *offer) previousLog() string {
	switch {
	case len(o.logs) == 0:
		return ""
	case o.logs[0].Status == "M":
		return o.logs[0].Old
	case logNumber(o.logs[0].Name) > 1:
		return o.old + ":" + logFile(logNumber(o.logs[0].Name)-1)
	}
	return ""
}

// wants returns the objects of an offer to read.
func (o *offer) wants() (all []repo.Wanted) {
	for object, max := range map[string]int64{o.writerFile: maxWriterFile, o.previousLog(): maxLogFile} {
		if object != "" {
			all = append(all, repo.Wanted{Object: object, Max: max})
		}
	}
	for _, object := range o.folded {
		all = append(all, repo.Wanted{Object: object, Max: eventlog.MaxFile})
	}
	for _, c := range o.logs {
		all = append(all, repo.Wanted{Object: c.Object, Max: maxLogFile})
	}
	for _, c := range o.documents {
		all = append(all, repo.Wanted{Object: c.Object, Max: disk.MaxDocument})
	}
	return all
}

// parse proves the writer file and the log, and returns the new events. why is what is wrong with the offer. err is a
// fault of this store. Documents are proven when they are stored; see [remote.choose].
func (o *offer) parse(got repo.Blobs) (found []eventInfo, why string, err error) {
	text := func(object string, max int64) (text []byte) {
		if err == nil && object != "" {
			text, err = got.Text(repo.Wanted{Object: object, Max: max})
		}
		return text
	}
	var w struct{ Format, Writer string }
	file := text(o.writerFile, maxWriterFile)
	if o.old == "" && (json.Unmarshal(file, &w) != nil || w.Format != "handoff-writer/1" || w.Writer != o.writer) {
		why = "its writer.json is of another writer or format"
	}
	if why == "" && err == nil {
		found, why = o.parseLogs(func(object string) []byte { return text(object, maxLogFile) })
	}
	for name, object := range o.folded {
		o.ended[name] = text(object, eventlog.MaxFile)
		c, bad := eventlog.ParseClaim(name, o.ended[name])
		if isOwn := bad == nil && c.Writer == o.writer; why == "" && err == nil && !isOwn {
			why = "it has folded what is not a claim of it: " + name
		}
	}
	if errors.Is(err, repo.ErrNoText) {
		why, err = repo.ErrNoText.Error(), nil
	}
	return found, why, err
}

// parseLogs returns the new events of the log. textOf returns the text of a file.
func (o *offer) parseLogs(textOf func(object string) []byte) (found []eventInfo, why string) {
	if len(o.logs) == 0 {
		return nil, ""
	}
	first, grows := logNumber(o.logs[0].Name), o.logs[0].Status == "M"
	p, before := progress{Events: (first - 1) * perFile}, textOf(o.previousLog())
	if len(before) > 0 {
		lines := bytes.Split(bytes.TrimSuffix(before, []byte("\n")), []byte("\n"))
		if grows {
			p.Events += len(lines)
		} else if len(lines) != perFile {
			return nil, "its log has a gap"
		}
		p.Hash, _ = eventlog.HashLine(lines[len(lines)-1])
	}
	for i, c := range o.logs {
		text := textOf(c.Object)
		if i == 0 && grows {
			rest, isSame := bytes.CutPrefix(text, before)
			if !isSame {
				return nil, "its log was rewritten"
			}
			text = rest
		}
		said, err := p.followAll(text)
		if err != nil {
			return nil, err.Error()
		}
		if n := first + i; p.Events > n*perFile || i+1 < len(o.logs) && p.Events != n*perFile {
			return nil, fmt.Sprintf("%s has not %d events", c.Name, perFile)
		}
		found = append(found, said...)
	}
	return found, ""
}
