package universal

import (
	"path"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/fields"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// TypeOf returns the artifact type that a file name suggests.
func TypeOf(name string) string {
	suffix := strings.ToLower(path.Ext(name))
	for kind, all := range known().Suffixes {
		if suffix != "" && slices.Contains(strings.Fields(all), suffix) {
			return kind
		}
	}
	return "code"
}

// rename sets a missing field to the value of a member with a similar name or the same meaning. In an open
// object, it does that only for required fields.
func rename(e *editor, f fields.Field, pointer string) {
	holder, name := e.parent(pointer)
	if e.root.At(pointer) != nil || !holder.Is(jsontree.Object) {
		return
	}
	above := above(pointer)
	if closed := above == "" || above == "/handoff"; !f.Need && !closed {
		return
	}
	for _, m := range holder.Members {
		if at := fault.Pointer(above, m.Name); alike(m.Name, f) && !isField(at) {
			e.remove(at, "renamed to "+name)
			e.set(pointer, m.Value, "renamed from "+form.EscapeLine(m.Name))
			return
		}
	}
}

var bare = strings.NewReplacer("_", "", "-", "", " ", "")

// alike reports whether two names mean the same, or differ only in case, dashes and one letter (two in long
// names).
func alike(name string, f fields.Field) bool {
	a, b := bare.Replace(strings.ToLower(cutTo(name, 40))), bare.Replace(f.Name())
	most := 1
	if len(b) >= 8 {
		most = 2
	}
	near := len(b) > 3 && max(len(a)-len(b), len(b)-len(a)) <= most && form.Edits(a, b) <= most
	return near || slices.Contains(strings.Fields(f.Names), strings.ToLower(name))
}

// wrap moves a record at the root below its key.
func wrap(e *editor) {
	if e.root.Get("handoff") != nil || e.root.Get("schema_type") == nil || e.root.Get("payload") == nil {
		return
	}
	e.set("/handoff", jsontree.NewObject(), "the record needs one key")
	for _, m := range append([]jsontree.Member{}, e.root.Members...) {
		if at := fault.Pointer("/handoff", m.Name); isField(at) {
			e.set(at, m.Value, "moved below handoff")
			e.remove(fault.Pointer("", m.Name), "moved below handoff")
		}
	}
}

// complete fills missing members of list entries from other members, or from the record, and adds the missing prefix
// of checksums.
func complete(e *editor) {
	everywhere(e.root, func(f fields.Field, pointer string) {
		switch f.Path {
		case "/handoff/payload/session/artifacts/*/path":
			if file := textAt(e.root, pointer); file != "" {
				fill(e, above(pointer)+"/name", path.Base(file))
				fill(e, above(pointer)+"/type", TypeOf(file))
			}
		case "/handoff/tracing/events/*/workflow":
			if source := textAt(e.root, "/handoff/source/skill"); source != "" {
				fill(e, pointer, source)
			}
		case "/handoff/payload/session/artifacts/*/checksum": // there is only one algorithm
			given := textAt(e.root, pointer)
			sum := form.IDPrefix + strings.TrimPrefix(strings.ToLower(strings.TrimSpace(given)), form.IDPrefix)
			if form.IsID(sum) && sum != given {
				e.set(pointer, sum, "written as sha256: and lower-case hex digits")
			}
		}
	})
}
