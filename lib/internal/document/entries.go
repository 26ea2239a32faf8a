package document

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
)

// A YAMLFile is a file of mappings with known keys, such as OPERATORS.md. It collects its faults.
type YAMLFile struct{ Faults []fault.Fault }

// ReadFile returns a file and its root. An empty text is read as a mapping without keys. What follows a fault can be
// read like the rest, and causes no more faults. Lines must end in LF.
func ReadFile(text []byte, o YAMLOptions, known ...string) (*YAMLFile, Entries) {
	root, faults := ReadYAML(text, o)
	if root == nil {
		root = &Node{Kind: Mapping, Line: max(o.Line, 1), Column: 1, Faulty: len(faults) > 0}
	}
	f := &YAMLFile{faults}
	return f, f.Entries(root, o.Name, known...)
}

// Fault adds a fault of a node, unless it has a fault already.
func (f *YAMLFile) Fault(at *Node, format string, args ...any) {
	if !at.Faulty {
		f.Faults = append(f.Faults, fault.Fault{Line: at.Line, Column: at.Column,
			Problem: fmt.Sprintf(format, args...)})
	}
}

// A Form is the form of the text of a field.
type Form struct {
	Fits func(string) bool
	Want string
}

// Entries are the entries of a mapping.
type Entries struct {
	*YAMLFile
	Name   string // of the mapping, in messages
	Node   *Node
	Values map[string]*Node // without null values
}

// Entries returns the entries of a node, which must be a mapping with only known keys.
func (f *YAMLFile) Entries(n *Node, name string, known ...string) Entries {
	e := Entries{f, name, n, map[string]*Node{}}
	keys := strings.Join(known, ", ")
	if n.Kind != Mapping {
		f.Fault(n, "%s must be a mapping with the keys %s", name, keys)
		e.Node = &Node{Faulty: true}
	}
	for _, m := range n.Members {
		switch {
		case !slices.Contains(known, m.Key.Text):
			f.Fault(m.Key, "%s has the unknown key %s; known are %s", name, fault.Quote(m.Key.Text), keys)
		case m.Value.Tag != "!!null":
			e.Values[m.Key.Text] = m.Value
		}
	}
	return e
}

// Required returns the value of a key. If it is missing, it adds a fault and returns a faulty node.
func (e Entries) Required(key string) *Node {
	if n := e.Values[key]; n != nil {
		return n
	}
	e.Fault(e.Node, "%s has no %s; add it", e.Name, key)
	return &Node{Faulty: true}
}

// Text returns the source text of a required string, or "" if it has a fault. Unquoted text with another YAML type is
// accepted only if its tag is among others.
func (e Entries) Text(key string, form Form, others ...string) string {
	return e.Scalar(e.Required(key), e.Name+": "+key, form, others...)
}

// Optional is like Text for an optional key.
func (e Entries) Optional(key string, form Form, others ...string) string {
	if e.Values[key] == nil {
		return ""
	}
	return e.Text(key, form, others...)
}

// Scalar is like Text for any node, with its name in messages.
func (f *YAMLFile) Scalar(n *Node, name string, form Form, others ...string) string {
	switch {
	case n.Kind != Scalar:
		f.Fault(n, "%s must be %s, not a list or a mapping", name, form.Want)
	case n.Tag != "!!str" && !slices.Contains(others, n.Tag):
		f.Fault(n, "%s: YAML does not read %s as text; write it in quotes", name, fault.Quote(n.Text))
	case !form.Fits(n.Text):
		given := fault.Quote(n.Text)
		if strings.Contains(n.Text, "PRIVATE KEY") {
			given = "a private key" // a message ends up in logs
		}
		f.Fault(n, "%s must be %s, not %s", name, form.Want, given)
	default:
		return n.Text
	}
	return ""
}

// List returns the items of a required list.
func (e Entries) List(key string) []*Node {
	n := e.Required(key)
	if n.Kind != List {
		e.Fault(n, "%s: %s must be a list", e.Name, key)
	}
	return n.Items
}

// Texts returns the items of a required list of strings.
func (e Entries) Texts(key string, form Form) []string {
	texts := []string{}
	for i, n := range e.List(key) {
		texts = append(texts, e.Scalar(n, fmt.Sprintf("%s: %s[%d]", e.Name, key, i), form))
	}
	return texts
}
