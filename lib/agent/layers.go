package agent

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// Machine is the scope of settings for all users of a machine.
const Machine Scope = 2

// A layer is a settings file that can turn hooks on or off. A later layer overrides an earlier one.
type layer struct {
	scope Scope
	path  string // relative, as in an Agent; absolute for Machine
	env   string // the variable that overrides path, for Machine
}

// scopeOf returns the scope with a name of the table.
func scopeOf(name string) Scope {
	return Scope(slices.Index([]string{"user", "project", "machine"}, name))
}

// layers returns the layers of the table.
func (a Agent) layers() (all []layer) {
	for _, line := range a.all("layer") {
		scope, path, _ := strings.Cut(line, " ")
		l := layer{scope: scopeOf(scope), path: path}
		if of := strings.Split(path, " | "); len(of) > 1 {
			l.path, l.env = of[max(0, slices.Index([]string{"linux", "darwin", "windows"}, runtime.GOOS))],
				strings.Join(of[3:], "")
		}
		all = append(all, l)
	}
	return all
}

// values holds the values of each key in one layer.
type values struct {
	path  string
	scope Scope
	of    map[string][]string
}

// read reads the layers that exist. A file that it cannot parse is ErrConfig.
func (a Agent) read(p Places, layers []layer) (all []values, errs []error) {
	for _, l := range layers {
		base, file := a.place(p, l.scope, l.path)
		if l.scope == Machine {
			base, file = p.System+"/", p.System+l.path
			if p.Getenv != nil && l.env != "" && p.Getenv(l.env) != "" {
				file = p.Getenv(l.env)
			}
		}
		if base == "" || !exists(file) || slices.ContainsFunc(all, func(v values) bool { return v.path == file }) {
			continue
		}
		src, err := readSettings(file)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		v := values{file, l.scope, make(map[string][]string)}
		said, err := understand(file, src)
		if err != nil {
			errs = append(errs, err)
		}
		v.add("", said)
		all = append(all, v)
	}
	return all, errs
}

// understand parses a settings file in the format of its extension.
func understand(file string, src []byte) (said any, err error) {
	if path.Ext(file) != ".toml" {
		root, err := jsontree.Scan(src)
		if err != nil {
			return nil, notJSON(file, err)
		}
		return root.Plain(), nil
	}
	var table map[string]any
	if err := toml.Unmarshal(src, &table); err != nil {
		line := 1
		if at := (toml.ParseError{}); errors.As(err, &at) {
			line = at.Position.Line
		}
		return nil, refuse("fix it", "%s: line %d: this is not TOML", file, line)
	}
	return table, nil
}

// add adds the values in a settings value. The parts of a key are joined by dots.
func (v values) add(key string, said any) {
	switch said := said.(type) {
	case map[string]any:
		for name, value := range said {
			v.add(strings.TrimPrefix(key+"."+name, "."), value)
		}
	case []any:
		for _, item := range said {
			v.add(key, item)
		}
	case []map[string]any: // an array of tables in TOML
		for _, item := range said {
			v.add(key, item)
		}
	default:
		v.of[key] = append(v.of[key], fmt.Sprint(said))
	}
}

// readSettings reads a settings file. It follows symbolic links.
func readSettings(path string) ([]byte, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, refuse("fix the link", "%s is a broken symbolic link: %v", path, err)
	}
	var src []byte
	f, err := disk.OpenPlain(real)
	if err == nil {
		defer f.Close()
		src, err = disk.ReadAll(f, maxSettings)
	}
	if err != nil {
		return nil, refuse("", "cannot read %s: %v", path, err)
	}
	return src, nil
}

// offReason returns which layer turns all hooks off, or "".
func (a Agent) offReason(layers []values) string {
	for _, line := range a.all("off") {
		off := strings.Fields(line)
		key, value, scope := off[0], off[1], scopeOf(off[2])
		said, where := "", ""
		for _, v := range layers {
			if found := v.of[key]; len(found) > 0 && (scope == User || scope == v.scope) {
				said, where = found[len(found)-1], v.path
			}
		}
		if said == value {
			return handoff.EscapeLine(where) + " has " + key + " " + value + ": no hook runs"
		}
	}
	return ""
}

// entryOffReason returns which layer turns off the hook with this line, or "".
func (a Agent) entryOffReason(layers []values, line string) string {
	for _, v := range layers {
		if slices.Contains(v.of["hooksConfig.disabled"], line) {
			return handoff.EscapeLine(v.path) + " has the hook in hooksConfig.disabled: it does not run"
		}
	}
	return ""
}

// pluginsOn returns the layers that enable a plugin of ours. For each plugin it is the last layer that sets it.
func pluginsOn(layers []values) (on []values) {
	last := make(map[string]values)
	for _, v := range layers {
		for key, said := range v.of {
			name, ok := strings.CutPrefix(key, "enabledPlugins.handoff@")
			if !ok {
				name, ok = strings.CutPrefix(key, "plugins.handoff@")
				name, ok = strings.TrimSuffix(name, ".enabled"), ok && strings.HasSuffix(name, ".enabled")
			}
			if ok {
				delete(last, name)
				if said[len(said)-1] == "true" {
					last[name] = v
				}
			}
		}
	}
	for _, v := range last {
		on = append(on, v)
	}
	slices.SortFunc(on, func(a, b values) int { return strings.Compare(a.path, b.path) })
	return on
}
