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

// Machine is the scope of settings for everybody on a machine.
const Machine Scope = 2

// A layer is a file that has a say in whether an agent runs hooks. What a later one says counts.
type layer struct {
	scope Scope
	path  string // as the paths of an Agent; absolute for Machine
	env   string // the variable that names another file, for Machine
}

// scopeOf returns the scope that the table calls by a name.
func scopeOf(name string) Scope {
	return Scope(slices.Index([]string{"user", "project", "machine"}, name))
}

// layers returns those of the table.
func (a Agent) layers() (all []layer) {
	for _, line := range a.lines["layer"] {
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

// values are what the layers of an agent say: for each file the values of each key.
type values struct {
	path  string
	scope Scope
	of    map[string][]string
}

// read reads the layers that are there. What cannot be understood is ErrConfig.
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

// understand reads a file of settings in the form that its name says.
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
		return nil, refuse("mend it", "%s: line %d: this is not TOML", file, line)
	}
	return table, nil
}

// add adds what a value says, by keys whose parts are joined by points.
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
	case []map[string]any: // tables of TOML
		for _, item := range said {
			v.add(key, item)
		}
	default:
		v.of[key] = append(v.of[key], fmt.Sprint(said))
	}
}

// readSettings reads a file of settings, behind symbolic links.
func readSettings(path string) ([]byte, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, refuse("mend the link", "%s leads nowhere: %v", path, err)
	}
	d, err := disk.OpenDir(filepath.Dir(real))
	if err != nil {
		return nil, refuse("", "cannot read %s: %v", path, err)
	}
	defer d.Close()
	src, err := d.ReadFile(filepath.Base(real), maxSettings)
	if err != nil {
		return nil, refuse("", "cannot read %s: %v", path, err)
	}
	return src, nil
}

// off says which layer turns all hooks off, "" if none does.
func (a Agent) off(layers []values) string {
	for _, line := range a.lines["off"] {
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

// offAlone says which layer turns off the hook that runs a line, "" if none does.
func (a Agent) offAlone(layers []values, line string) string {
	for _, v := range layers {
		if slices.Contains(v.of["hooksConfig.disabled"], line) {
			return handoff.EscapeLine(v.path) + " has the hook in hooksConfig.disabled: it does not run"
		}
	}
	return ""
}

// pluginsOn returns the layers that switch a plugin of ours on, each the one that has the last word on it.
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
