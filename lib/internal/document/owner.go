package document

import (
	"bytes"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// An Owner says whose the frontmatter of a text is.
type Owner int

// The owners of a frontmatter. The top-level keys decide, before any value is read.
const (
	Nobody   Owner = iota // there is none: all of the text is the body
	Complete              // a handoff: it has all required fields, or an id
	Partial               // a handoff that lacks fields: it has only fields of ours, to or from among them
	Foreign               // another tool: the whole text is the body
)

// OwnerOf returns whose the frontmatter of a text is, with its top-level keys. If the YAML cannot be read, the words
// before a colon at the left margin are the keys. A line --- above a blank line is a rule, but not that of a complete
// handoff.
func OwnerOf(src []byte) (owner Owner, keys []string) {
	owner, keys, _ = ownerOf(form.Normal(src))
	return owner, keys
}

// ownerOf is OwnerOf for a text with LF line ends. root is the frontmatter as YAML, nil if it cannot be read.
func ownerOf(text []byte) (owner Owner, keys []string, root *Node) {
	first, rest := cutLine(text)
	if !isDelimiter(first) {
		return Nobody, nil, nil
	}
	second, _ := cutLine(rest)
	isRule := isBlank(second)
	head, _, fault := Split(text)
	if fault != nil && isRule {
		return Nobody, nil, nil
	}
	if fault != nil { // it is not closed
		head, _, _ = bytes.Cut(rest, []byte("\n\n"))
	}
	root, _ = ReadYAML(head, YAMLOptions{Name: "the head", MaxBytes: MaxHead, MaxNodes: maxNodes})
	if keys = rootKeys(root); keys == nil {
		keys = marginKeys(head)
	}
	isOurs := func(key string) bool { return fieldOf(key) != nil }
	has := func(key string) bool { return slices.Contains(keys, key) }
	lacks := func(key string) bool { return !has(key) }
	switch {
	case has("handoff_id"), !slices.ContainsFunc(keysOf(mustHave), lacks):
		owner = Complete
	case isRule:
		return Nobody, nil, nil
	case (has("to") || has("from")) && !slices.ContainsFunc(keys, func(key string) bool { return !isOurs(key) }):
		owner = Partial
	default:
		owner = Foreign
	}
	return owner, keys, root
}

func rootKeys(root *Node) (keys []string) {
	if root != nil {
		for _, m := range root.Members {
			keys = append(keys, m.Key.Text)
		}
	}
	return keys
}

// margin matches the key at the left margin of a line.
var margin = form.Pattern(`(?m)^\t*["']?([\pL\pN_][\pL\pN_. -]{0,60})["']?[ \t]*:(?:[ \t]|$)`)

func marginKeys(head []byte) (keys []string) {
	for _, match := range margin().FindAllSubmatch(head, -1) {
		if key := strings.TrimSpace(string(match[1])); !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// A Filling has what a text lacks to be a document.
type Filling struct {
	Given    Document                   // a frontmatter must not contradict it
	Defaults func(body string) Document // the values of fields that are not given
}

// Read returns the draft of a text of at most limit bytes, whoever owns its frontmatter. A frontmatter of ours gets the
// fields that it lacks; with schema_version or ts_utc it was meant to be complete and gets only given ones. All other
// text is the body, and a frontmatter of another tool gives it topic, title and tags where they fit. The note says what
// became of that; isWhole reports whether the text was meant to be complete.
func Read(src []byte, limit int, f Filling) (d *Draft, isWhole bool, note string) {
	text := form.Normal(src)
	owner, keys, root := ownerOf(text)
	if owner == Complete || owner == Partial {
		d, _ = Parse(src, limit)
		isWhole = owner == Complete || slices.Contains(keys, "schema_version") || slices.Contains(keys, "ts_utc")
		if isWhole {
			f.Defaults = func(string) Document { return Document{} }
		}
		d.fill(f)
		return d, isWhole || len(d.faults) > 0, ""
	}
	doc := f.Given
	doc.Body = string(trimBlankLines(text))
	if root != nil && owner == Foreign {
		doc = doc.Over(taken(root))
	}
	doc = doc.Over(f.Defaults(doc.Body))
	d, _ = Compose(doc)
	if len(src) > limit {
		d.fail(tooLong(len(src), limit))
	}
	if owner == Foreign && len(keys) > 0 {
		note = "stored as text, with the frontmatter of another tool (" + strings.Join(explained(keys), ", ") + ")"
	}
	return d, len(d.faults) > 0, note
}

// taken returns what a document takes from the frontmatter of another tool.
func taken(root *Node) (d Document) {
	for _, m := range root.Members {
		switch v := m.Value; {
		case m.Key.Text == "topic" && v.Kind == Scalar:
			d.Topic = form.Topic(v.Text, MaxTopic)
		case m.Key.Text == "tags" && v.Kind == Scalar:
			for tag := range strings.SplitSeq(v.Text, ",") {
				d.addTag(strings.TrimSpace(tag))
			}
		case m.Key.Text == "tags":
			for _, item := range v.Items {
				d.addTag(item.Text)
			}
		}
	}
	return d
}

// addTag adds a tag that fits.
func (d *Document) addTag(tag string) {
	if form.IsSlug(tag, MaxTag) && len(d.Tags) < MaxTags {
		d.Tags = append(d.Tags, tag)
	}
}

// explained returns the first keys of another tool, each with the field of ours that it may be meant for.
func explained(keys []string) (all []string) {
	const most = 8
	for i, key := range keys {
		if i == most {
			return append(all, "…")
		}
		key = form.Cut(key, 40)
		if near := form.Nearest(key, keysOf(anyField)); near != "" && near != key {
			key += ": " + near + "?"
		}
		all = append(all, key)
	}
	return all
}
