package record

import (
	"cmp"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// The greatest lengths of slugs.
const (
	maxName  = 64
	maxTopic = 80
)

// Slug returns a name in the form that the frontmatter takes. A slug stays as it is; of another name, what
// follows the last colon counts, and of that what form.Slug makes.
func Slug(name string, most int) string {
	if form.IsSlug(name, most) {
		return name
	}
	if after := name[strings.LastIndexByte(name, ':')+1:]; after != "" {
		name = after
	}
	// A character beyond ASCII becomes one dash, however many bytes it has.
	return form.Slug(name, most)
}

// document returns the handoff with the head that the record gives, where o says nothing else.
func (o Options) document(k kind, c content) (d handoff.Document, err error) {
	d = o.Head
	d.SchemaVersion = "1.0"
	if d.Body, err = c.Body(); err != nil {
		return d, err
	}
	from, to, topic, at := c.Head()
	d.From, d.To, d.Topic = cmp.Or(d.From, Slug(from, maxName)), cmp.Or(d.To, Slug(to, maxName)), cmp.Or(d.Topic, Slug(topic, maxTopic))
	d.Time = cmp.Or(d.Time, utc(at))
	var missing []handoff.Fault
	for _, f := range []struct{ name, value string }{{"from", d.From}, {"to", d.To}, {"topic", d.Topic}} {
		if f.value != "" {
			continue
		}
		hint := "use --" + f.name
		if member := k.members[f.name]; member != "" {
			hint = "add \"" + member + "\" to the record, or use --" + f.name
		}
		missing = append(missing, handoff.Fault{Pointer: "/" + f.name, Problem: "the record does not say it, and the handoff needs it", Hint: hint})
	}
	if len(missing) > 0 {
		return d, faulty(missing...)
	}
	return d, nil
}

// utc returns a time of ISO 8601 as ts_utc takes it. What cannot be read stays, for the rules to refuse.
func utc(text string) string {
	t, ok := form.ISO(text)
	if !ok || form.IsInstant(text) {
		return text
	}
	return t.Format(time.RFC3339Nano)
}
