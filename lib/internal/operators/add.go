package operators

import (
	"reflect"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
)

// Add returns the frontmatter of an operators file with an additional entry at the end of the list. The rest does not
// change. "" means a new file. The error is ErrInvalid if the operator is already there, or if a field is invalid. It
// is ErrConfig if the layout of the frontmatter has no place for an entry.
func Add(head string, o Operator) (string, error) {
	const fresh = "schema_version: '1.0'\noperators:\n"
	alone, faults := Parse([]byte(fresh + entry(o, "  ")))
	switch {
	case len(faults) > 0:
		return "", fault.Invalid("", "%s", faults[0].Problem)
	case !reflect.DeepEqual(alone.All(), []Operator{o}):
		return "", fault.Invalid("write it on one line", "a value has a line break")
	}
	if head == "" {
		head = fresh
	}
	old, faults := Parse([]byte(head))
	if _, isTeam := old.Team(o.ID); isTeam || old.Has(o.ID) {
		return "", fault.Invalid("change the entry in an editor", "%q is a team, or in the operators file already",
			o.ID)
	}
	at, indent := end(head)
	longer := head[:at] + entry(o, indent) + head[at:]
	if grown, bad := Parse([]byte(longer)); bad == nil && reflect.DeepEqual(grown.All(), append(old.All(), o)) {
		return longer, nil
	}
	if len(faults) > 0 {
		return "", fault.Config("fix the file; `handoff operators validate` lists all faults",
			"the operators file: %s", faults[0])
	}
	return "", fault.Config("add it in an editor; `handoff operators --help` shows an entry",
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
		case in && !strings.ContainsAny(line[:1], " -#\n"):
			return at, indent
		}
		at += len(line)
	}
	return at, indent
}

// entry returns an operator as YAML. Unknown values are omitted.
func entry(o Operator, indent string) string {
	quoted := func(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
	capabilities := strings.ReplaceAll(quoted(strings.Join(o.Capabilities, "\n")), "\n", "', '")
	text := indent + "- id: " + quoted(o.ID) + "\n"
	indent += "  "
	for _, line := range []string{"display_name: " + quoted(o.DisplayName), "github_handle: " + quoted(o.GitHubHandle),
		"git_email: " + quoted(o.GitEmail), "capabilities: [" + capabilities + "]", "active_since: " + o.ActiveSince} {
		if !strings.HasSuffix(line, ": ''") {
			text += indent + line + "\n"
		}
	}
	if len(o.SSHKeys) > 0 {
		text += indent + "ssh_keys:\n"
	}
	for _, k := range o.SSHKeys {
		text += indent + "  - key: " + quoted(k.Key) + "\n"
	}
	return text
}
