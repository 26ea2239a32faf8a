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
	one := slot{server, servers[0]}
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
	if path.Ext(file) == ".toml" {
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

// writeTable returns settings in TOML with our table, or without it if words is nil. It changes only the lines of the
// table, and keeps comments. If the other values would change, it refuses.
func (a Agent) writeTable(file, text string, sl slot, words []string) ([]byte, error) {
	ours, err := a.find(sl, file, []byte(text))
	if err != nil {
		return nil, err
	}
	servers := sl.name
	header, table := "["+servers+"."+serverName, ""
	if words != nil {
		table = header + "]\n"
		for _, m := range a.entry("server", words).Members {
			table += m.Name + " = " + m.Value.String() + "\n"
		}
	}
	var out strings.Builder
	isOurs, put := false, false
	for line := range strings.Lines(text) {
		switch is := strings.TrimSpace(line); {
		case strings.HasPrefix(is, "["):
			isOurs = strings.HasPrefix(is, header+"]") || strings.HasPrefix(is, header+".")
		case is == "", is[0] == '#':
			isOurs = false
		}
		switch {
		case !isOurs:
			out.WriteString(line)
		case !put:
			out.WriteString(table)
			put = true
		}
	}
	if !put && text != "" {
		table = strings.Repeat("\n", 2-min(1, strings.Count(text[len(text)-1:], "\n"))) + table
	}
	if !put {
		out.WriteString(table)
	}
	if put && len(ours) == 0 {
		return nil, refuse("rename it; nothing was changed", "%s: another server has the name %s", file, serverName)
	}
	old, _ := understand(file, []byte(text))
	said, err := understand(file, []byte(out.String()))
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
	return []byte(out.String()), nil
}
