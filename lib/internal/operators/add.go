package operators

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
)

// Add returns the frontmatter of an operators file with an additional entry at the end of the list. The rest does not
// change. "" means a new file. The error is ErrInvalid if the operator is already there, or if a field is invalid. It
// is ErrConfig if the layout of the frontmatter has no place for an entry.
func Add(head string, o Operator) (string, error) {
	const fresh = "schema_version: '1.0'\noperators:\n"
	alone, faults := Parse([]byte(fresh+entry(o, "  ")), 2)
	switch {
	case len(faults) > 0:
		return "", fault.Invalid("", "%s", faults[0].Problem)
	case !reflect.DeepEqual(alone.All(), []Operator{o}):
		return "", fault.Invalid("write it on one line", "a value has a line break")
	}
	if head == "" {
		head = fresh
	}
	old, faults := Parse([]byte(head), 2)
	switch {
	case strings.HasSuffix(head, "operators:\n") && len(faults) == 1: // an empty list
		old = &List{}
	case len(faults) > 0:
		return "", fault.Config("fix the file; `handoff operators validate` lists all faults",
			"the operators file: %s", faults[0])
	}
	if old.Has(o.ID) {
		return "", fault.Invalid("change the entry in an editor", "%q is in the operators file already",
			o.ID)
	}
	if _, isTeam := old.Team(o.ID); isTeam {
		return "", fault.Invalid("choose another name", "%q is a team in the operators file", o.ID)
	}
	at, indent := end(head)
	longer := head[:at] + entry(o, indent) + head[at:]
	if grown, faults := Parse([]byte(longer), 2); len(faults) == 0 &&
		reflect.DeepEqual(grown.All(), append(old.All(), o)) {
		return longer, nil
	}
	return "", fault.Config("add it in an editor; `handoff help operators` shows an entry",
		"the operators file has no list with an entry on each line that begins with a dash")
}

// end returns the offset of the end of the list of operators, and the indent of its entries.
func end(head string) (at int, indent string) {
	indent = "  "
	in, first := false, true
	for line := range strings.Lines(head) {
		rest := strings.TrimLeft(line, " ")
		switch {
		case strings.HasPrefix(line, "operators:"):
			in = true
		case in && first && strings.HasPrefix(rest, "- "):
			indent, first = line[:len(line)-len(rest)], false
		case in && rest == line && strings.TrimSpace(line) != "" && line[0] != '#' && line[0] != '-':
			return at, indent
		}
		at += len(line)
	}
	return at, indent
}

// entry returns an operator as YAML.
func entry(o Operator, indent string) string {
	quoted := func(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
	var capabilities []string
	for _, c := range o.Capabilities {
		capabilities = append(capabilities, quoted(c))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s- id: %s\n", indent, quoted(o.ID))
	line := func(key, value string) { fmt.Fprintf(&b, "%s  %s: %s\n", indent, key, value) }
	line("display_name", quoted(o.DisplayName))
	for _, known := range [][2]string{{"github_handle", o.GitHubHandle}, {"git_email", o.GitEmail}} {
		if known[1] != "" { // unknown values are omitted
			line(known[0], quoted(known[1]))
		}
	}
	line("capabilities", "["+strings.Join(capabilities, ", ")+"]")
	line("active_since", o.ActiveSince)
	if len(o.SSHKeys) > 0 {
		b.WriteString(indent + "  ssh_keys:\n")
	}
	for _, k := range o.SSHKeys {
		fmt.Fprintf(&b, "%s    - key: %s\n", indent, quoted(k.Key))
	}
	return b.String()
}
