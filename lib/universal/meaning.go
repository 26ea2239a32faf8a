package universal

import (
	"path"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// meanings lists, by a word that a record may hold, others that say the same.
var meanings = map[string]string{
	"specification": "spec specs requirements design contract schema",
	"analysis":      "findings review assessment evaluation",
	"code":          "source script program library patch diff test tests",
	"documentation": "doc docs readme manual guide notes tutorial markdown",
	"data":          "dataset table csv json database",
	"model":         "weights checkpoint",
	"report":        "summary minutes slides",

	"decision":       "decide choice",
	"creative":       "brainstorm ideation writing",
	"analytical":     "analysis analyze analyse debugging diagnosis",
	"strategic":      "strategy planning plan roadmap",
	"implementation": "implement coding code build development bugfix fix refactoring feature",
	"research":       "investigation exploration survey",
	"verification":   "verify test testing validation validate review audit qa",

	"high":   "certain sure",
	"medium": "moderate normal average",
	"low":    "unsure uncertain weak",

	"critical":  "required must essential blocking high",
	"important": "should recommended medium",
	"optional":  "could nice-to-have low",

	"created":     "started opened new",
	"validated":   "checked verified",
	"transmitted": "sent handed-over delivered",
	"received":    "accepted picked-up",
	"processed":   "handled done completed finished",
	"error":       "failed failure",
}

// meaning returns the one of the words that a text says in another way, "" for none.
func meaning(text string, words []string) string {
	text = strings.ReplaceAll(strings.ToLower(strings.TrimSpace(text)), "_", "-")
	for _, w := range words {
		if text == w || slices.Contains(strings.Fields(meanings[w]), text) {
			return w
		}
	}
	return ""
}

// suffixes lists by their type the endings of the names of artifacts.
var suffixes = map[string]string{
	"documentation": ".md .txt .rst .adoc .html",
	"data":          ".json .jsonl .csv .tsv .xml .yaml .yml .parquet .db .sqlite .log",
	"model":         ".onnx .pt .safetensors .gguf .pkl",
	"report":        ".pdf .docx .pptx .xlsx",
}

// TypeOf returns the type of an artifact that the name of its file suggests.
func TypeOf(name string) string {
	suffix := strings.ToLower(path.Ext(name))
	for kind, all := range suffixes {
		if suffix != "" && slices.Contains(strings.Fields(all), suffix) {
			return kind
		}
	}
	return "code"
}

// names lists, by a field, others under which it comes.
var names = map[string]string{
	"timestamp":    "created_at created time date",
	"expires_at":   "expiry expires valid_until",
	"workflow_id":  "workflow run_id",
	"session_path": "path cwd directory dir",
	"phase":        "stage step",
	"summary":      "description text",
	"problem_type": "type kind",
	"path":         "file filename file_path filepath",
	"url":          "href link uri",
	"skill":        "name agent",
	"event_type":   "type event",
}

// rename gives a field that is missing the value of one whose name looks like it or means the same. In
// an object that takes any member, only what the field cannot be without is looked for.
func rename(e *editor, f field, pointer string) {
	holder, name := e.parent(pointer)
	if e.root.At(pointer) != nil || !holder.Is(jsontree.Object) {
		return
	}
	above := above(pointer)
	if closed := above == "" || above == "/handoff"; f.optional && !closed {
		return
	}
	for _, m := range holder.Members {
		if at := fault.Pointer(above, m.Name); alike(m.Name, name) && !isField(at) {
			e.remove(at, "renamed to "+name)
			e.set(pointer, m.Value, "was called "+oneLine(m.Name))
			return
		}
	}
}

// isField reports whether a pointer names a field of the schema.
func isField(pointer string) bool {
	_, ok := fieldAt(pointer)
	return ok
}

var bare = strings.NewReplacer("_", "", "-", "", " ", "")

// alike reports whether two names differ in case, dashes and a letter, or two of long ones, or mean the same.
func alike(name, field string) bool {
	a, b := bare.Replace(strings.ToLower(cutTo(name, 40))), bare.Replace(field)
	most := 1
	if len(b) >= 8 {
		most = 2
	}
	near := len(b) > 3 && max(len(a)-len(b), len(b)-len(a)) <= most && form.Edits(a, b) <= most
	return near || slices.Contains(strings.Fields(names[field]), strings.ToLower(name))
}

// otherName returns the field that is missing and that a member of a closed object seems to mean, "" for none.
func otherName(root *jsontree.Value, pointer string) string {
	last := func(pointer string) string { return fault.PointerName(pointer[strings.LastIndexByte(pointer, '/')+1:]) }
	for _, f := range fields {
		if above(f.path) == above(pointer) && alike(last(pointer), last(f.path)) && root.At(f.path) == nil {
			return last(f.path)
		}
	}
	return ""
}

// wrap puts a record that stands at the root where it belongs.
func wrap(e *editor) {
	if e.root.Get("handoff") != nil || !Detect(e.root) {
		return
	}
	e.set("/handoff", jsontree.NewObject(), "the record stands below one key")
	for _, m := range append([]jsontree.Member{}, e.root.Members...) {
		if at := fault.Pointer("/handoff", m.Name); isField(at) {
			e.set(at, m.Value, "moved below handoff")
			e.remove(fault.Pointer("", m.Name), "moved below handoff")
		}
	}
}

// complete fills what an object in a list can be given from its other members, or from the record.
func complete(e *editor) {
	const artifacts, events = "/handoff/payload/session/artifacts", "/handoff/tracing/events"
	each := func(list string, fill func(at string, item *jsontree.Value)) {
		field{path: list + "/*"}.each(e.root, func(pointer string) {
			if item := e.root.At(pointer); item.Kind == jsontree.Object {
				fill(pointer, item)
			}
		})
	}
	each(artifacts, func(at string, item *jsontree.Value) {
		if file := textAt(item, "/path"); file != "" {
			fill(e, at+"/name", jsontree.NewString(path.Base(file)))
			fill(e, at+"/type", jsontree.NewString(TypeOf(file)))
		}
	})
	each(events, func(at string, _ *jsontree.Value) {
		if source := textAt(e.root, "/handoff/source/skill"); source != "" {
			fill(e, at+"/workflow", jsontree.NewString(source))
		}
	})
}
