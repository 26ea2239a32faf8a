package operators

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
)

// Add returns the head of an operators file with one operator more, as an entry at the end of the
// list. Nothing else of the head is changed; "" makes a new one. An operator who is there already, or
// whose fields are not what Parse takes, is ErrInvalid; a head that is written in a way that leaves no
// place for an entry is ErrConfig.
func Add(head string, o Operator) (string, error) {
	const fresh = "schema_version: '1.0'\noperators:\n"
	if _, faults := Parse([]byte(fresh+entry(o, "  ")), 2); len(faults) > 0 {
		return "", fault.New(fault.ErrInvalid, "", "%s", faults[0].Problem)
	}
	if head == "" {
		head = fresh
	}
	old, faults := Parse([]byte(head), 2)
	switch {
	case strings.HasSuffix(head, "operators:\n") && len(faults) == 1: // a list of nobody
		old = &List{}
	case len(faults) > 0:
		return "", fault.New(fault.ErrConfig, "mend the file; `handoff operators validate` shows every fault", "the operators file: %s", faults[0])
	}
	if old.Has(o.ID) {
		return "", fault.New(fault.ErrInvalid, "change the entry in an editor", "%q is in the operators file already", o.ID)
	}
	at, indent := end(head)
	longer := head[:at] + entry(o, indent) + head[at:]
	if grown, faults := Parse([]byte(longer), 2); len(faults) == 0 && reflect.DeepEqual(grown.All(), append(old.All(), o)) {
		return longer, nil
	}
	return "", fault.New(fault.ErrConfig, "add it in an editor:\n"+entry(o, "  "), "the operators file has no list with an entry on each line that begins with a dash")
}

// end returns where the list of operators ends, and how far its entries are indented.
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

// entry is an operator as OPERATORS.md lists it.
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
		if known[1] != "" { // nothing is made up
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
