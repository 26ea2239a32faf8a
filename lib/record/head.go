package record

import (
	"cmp"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// The maximum lengths of slugs.
const (
	maxName  = 64
	maxTopic = 80
)

// Slug returns a name as a slug for the frontmatter. A slug stays as it is. Of another name, the part after the
// last colon is converted by form.Slug.
func Slug(name string, most int) string {
	if form.IsSlug(name, most) {
		return name
	}
	if after := name[strings.LastIndexByte(name, ':')+1:]; after != "" {
		name = after
	}
	// A character beyond ASCII becomes one dash, whatever its length in bytes.
	return form.Slug(name, most)
}

// document returns the handoff of a record. Values in o override those of the record.
func (o Options) document(k kind, c content) (d handoff.Document, err error) {
	d = o.Head
	d.SchemaVersion, d.Body = "1.0", c.Body()
	from, to, topic, at := c.Head()
	d.From = cmp.Or(d.From, strings.TrimLeft(Slug(from, maxName), "-"))
	d.To = cmp.Or(d.To, strings.TrimLeft(Slug(to, maxName), "-"))
	d.Topic = cmp.Or(d.Topic, Slug(topic, maxTopic))
	d.Time = cmp.Or(d.Time, utc(at))
	var missing []handoff.Fault
	for _, f := range []struct{ name, value string }{{"from", d.From}, {"to", d.To}, {"topic", d.Topic}} {
		if f.value != "" {
			continue
		}
		hint := "use --" + f.name
		if member := k.members[f.name]; member != "" {
			hint = "add \"" + member + "\" to the record, or --" + f.name
		}
		missing = append(missing, handoff.Fault{Pointer: "/" + f.name, Problem: "missing in the record", Hint: hint})
	}
	if len(missing) > 0 {
		return d, faulty(missing...)
	}
	return d, nil
}

// utc returns an ISO 8601 time in the form of ts_utc. It returns other text unchanged; validation refuses it.
func utc(text string) string {
	t, ok := form.ISO(text)
	if !ok || form.IsInstant(text) {
		return text
	}
	return t.Format(time.RFC3339Nano)
}
