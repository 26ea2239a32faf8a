package agent

import (
	"path"
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

// wanted returns the slots that a command fills.
func (sh sheet) wanted(c Command) []slot {
	return slices.DeleteFunc(slices.Clone(sh.slots), func(sl slot) bool { return sl.event == server && !c.Server })
}

// find returns our entries for a slot.
func (a Agent) find(sl slot, file string, text []byte) (all []found, err error) {
	switch path.Ext(file) {
	case ".js":
		return inScript(sl, file, text)
	case ".toml":
		said, err := understand(file, text)
		if err != nil {
			return nil, err
		}
		tables, _ := said.(map[string]any)[sl.name].(map[string]any)
		if tables[serverName] == nil {
			return nil, nil
		}
		entry, err := jsontree.Scan(jsontree.Encode(tables[serverName], ""))
		if words := commandWords(entry); err == nil && ourEvent(words) == server {
			all = []found{{words: words}}
		}
		return all, err
	}
	s, err := a.parse(sl, file, text)
	return s.ours, err
}

// writeTable returns settings in TOML with our table, or without it and its subtables if words is nil. A table that is
// already there gets our values and keeps its other lines. Comments outside of the table stay. If the other values
// would change, it refuses.
func (a Agent) writeTable(file, text string, sl slot, words []string) ([]byte, error) {
	ours, err := a.find(sl, file, []byte(text))
	if err != nil {
		return nil, err
	}
	servers := sl.name
	header, table := "["+servers+"."+serverName, ""
	var names []string
	if words != nil {
		table = header + "]\n"
		for _, m := range a.entry(server, words).Members {
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
	if put && len(ours) == 0 {
		return nil, refuse("rename it; nothing was changed", "%s: another server has the name %s", file, serverName)
	}
	old, _ := understand(file, []byte(text))
	said, err := understand(file, []byte(out))
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
		return nil, refuse("make the change by hand", "%s: the table %s] cannot be changed alone", file, header)
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
