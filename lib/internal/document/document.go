package document

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
)

// Limits of a document.
const (
	MaxStored = 4 << 20   // bytes of a stored file that readers accept, whatever the setting at write was
	MaxHead   = 640 << 10 // bytes between the delimiter lines of a document that is written
	maxNodes  = 1000      // YAML nodes of a head
	maxNames  = 100       // documents of one base name
)

// Render returns the bytes to store: keys in fixed order, every scalar in single quotes, and the body
// as it is. The Document must be valid and carry its id.
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

// FileName returns the n-th name for a document in the handoffs directory: the base name for n = 1,
// then -2 to -100. It returns "" when n is out of that range, or when Time holds no date, or HandoffID
// no id that is needed. Names are ambiguous, since slugs contain dashes, and are never to be parsed.
//
// withID is for a store whose documents come from several places, which must not give one name to two
// of them: the base name ends in the first 8 digits of the id there.
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

// quote writes a YAML single-quoted scalar. A YAML library would change some strings on the way.
func quote(s string) string {
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}

// A Fault is one thing that is wrong with a document. All faults of a document are reported at once.
type Fault = fault.Fault
