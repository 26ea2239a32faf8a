package operators

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

var (
	fileKeys     = []string{"schema_version", "operators"}
	operatorKeys = []string{
		"id", "display_name", "github_handle", "git_email", "capabilities", "active_since",
		"active_until", "gpg_key_fingerprint",
	}
)

// A mapping is a YAML mapping whose keys are known and unique, with what messages call it.
type mapping struct {
	*reader
	name   string
	line   int
	values map[string]*yaml.Node // without those that are null
}

func (r *reader) file(root *yaml.Node) []Operator {
	m := r.mapping(root, "the frontmatter", fileKeys)
	m.text("schema_version", version, "!!float", "!!int")
	list := []Operator{}
	lines := map[string]int{}
	for i, n := range m.list("operators") {
		o := r.operator(n, fmt.Sprintf("operators[%d]", i))
		if first, repeated := lines[o.ID]; repeated && o.ID != "" {
			r.fault(n.Line, "operator %q is already on line %d; ids must differ", o.ID, r.before+first)
			continue
		}
		lines[o.ID] = n.Line
		list = append(list, o)
	}
	return list
}

func (r *reader) operator(n *yaml.Node, name string) Operator {
	m := r.mapping(n, name, operatorKeys)
	if m.values == nil {
		return Operator{}
	}
	o := Operator{
		ID:           m.text("id", slug),
		DisplayName:  m.text("display_name", line),
		GitHubHandle: m.text("github_handle", word),
		GitEmail:     m.text("git_email", email),
		Capabilities: m.words("capabilities"),
		ActiveSince:  m.text("active_since", when, "!!timestamp"),
	}
	if m.values["active_until"] != nil {
		o.ActiveUntil = m.text("active_until", when, "!!timestamp")
	}
	if m.values["gpg_key_fingerprint"] != nil {
		o.GPGFingerprint = m.text("gpg_key_fingerprint", key)
	}
	since, _, started := span(o.ActiveSince)
	if started && o.Offboarded(since) {
		r.fault(m.values["active_until"].Line, "%s: active_until %s is before active_since %s", name, o.ActiveUntil, o.ActiveSince)
	}
	return o
}

// mapping reports unknown and repeated keys of n. Its values are nil when n is no mapping.
func (r *reader) mapping(n *yaml.Node, name string, known []string) mapping {
	m := mapping{r, name, n.Line, nil}
	if n.Kind != yaml.MappingNode {
		r.fault(n.Line, "%s must be a mapping with the keys %s", name, strings.Join(known, ", "))
		return m
	}
	m.values = map[string]*yaml.Node{}
	lines := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		first, repeated := lines[k.Value]
		switch {
		case k.Kind != yaml.ScalarNode || !slices.Contains(known, k.Value):
			r.fault(k.Line, "%s has the unknown key %.80q; known are %s", name, k.Value, strings.Join(known, ", "))
			continue
		case repeated:
			r.fault(k.Line, "%s has the key %q already on line %d; keep one", name, k.Value, r.before+first)
			continue
		case v.Kind != yaml.ScalarNode || v.ShortTag() != "!!null":
			m.values[k.Value] = v
		}
		lines[k.Value] = k.Line
	}
	return m
}

// required returns the value of a key, or nil after reporting that it is missing. Nothing more is
// reported of what is no mapping at all.
func (m mapping) required(key string) *yaml.Node {
	n := m.values[key]
	if n == nil && m.values != nil {
		m.fault(m.line, "%s has no %s; add it", m.name, key)
	}
	return n
}

// text returns the source text of a required string. Unquoted text that YAML reads as something
// else is taken only if its tag is among others.
func (m mapping) text(key string, s shape, others ...string) string {
	n := m.required(key)
	if n == nil {
		return ""
	}
	return m.scalar(n, m.name+": "+key, s, others...)
}

func (m mapping) scalar(n *yaml.Node, name string, s shape, others ...string) string {
	tag := n.ShortTag()
	switch {
	case n.Kind != yaml.ScalarNode:
		m.fault(n.Line, "%s must be %s, not a list or a mapping", name, s.want)
	case tag != "!!str" && !slices.Contains(others, tag):
		m.fault(n.Line, "%s: YAML does not read %.80q as text; write it in quotes", name, n.Value)
	case !s.fits(n.Value):
		m.fault(n.Line, "%s must be %s, not %.80q", name, s.want, n.Value)
	default:
		return n.Value
	}
	return ""
}

func (m mapping) list(key string) []*yaml.Node {
	n := m.required(key)
	if n == nil {
		return nil
	}
	if n.Kind != yaml.SequenceNode {
		m.fault(n.Line, "%s: %s must be a list", m.name, key)
		return nil
	}
	return n.Content
}

func (m mapping) words(key string) []string {
	words := []string{}
	for i, n := range m.list(key) {
		words = append(words, m.scalar(n, fmt.Sprintf("%s: %s[%d]", m.name, key, i), line))
	}
	return words
}
