package document

import (
	"cmp"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/json"
)

// The limits of the frontmatter, in characters (code points) and items.
const (
	MaxName       = 64 // of from and to
	MaxTopic      = 80
	MaxTag        = 40
	MaxTags       = 32
	MaxReference  = 1024
	MaxReferences = 256
)

// A Document is a handoff with the values of valid frontmatter. HandoffID is "" if the source has no id. Lists keep
// their order; a missing list is nil. Body has LF line ends, and does not begin with a blank line.
type Document struct {
	SchemaVersion string   `json:"schema_version,omitempty"`
	HandoffID     string   `json:"handoff_id,omitempty"`
	From          string   `json:"from,omitempty"`
	To            string   `json:"to,omitempty"`
	Topic         string   `json:"topic,omitempty"`
	Time          string   `json:"ts_utc,omitempty"`
	References    []string `json:"references,omitempty"`
	Tags          []string `json:"tags,omitempty"`
	Body          string   `json:"-"`
}

// fields are the fields of the frontmatter, in the order of the stored file. Parsing, rules, the id, the stored file
// and the secret scan use this table. A new field needs a field of Document, a row here, and a property of the JSON
// Schema.
var fields = [...]field{
	text("schema_version", required, hashed, constant,
		shape{"1.0", func(s string) bool { return s == "1.0" }, "write '1.0'"},
		func(d *Document) *string { return &d.SchemaVersion }),
	text("handoff_id", optional, unhashed, constant,
		shape{"a handoff id", form.IsID,
			"leave handoff_id out, it is computed; or give sha256: and 64 lower-case hex digits"},
		func(d *Document) *string { return &d.HandoffID }),
	text("from", required, hashed, name, slug("an operator name", MaxName),
		func(d *Document) *string { return &d.From }),
	text("to", required, hashed, name, slug("an operator name", MaxName), func(d *Document) *string { return &d.To }),
	text("topic", required, hashed, name, slug("a topic", MaxTopic), func(d *Document) *string { return &d.Topic }),
	text("ts_utc", required, hashed, constant, shape{"an instant in UTC", form.IsInstant, hintTime},
		func(d *Document) *string { return &d.Time }),
	list("references", MaxReferences, hashed, prose,
		shape{"a reference", isReference, "use 1 to 1024 characters without line breaks"},
		func(d *Document) *[]string { return &d.References }),
	list("tags", MaxTags, hashed, name, slug("a tag", MaxTag), func(d *Document) *[]string { return &d.Tags }),
}

// A field is a row of the table. text and list make it and require all properties, so that a row cannot omit the
// secret scan.
type field struct {
	key   string
	need  need
	hash  hash
	scan  scan
	shape shape
	most  int                       // the maximum number of items of a list
	text  func(*Document) *string   // nil for a list
	list  func(*Document) *[]string // nil for a text
}

type need bool

const (
	required need = true
	optional need = false
)

// A hash reports whether the handoff_id covers a field. A missing text is not covered; a missing list counts as
// empty.
type hash bool

const (
	hashed   hash = true
	unhashed hash = false
)

// A scan is the treatment of a field by the secret scan.
type scan int

const (
	constant scan = iota // not scanned: its form cannot contain a credential
	name                 // scanned; a finding is refused, since a name cannot be redacted
	prose                // scanned, and redacted on request
)

// A shape is the form of a text, or of each item of a list.
type shape struct {
	what string // its name, with an article
	fits func(string) bool
	hint string
}

func text(key string, n need, h hash, c scan, s shape, at func(*Document) *string) field {
	return field{key: key, need: n, hash: h, scan: c, shape: s, text: at}
}

// list returns the row of a list, which is always optional.
func list(key string, most int, h hash, c scan, s shape, at func(*Document) *[]string) field {
	return field{key: key, hash: h, scan: c, shape: s, most: most, list: at}
}

func slug(what string, most int) shape {
	return shape{what, func(s string) bool { return form.IsSlug(s, most) },
		"use 1 to " + strconv.Itoa(most) + " ASCII letters, digits, _ and -"}
}

func isReference(s string) bool {
	n := utf8.RuneCountInString(s)
	return n >= 1 && n <= MaxReference && !hasControl(s)
}

// fieldOf returns the row of a key, nil for an unknown key.
func fieldOf(key string) *field {
	for i := range fields {
		if fields[i].key == key {
			return &fields[i]
		}
	}
	return nil
}

// keysOf returns the keys of the rows that pass.
func keysOf(pass func(field) bool) (all []string) {
	for _, f := range fields {
		if pass(f) {
			all = append(all, f.key)
		}
	}
	return all
}

func anyField(field) bool { return true }

func mustHave(f field) bool { return bool(f.need) }

// Instance returns the frontmatter as a JSON-like value for Rules, without empty fields.
func (d Document) Instance() map[string]any {
	head := d.Fields()
	for key, value := range head {
		items, isList := value.([]string)
		if value == "" || isList && len(items) == 0 {
			delete(head, key)
		} else if isList {
			all := make([]any, len(items))
			for i, item := range items {
				all[i] = item
			}
			head[key] = all
		}
	}
	return head
}

// Fields returns all fields of the frontmatter by key. A missing list is empty, not nil.
func (d Document) Fields() map[string]any {
	head := map[string]any{}
	for _, f := range fields {
		if f.list != nil {
			head[f.key] = append([]string{}, *f.list(&d)...)
		} else {
			head[f.key] = *f.text(&d)
		}
	}
	return head
}

// ID returns the handoff_id of a document: the SHA-256 of the RFC 8785 form of its content. The HandoffID field is
// ignored. It fails on strings that are not valid UTF-8.
func ID(d Document) (string, error) {
	members := d.Fields()
	for _, f := range fields {
		if f.hash == unhashed || members[f.key] == "" && !mustHave(f) {
			delete(members, f.key)
		}
	}
	members["body"] = d.Body
	return json.ID(members)
}

// A Text is a string of a document that could contain a credential.
type Text struct {
	Pointer    string  // RFC 6901; /body for the body
	Value      *string // can be replaced if Redactable
	Redactable bool
	Name       string // of the JSON member that has it, or ""
}

// Before returns the text before the value in JSON: what a value means can follow from its name.
func (t Text) Before() string {
	if t.Name == "" {
		return ""
	}
	return t.Name + `": "`
}

// Texts returns the strings of a document, the body first.
func Texts(d *Document) []Text {
	all := []Text{{"/body", &d.Body, true, ""}}
	for _, f := range fields {
		switch {
		case f.scan == constant:
		case f.list != nil:
			for i := range *f.list(d) {
				name := fault.Pointer("/"+f.key, strconv.Itoa(i))
				all = append(all, Text{name, &(*f.list(d))[i], f.scan == prose, ""})
			}
		case *f.text(d) != "":
			all = append(all, Text{fault.Pointer("", f.key), f.text(d), f.scan == prose, ""})
		}
	}
	return all
}

// Over returns a document with the fields of d, or those of under where d has none. Lists have the items of both, those
// of under first.
func (d Document) Over(under Document) Document {
	for _, f := range fields {
		if f.list != nil {
			*f.list(&d) = slices.Concat(*f.list(&under), *f.list(&d))
		} else {
			*f.text(&d) = cmp.Or(*f.text(&d), *f.text(&under))
		}
	}
	return d
}

// Clone returns a copy of d with its own lists.
func Clone(d Document) Document {
	for _, f := range fields {
		if f.list != nil {
			*f.list(&d) = slices.Clone(*f.list(&d))
		}
	}
	return d
}
