package document

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
)

// Limits of a document.
const (
	MaxStored = 4 << 20   // bytes of a stored file that can be read, whatever the setting when it was written
	MaxHead   = 640 << 10 // bytes of the frontmatter of a new document
	maxNodes  = 1000      // YAML nodes of the frontmatter
	maxNames  = 100       // documents with the same base name
)

// Render returns the bytes to store: the keys in a fixed order, each scalar in single quotes, and the unchanged body.
// d must be valid and have its id.
func Render(d Document) []byte {
	var b bytes.Buffer
	b.Grow(len(d.Body) + 512)
	b.WriteString("---\n")
	for _, f := range fields {
		switch {
		case f.list != nil:
			renderList(&b, f.key, *f.list(&d))
		case *f.text(&d) != "" || mustHave(f):
			b.WriteString(f.key + ": " + quote(*f.text(&d)) + "\n")
		}
	}
	b.WriteString("---\n\n")
	b.WriteString(d.Body)
	return b.Bytes()
}

// FileName returns the n-th file name for a document: the base name for n = 1, then -2 to -100. It returns "" for
// other n, if Time has no date, or if HandoffID is needed and has no id. File names are ambiguous, since slugs
// contain dashes. Never parse them.
//
// Set withID for a store that receives documents from other stores: the base name then ends in the first 8 digits of
// the id, so that two documents cannot get the same name.
func FileName(d Document, n int, withID bool) string {
	if n < 1 || n > maxNames || len(d.Time) < len("2006-01-02") {
		return ""
	}
	suffix := ""
	if withID {
		id := strings.TrimPrefix(d.HandoffID, "sha256:")
		if len(id) < 8 {
			return ""
		}
		suffix = "-" + id[:8]
	}
	if n > 1 {
		suffix += "-" + strconv.Itoa(n)
	}
	return d.Time[:len("2006-01-02")] + "-" + d.From + "-" + d.To + "-" + d.Topic + suffix + ".md"
}

func renderList(b *bytes.Buffer, key string, items []string) {
	if len(items) == 0 {
		b.WriteString(key + ": []\n")
		return
	}
	b.WriteString(key + ":\n")
	for _, item := range items {
		b.WriteString("  - " + quote(item) + "\n")
	}
}

// quote returns a YAML single-quoted scalar. A YAML library would change some strings.
func quote(s string) string {
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}

// A Fault is one thing that is wrong with a document. All faults of a document are reported at once.
type Fault = fault.Fault
