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
	operatorKeys = []string{
		"id", "display_name", "github_handle", "git_email", "capabilities", "active_since",
		"active_until", "ssh_keys", "require_signature",
	}
)

// Read parses the text of an operators file. The error is fault.ErrConfig, with the place of the first fault.
func Read(path string, text []byte) (*List, error) {
	l, faults := ParseFile(text)
	if len(faults) > 0 {
		return nil, fault.At(path, faults[0].Line, fault.Config(
			"fix the file; `handoff operators validate` lists all faults", "%s: %s", path, faults[0]))
	}
	return l, nil
}

// ParseFile parses the text of an operators file. It returns either a list, or all faults sorted by line.
func ParseFile(text []byte) (*List, []fault.Fault) {
	head, _, bad := document.Split(text)
	if bad != nil {
		return nil, []fault.Fault{*bad}
	}
	return Parse(head)
}

// Parse is like ParseFile for the YAML frontmatter, without its delimiter lines.
func Parse(head []byte) (*List, []fault.Fault) {
	file, root := document.ReadFile(head, document.YAMLOptions{Name: "the frontmatter", Line: 2,
		MaxBytes: MaxBytes, MaxNodes: maxNodes}, fileKeys...)
	root.Text("schema_version", version, "!!float", "!!int")
	l := newList(operatorsOf(root), nil)
	if n := root.Values["teams"]; n != nil {
		l.teams = l.teamsOf(root, n)
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
	if m.Values["capabilities"] != nil {
		o.Capabilities = m.Texts("capabilities", line)
	}
	if m.Values["ssh_keys"] != nil {
		for i, n := range m.List("ssh_keys") {
			k := m.Entries(n, fmt.Sprintf("%s: ssh_keys[%d]", m.Name, i), "key")
			o.SSHKeys = append(o.SSHKeys, SSHKey{k.Text("key", sshKey)})
		}
	}
	since, _, started := span(o.ActiveSince)
	if started && o.Offboarded(since) {
		m.Fault(m.Values["active_until"], "%s: active_until %s is before active_since %s", m.Name, o.ActiveUntil,
			o.ActiveSince)
	}
	return o
}

// teamsOf parses the teams. Their members must be operators of l.
func (l *List) teamsOf(root document.Entries, n *document.Node) map[string][]string {
	if n.Kind != document.Mapping {
		root.Fault(n, "teams must be a mapping such as web: [ann, ben]")
	}
	teams := map[string][]string{}
	for _, m := range n.Members {
		id := root.Scalar(m.Key, "the name of a team", slug)
		switch {
		case l.Has(id):
			root.Fault(m.Key, "team %q is an operator too; rename one of them", id)
		case id == document.Next:
			root.Fault(m.Key, "a team cannot have the name next; choose another name")
		case len(m.Value.Items) == 0:
			root.Fault(m.Value, "team %q has no list of members; add one", id)
		}
		for _, item := range m.Value.Items {
			member := root.Scalar(item, "a member of team "+id, slug)
			if member != "" && !l.Has(member) {
				root.Fault(item, "team %q: %s is not an operator of this file%s", id, fault.Quote(member),
					l.suggestion(member))
			}
			teams[id] = append(teams[id], member)
		}
	}
	return teams
}
