package operators

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/document"
)

// MaxBytes is the maximum size of the frontmatter.
const MaxBytes = 1 << 20

// maxNodes is more than the number of nodes in MaxBytes of valid operators.
const maxNodes = 200_000

var (
	fileKeys     = []string{"schema_version", "operators", "policies", "teams"}
	teamKeys     = []string{"id", "members"}
	policyKeys   = []string{"from", "to", "approve"}
	operatorKeys = []string{
		"id", "display_name", "github_handle", "git_email", "capabilities", "active_since",
		"active_until", "gpg_key_fingerprint", "ssh_keys", "require_signature",
	}
	sshKeyKeys = []string{"key", "valid_after", "valid_before"}
)

// Parse parses the YAML frontmatter of an operators file, without its delimiter lines. firstLine is the number of its
// first line in the file. It returns either a list, or all faults sorted by line.
func Parse(head []byte, firstLine int) (*List, []fault.Fault) {
	root, faults := document.ReadYAML(head, document.YAMLOptions{Name: "the frontmatter", Line: firstLine,
		MaxBytes: MaxBytes, MaxNodes: maxNodes})
	r := &reader{faults}
	list := &List{operators: []Operator{}}
	switch {
	case root == nil && len(faults) > 0:
	case root == nil:
		r.fault(&document.Node{Line: firstLine, Column: 1}, "the frontmatter is empty; it needs the keys %s",
			strings.Join(fileKeys[:2], ", "))
	default:
		list = r.file(root)
	}
	if len(r.faults) > 0 {
		fault.Sort(r.faults)
		return nil, r.faults
	}
	return list, nil
}

type reader struct {
	faults []fault.Fault
}

// fault adds a fault of a node, unless it has a fault already.
func (r *reader) fault(at *document.Node, format string, args ...any) {
	if at.Faulty {
		return
	}
	r.faults = append(r.faults, fault.Fault{Line: at.Line, Column: at.Column, Problem: fmt.Sprintf(format, args...)})
}

func (r *reader) file(root *document.Node) *List {
	m := r.mapping(root, "the frontmatter", fileKeys)
	m.text("schema_version", version, "!!float", "!!int")
	l := &List{operators: m.operators()}
	if m.values["policies"] != nil {
		for i, n := range m.list("policies") {
			p := r.mapping(n, fmt.Sprintf("policies[%d]", i), policyKeys)
			l.policies = append(l.policies, Policy{p.text("from", party), p.text("to", party),
				p.text("approve", approval) == approvalRequired})
		}
	}
	if m.values["teams"] != nil {
		l.teams = m.teams(l)
	}
	return l
}

func (m mapping) operators() []Operator {
	list := []Operator{}
	lines := map[string]int{}
	for i, n := range m.list("operators") {
		o := m.operator(n, fmt.Sprintf("operators[%d]", i))
		if o.ID == document.Next {
			m.fault(n, "%q means whoever works here next; choose another id", o.ID)
		}
		if first, repeated := lines[o.ID]; repeated && o.ID != "" {
			m.fault(n, "operator %q is already on line %d; ids must differ", o.ID, first)
			continue
		}
		lines[o.ID] = n.Line
		list = append(list, o)
	}
	return list
}

func (r *reader) operator(n *document.Node, name string) Operator {
	m := r.mapping(n, name, operatorKeys)
	if m.values == nil {
		return Operator{}
	}
	o := Operator{
		ID:             m.text("id", slug),
		DisplayName:    m.optional("display_name", line),
		GitHubHandle:   m.optional("github_handle", word),
		GitEmail:       m.optional("git_email", email),
		Capabilities:   []string{},
		ActiveSince:    m.optional("active_since", when, "!!timestamp"),
		ActiveUntil:    m.optional("active_until", when, "!!timestamp"),
		GPGFingerprint: m.optional("gpg_key_fingerprint", key),
		Require:        m.optional("require_signature", policy),
	}
	if o.Require == "none" {
		o.Require = ""
	}
	if m.values["capabilities"] != nil {
		o.Capabilities = m.words("capabilities")
	}
	if m.values["ssh_keys"] != nil {
		o.SSHKeys = m.sshKeys()
	}
	since, _, started := span(o.ActiveSince)
	if started && o.Offboarded(since) {
		r.fault(m.values["active_until"], "%s: active_until %s is before active_since %s", name, o.ActiveUntil,
			o.ActiveSince)
	}
	return o
}

func (m mapping) sshKeys() (keys []SSHKey) {
	for i, n := range m.list("ssh_keys") {
		k := m.mapping(n, fmt.Sprintf("%s: ssh_keys[%d]", m.name, i), sshKeyKeys)
		one := SSHKey{Key: k.text("key", sshKey)}
		for name, value := range map[string]*string{"valid_after": &one.ValidAfter, "valid_before": &one.ValidBefore} {
			*value = k.optional(name, when, "!!timestamp")
		}
		keys = append(keys, one)
	}
	return keys
}

// A mapping is a YAML mapping with known keys, and its name in messages.
type mapping struct {
	*reader
	name   string
	node   *document.Node
	values map[string]*document.Node // without null values; nil if the node is not a mapping
}

func (r *reader) mapping(n *document.Node, name string, known []string) mapping {
	m := mapping{reader: r, name: name, node: n}
	if n.Kind != document.Mapping {
		r.fault(n, "%s must be a mapping with the keys %s", name, strings.Join(known, ", "))
		return m
	}
	m.values = map[string]*document.Node{}
	for _, member := range n.Members {
		switch k := member.Key; {
		case !slices.Contains(known, k.Text):
			r.fault(k, "%s has the unknown key %s; known are %s", name, fault.Quote(k.Text), strings.Join(known, ", "))
		case member.Value.Tag != "!!null":
			m.values[k.Text] = member.Value
		}
	}
	return m
}

// required returns the value of a key. If it is missing, it adds a fault and returns nil. For a node that is not a
// mapping it adds no more faults.
func (m mapping) required(key string) *document.Node {
	n := m.values[key]
	if n == nil && m.values != nil {
		m.fault(m.node, "%s has no %s; add it", m.name, key)
	}
	return n
}

// text returns the source text of a required string. Unquoted text with another YAML type is accepted only if its tag
// is among others.
func (m mapping) text(key string, s shape, others ...string) string {
	n := m.required(key)
	if n == nil {
		return ""
	}
	return m.scalar(n, m.name+": "+key, s, others...)
}

// optional is like text for an optional key.
func (m mapping) optional(key string, s shape, others ...string) string {
	if m.values[key] == nil {
		return ""
	}
	return m.text(key, s, others...)
}

func (m mapping) scalar(n *document.Node, name string, s shape, others ...string) string {
	switch {
	case n.Kind != document.Scalar:
		m.fault(n, "%s must be %s, not a list or a mapping", name, s.want)
	case n.Tag != "!!str" && !slices.Contains(others, n.Tag):
		m.fault(n, "%s: YAML does not read %s as text; write it in quotes", name, fault.Quote(n.Text))
	case !s.fits(n.Text):
		given := fault.Quote(n.Text)
		if strings.Contains(n.Text, "PRIVATE KEY") {
			given = "a private key" // a message ends up in logs
		}
		m.fault(n, "%s must be %s, not %s", name, s.want, given)
	default:
		return n.Text
	}
	return ""
}

func (m mapping) list(key string) []*document.Node {
	n := m.required(key)
	if n == nil {
		return nil
	}
	if n.Kind != document.List {
		m.fault(n, "%s: %s must be a list", m.name, key)
	}
	return n.Items
}

func (m mapping) words(key string) []string {
	words := []string{}
	for i, n := range m.list(key) {
		words = append(words, m.scalar(n, fmt.Sprintf("%s: %s[%d]", m.name, key, i), line))
	}
	return words
}
