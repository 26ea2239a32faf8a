package universal

import (
	"strconv"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// A shape is what the schema wants of a field, as far as a repair can bring it about.
type shape int

// What a repair can do about a field depends on its shape alone.
const (
	other shape = iota
	text
	texts
	word // one of a list
	clock
	flag
	link
	object // main is the member that a text in its place stands for
	list
)

// A field is one place of the record. Under "*" it stands for every item of a list.
type field struct {
	path     string
	shape    shape
	optional bool
	words    []string // word: the values allowed
	hint     string   // how to mend it, when its shape does not say
	main     string
}

// fields is what a repair and its advice know of the schema. What is not in it gets neither; the
// verdict on it is the schema's all the same.
var fields = []field{
	{path: "/handoff", hint: `put the whole record under one key "handoff"`},
	{path: "/handoff/version", shape: word, words: []string{Version}},
	{path: "/handoff/schema_type", shape: word, words: []string{SchemaType}},
	{path: "/handoff/timestamp", shape: clock},
	{path: "/handoff/expires_at", shape: clock, optional: true},
	{path: "/handoff/trace_id", hint: "use a UUID version 4 in lower case; `handoff repair` makes one"},
	{path: "/handoff/source", shape: object, main: "skill", hint: "add an object with skill, workflow_id, session_path and phase"},
	{path: "/handoff/source/skill", shape: text},
	{path: "/handoff/source/workflow_id", shape: text},
	{path: "/handoff/source/session_path", shape: text, hint: "write an absolute path"},
	{path: "/handoff/source/phase", shape: text},
	{path: "/handoff/target", shape: object, main: "skill", hint: "add an object with skill"},
	{path: "/handoff/target/skill", shape: text},
	{path: "/handoff/target/invocation", shape: text, optional: true},
	{path: "/handoff/target/category", shape: text, optional: true},
	{path: "/handoff/target/expected_phase", shape: text, optional: true},
	{path: "/handoff/context", shape: object, main: "summary", hint: "add an object with summary and problem_type"},
	{path: "/handoff/context/summary", shape: text, hint: "write 1 to 500 characters; `handoff repair` cuts a longer one"},
	{path: "/handoff/context/problem_type", shape: word, words: []string{"decision", "creative", "analytical", "strategic", "implementation", "research", "verification"}},
	{path: "/handoff/context/original_prompt", shape: text, optional: true},
	{path: "/handoff/context/focus_areas", shape: texts, optional: true},
	{path: "/handoff/context/known_gaps", shape: texts, optional: true},
	{path: "/handoff/context/success_criteria", shape: texts, optional: true},
	{path: "/handoff/payload", shape: object, main: "working", hint: "add an object with working"},
	{path: "/handoff/payload/working", shape: object, main: "notes", hint: "add an object with what the next skill needs"},
	{path: "/handoff/payload/session", shape: object, main: "notes", optional: true, hint: "write an object, or leave it out"},
	{path: "/handoff/payload/session/state", shape: object, main: "notes", optional: true, hint: "write an object, or leave it out"},
	{path: "/handoff/payload/session/artifacts", shape: list, optional: true, hint: "write a list of objects with name, path and type"},
	{path: "/handoff/payload/session/artifacts/*", shape: object, main: "name", hint: "write an object with name, path and type"},
	{path: "/handoff/payload/session/artifacts/*/name", shape: text},
	{path: "/handoff/payload/session/artifacts/*/path", shape: text},
	{path: "/handoff/payload/session/artifacts/*/type", shape: word, words: []string{"specification", "analysis", "code", "documentation", "data", "model", "report"}},
	{path: "/handoff/payload/session/artifacts/*/checksum", optional: true, hint: "write sha256: and 64 lower-case hex digits"},
	{path: "/handoff/payload/references", shape: object, main: "files", optional: true, hint: "write an object, or leave it out"},
	{path: "/handoff/payload/references/files", shape: list, optional: true, hint: "write a list of objects with path"},
	{path: "/handoff/payload/references/files/*", shape: object, main: "path", hint: "write an object with path"},
	{path: "/handoff/payload/references/files/*/path", shape: text},
	{path: "/handoff/payload/references/files/*/relevance", shape: word, optional: true, words: []string{"critical", "important", "optional"}},
	{path: "/handoff/payload/references/urls", shape: list, optional: true, hint: "write a list of objects with url"},
	{path: "/handoff/payload/references/urls/*", shape: object, main: "url", hint: "write an object with url"},
	{path: "/handoff/payload/references/urls/*/url", shape: link},
	{path: "/handoff/meta", hint: "add an object with token_count and confidence"},
	{path: "/handoff/meta/token_count", hint: "write a whole number from 0 to 2000; `handoff repair` counts"},
	{path: "/handoff/meta/confidence", shape: word, words: []string{"high", "medium", "low"}},
	{path: "/handoff/meta/handoff_chain", shape: texts, optional: true},
	{path: "/handoff/meta/handoff_reason", shape: text, optional: true},
	{path: "/handoff/meta/payload_hash", optional: true, hint: "write sha256: and 64 lower-case hex digits, or leave it out"},
	{path: "/handoff/meta/payload_size_bytes", optional: true, hint: "write a whole number, or leave it out"},
	{path: "/handoff/meta/user_approved", shape: flag, optional: true},
	{path: "/handoff/tracing", optional: true, hint: "write an object, or leave it out"},
	{path: "/handoff/tracing/events", shape: list, optional: true, hint: "write a list of objects with timestamp and event_type"},
	{path: "/handoff/tracing/events/*/timestamp", shape: clock},
	{path: "/handoff/tracing/events/*/event_type", shape: word, words: []string{"created", "validated", "transmitted", "received", "processed", "error"}},
	{path: "/handoff/tracing/events/*/workflow", shape: text},
	{path: "/handoff/tracing/parent_span_id", shape: text, optional: true},
	{path: "/handoff/tracing/tags", shape: object, main: "tag", optional: true, hint: "write an object whose values are strings"},
}

// advice says how to mend the field.
func (f field) advice() string {
	if f.hint != "" {
		return f.hint
	}
	switch f.shape {
	case text:
		return "write a string that is not empty"
	case texts:
		return "write a list of strings that is not empty"
	case word:
		return "use " + strings.Join(f.words, ", ")
	case clock:
		return "write it in UTC with Z, such as 2026-02-07T18:30:00Z"
	case flag:
		return "write true or false"
	case link:
		return "write the whole address with its scheme, such as https://example.org/page"
	}
	return ""
}

// fieldAt returns the field that a pointer lies in, by its place in lists of any index.
func fieldAt(pointer string) (field, bool) {
	parts := strings.Split(pointer, "/")
	for i, part := range parts {
		if _, err := strconv.Atoi(part); err == nil {
			parts[i] = "*"
		}
	}
	pattern := strings.Join(parts, "/")
	for _, f := range fields {
		if f.path == pattern || f.shape == texts && f.path+"/*" == pattern {
			return f, true
		}
	}
	return field{}, false
}

// each calls visit with the pointer of every place that the field has in the record, there or not,
// below parents that are.
func (f field) each(root *jsontree.Value, visit func(pointer string)) {
	head, tail, list := strings.Cut(f.path, "/*")
	if !list {
		visit(f.path)
		return
	}
	items := root.At(head)
	if items == nil {
		return
	}
	for i := range items.Items {
		visit(head + "/" + strconv.Itoa(i) + tail)
	}
}
