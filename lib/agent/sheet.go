package agent

import (
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// A sheet is a kind of settings file of an agent, and the places of our entries in it.
type sheet struct {
	paths []string // for the user and for a project
	slots []slot
}

// sheet returns the file of the hooks, or that of the server, which can be the same.
func (a Agent) sheet(ofServer bool) sheet {
	hooks := sheet{[]string{a.get("user"), a.get("project")}, a.slots()}
	servers := a.words("servers")
	one := slot{event: server, name: servers[0]}
	if servers[1] == hooks.paths[User] {
		hooks.slots = append(hooks.slots, one)
	} else if ofServer {
		return sheet{servers[1:], []slot{one}}
	}
	return hooks
}

// OneFile reports whether the agent has its hooks and servers in one file.
func (a Agent) OneFile() bool { return slices.Equal(a.sheet(true).paths, a.sheet(false).paths) }

// readTable finds our server in TOML.
func (s settings) readTable() error {
	said, err := understand(s.path, s.src)
	if err != nil {
		return err
	}
	tables, _ := said.(map[string]any)[s.slots[0].name].(map[string]any)
	entry, err := jsontree.Scan(jsontree.Encode(tables[serverName], ""))
	if words := commandWords(entry); ourEvent(words) == server {
		s.ours[s.slots[0]] = []found{{words: words}}
	}
	return err
}

// writeTable returns settings in TOML with our table, or without it and its subtables if words is nil. A table that is
// already there gets our values and keeps its other lines. Comments outside of the table stay. If the other values
// would change, it refuses.
func (s settings) writeTable(words []string) ([]byte, error) {
	text, servers := string(s.src), s.slots[0].name
	header, table := "["+servers+"."+serverName, ""
	var names []string
	if words != nil {
		table = header + "]\n"
		for _, m := range s.agent.entry(server, words).Members {
			table += m.Name + " = " + m.Value.String() + "\n"
			names = append(names, m.Name)
		}
	}
	out, put := replaceTable(text, header, table, names)
	if !put && text != "" {
		table = strings.Repeat("\n", 2-min(1, strings.Count(text[len(text)-1:], "\n"))) + table
	}
	if !put {
		out += table
	}
	if put && len(s.ours) == 0 {
		return nil, refuse("rename it; nothing was changed", "%s: another server has the name %s", s.path, serverName)
	}
	old, _ := understand(s.path, s.src)
	said, err := understand(s.path, []byte(out))
	isInline := regexp.MustCompile(`(?m)^\s*["']?` + servers + `["']?\s*=`).MatchString(text) // it must stay alone
	for _, all := range []any{old, said} {
		all, _ := all.(map[string]any)
		if tables, _ := all[servers].(map[string]any); tables != nil {
			if delete(tables, serverName); len(tables) == 0 {
				delete(all, servers)
			}
		}
	}
	if err != nil || isInline || !reflect.DeepEqual(old, said) {
		return nil, refuse("make the change by hand", "%s: the table %s] cannot be changed alone", s.path, header)
	}
	return []byte(out), nil
}

// replaceTable replaces the table with a header in a TOML text, and reports whether it was there. Lines of the old
// table that set other names stay. An empty new table removes the old one and its subtables.
func replaceTable(text, header, table string, names []string) (_ string, put bool) {
	var out, notes strings.Builder // notes are the comments that may belong to the next table
	isOurs := false
	for line := range strings.Lines(text) {
		is := strings.TrimSpace(line)
		name, _, _ := strings.Cut(is, "=")
		switch {
		case strings.HasPrefix(is, "["):
			isOurs = strings.HasPrefix(is, header+"]") || strings.HasPrefix(is, header+".")
			out.WriteString(notes.String())
			notes.Reset()
		case isOurs && table == "" && (is == "" || is[0] == '#'):
			notes.WriteString(line)
			continue
		default:
			notes.Reset()
		}
		switch {
		case strings.HasPrefix(is, header+"]"):
			out.WriteString(table)
			put = true
		case !isOurs || table != "" && !slices.Contains(names, strings.TrimSpace(name)):
			out.WriteString(line)
		}
	}
	return out.String() + notes.String(), put
}
