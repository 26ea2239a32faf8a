package schema

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/schema/jsonschema"
	"github.com/seed-78daf238/handoff/schema/jsonschema/kind"
)

// leaves appends a fault for every leaf of the library's error tree, which has a random order. A choice (anyOf)
// is a leaf, since the errors of its branches would confuse.
func (s schema) leaves(e *jsonschema.ValidationError, faults []fault.Fault) []fault.Fault {
	pointer := pointerOf(e.InstanceLocation)
	node := s.node(e.SchemaURL)
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		for _, name := range k.Missing {
			faults = append(faults, fault.Fault{Pointer: fault.Pointer(pointer, name),
				Problem: fmt.Sprintf("required field %q is missing", name), Hint: describe(property(node, name))})
		}
		return faults
	case *kind.AdditionalProperties:
		for _, name := range k.Properties {
			faults = append(faults, fault.Fault{Pointer: fault.Pointer(pointer, name),
				Problem: "unknown field " + fault.Quote(name), Hint: "known are " +
					strings.Join(properties(node), ", ")})
		}
		return faults
	case *kind.AnyOf:
		return append(faults, fault.Fault{Pointer: pointer,
			Problem: "the value matches none of the allowed forms, or several", Hint: describe(node)})
	}
	if len(e.Causes) == 0 {
		return append(faults, fault.Fault{Pointer: pointer, Problem: sentence(e.ErrorKind, text(node, "title")),
			Hint: describe(node)})
	}
	for _, cause := range e.Causes {
		faults = s.leaves(cause, faults)
	}
	return faults
}

// node returns the subschema that a URL of the library points to, or nil.
func (s schema) node(url string) any {
	_, fragment, _ := strings.Cut(url, "#")
	node := s.source
	for _, token := range strings.Split(fragment, "/")[1:] {
		object, ok := node.(map[string]any)
		if !ok {
			return nil
		}
		node = object[fault.PointerName(strings.ReplaceAll(token, "%25", "%"))]
	}
	return node
}

// describe returns the description of a subschema, which is the hint for its faults. It is in the schema file, so
// that other programs can show it too.
func describe(node any) string { return text(node, "description") }

// text returns the text of a keyword of a subschema, or "".
func text(node any, keyword string) string {
	object, _ := node.(map[string]any)
	text, _ := object[keyword].(string)
	return text
}

// property returns the subschema of a member, or nil.
func property(node any, name string) any {
	object, _ := node.(map[string]any)
	all, _ := object["properties"].(map[string]any)
	return all[name]
}

// properties returns the known names of an object's members, sorted.
func properties(node any) []string {
	object, _ := node.(map[string]any)
	all, _ := object["properties"].(map[string]any)
	return slices.Sorted(maps.Keys(all))
}

// pointerOf returns the JSON pointer for the tokens of the library.
func pointerOf(location []string) string {
	pointer := ""
	for _, token := range location {
		pointer = fault.Pointer(pointer, token)
	}
	return pointer
}
