package operators

import (
	"fmt"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/document"
)

// MaxBytes is the maximum size of the frontmatter.
const MaxBytes = 1 << 20

// maxNodes is more than the number of nodes in MaxBytes of valid operators.
const maxNodes = 200_000

var (
	fileKeys     = []string{"schema_version", "operators", "teams"}
	teamKeys     = []string{"id", "members"}
	operatorKeys = []string{
		"id", "display_name", "github_handle", "git_email", "capabilities", "active_since",
		"active_until", "ssh_keys", "require_signature",
	}
)

// Parse parses the YAML frontmatter of an operators file, without its delimiter lines. firstLine is the number of its
// first line in the file. It returns either a list, or all faults sorted by line.
func Parse(head []byte, firstLine int) (*List, []fault.Fault) {
	file, root := document.ReadFile(head, document.YAMLOptions{Name: "the frontmatter", Line: firstLine,
		MaxBytes: MaxBytes, MaxNodes: maxNodes}, fileKeys...)
	root.Text("schema_version", version, "!!float", "!!int")
	l := &List{operators: operatorsOf(root)}
	if root.Values["teams"] != nil {
		l.teams = teamsOf(root, l)
	}
	if len(file.Faults) > 0 {
		fault.Sort(file.Faults)
		return nil, file.Faults
	}
	return l, nil
}

func operatorsOf(root document.Entries) []Operator {
	list := []Operator{}
	lines := map[string]int{}
	for i, n := range root.List("operators") {
		o := operator(root.Entries(n, fmt.Sprintf("operators[%d]", i), operatorKeys...))
		if o.ID == document.Next {
			root.Fault(n, "%q means whoever works here next; choose another id", o.ID)
		}
		if first, repeated := lines[o.ID]; repeated && o.ID != "" {
			root.Fault(n, "operator %q is already on line %d; ids must differ", o.ID, first)
			continue
		}
		lines[o.ID] = n.Line
		list = append(list, o)
	}
	return list
}

func operator(m document.Entries) Operator {
	o := Operator{
		ID:           m.Text("id", slug),
		DisplayName:  m.Optional("display_name", line),
		GitHubHandle: m.Optional("github_handle", word),
		GitEmail:     m.Optional("git_email", email),
		Capabilities: []string{},
		ActiveSince:  m.Optional("active_since", when, "!!timestamp"),
		ActiveUntil:  m.Optional("active_until", when, "!!timestamp"),
		Require:      m.Optional("require_signature", policy),
	}
	if o.Require == "none" {
		o.Require = ""
	}
	if m.Values["capabilities"] != nil {
		o.Capabilities = m.Texts("capabilities", line)
	}
	if m.Values["ssh_keys"] != nil {
		o.SSHKeys = sshKeysOf(m)
	}
	since, _, started := span(o.ActiveSince)
	if started && o.Offboarded(since) {
		m.Fault(m.Values["active_until"], "%s: active_until %s is before active_since %s", m.Name, o.ActiveUntil,
			o.ActiveSince)
	}
	return o
}

func sshKeysOf(m document.Entries) (keys []SSHKey) {
	for i, n := range m.List("ssh_keys") {
		k := m.Entries(n, fmt.Sprintf("%s: ssh_keys[%d]", m.Name, i), "key")
		keys = append(keys, SSHKey{Key: k.Text("key", sshKey)})
	}
	return keys
}
