package record

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/packet"
	"github.com/seed-78daf238/handoff/lib/run"
	"github.com/seed-78daf238/handoff/lib/universal"
)

// A Head is what stands in the frontmatter of a handoff. Empty fields say nothing.
type Head struct {
	From, To, Topic, Time string
	Tags, References      []string
}

// The greatest lengths of slugs.
const (
	maxName  = 64
	maxTopic = 80
)

// Slug returns a name in the form that the frontmatter takes. A slug stays as it is; of another name, what
// follows the last colon counts, and each character that a slug cannot hold becomes a dash.
func Slug(name string, most int) string {
	if form.IsSlug(name, most) {
		return name
	}
	if after := name[strings.LastIndexByte(name, ':')+1:]; after != "" {
		name = after
	}
	slug := strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && form.IsSlugByte(byte(r)) {
			return r
		}
		return '-'
	}, name)
	return slug[:min(len(slug), most)]
}

func packetHead(r packet.Record) Head {
	return Head{From: r.Agent, Topic: r.Task, Time: r.UpdatedAt}
}

func universalHead(d *universal.Document) Head {
	t, _ := d.Timestamp()
	return Head{From: d.Source(), To: d.Target(), Topic: d.Workflow(), Time: t.UTC().Format(time.RFC3339Nano)}
}

func runHead(r run.Record) Head {
	return Head{From: r.Agent, Topic: r.TaskID, Time: r.CreatedAt}
}

// document returns the handoff with the head that the record gives, where o says nothing else.
func (o Options) document(kind string, own Head, body string) (handoff.Document, error) {
	h := o.Head
	d := handoff.Document{
		SchemaVersion: "1.0", Body: body, Tags: h.Tags, References: h.References,
		From: first(h.From, Slug(own.From, maxName)), To: first(h.To, Slug(own.To, maxName)),
		Topic: first(h.Topic, Slug(own.Topic, maxTopic)), Time: first(h.Time, utc(own.Time)),
	}
	var missing []handoff.Fault
	for _, f := range []struct{ name, value, field string }{
		{"from", d.From, map[string]string{packet.Kind: "agent"}[kind]},
		{"to", d.To, ""},
		{"topic", d.Topic, map[string]string{packet.Kind: "task"}[kind]},
	} {
		if f.value != "" {
			continue
		}
		hint := "use --" + f.name
		if f.field != "" {
			hint = "add \"" + f.field + "\" to the record, or use --" + f.name
		}
		missing = append(missing, handoff.Fault{Pointer: "/" + f.name, Problem: "the record does not say it, and the handoff needs it", Hint: hint})
	}
	if len(missing) > 0 {
		return d, faulty(missing...)
	}
	return d, nil
}

func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// utc returns a time of RFC 3339 as ts_utc takes it. What cannot be read stays, for the rules to refuse.
func utc(text string) string {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil || strings.HasSuffix(text, "Z") && len(text) <= len("2006-01-02T15:04:05.999999999Z") {
		return text
	}
	return t.UTC().Format(time.RFC3339Nano)
}
