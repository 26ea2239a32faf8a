package agent

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// An Entry is a hook of ours that an agent runs.
type Entry struct {
	Agent   string
	Path    string   // the file that says so
	Words   []string // the command; nil for a plugin, an extension or an example, which bring their own
	Scope   Scope
	Off     string // why the agent does not run it, or ""
	line    string // what the agent gives to a shell, "" if it starts Words itself
	key     string // by which the agent remembers that a person has trusted it
	approve string
}

// Approve returns what a person must have done in the agent for the entry to run, if it cannot be seen
// whether that was done, or "".
func (e Entry) Approve() string { return e.approve }

// Entries returns every hook of ours in the settings of one agent, and the errors of the files that cannot be
// understood. With all it also looks at the other agents' settings that this one runs.
func (a Agent) Entries(p Places, all bool) ([]Entry, []error) {
	layers, errs := a.read(p, a.layers())
	entries, more := a.registered(p)
	entries = append(entries, a.brought(p, layers)...)
	for _, err := range more {
		if !slices.ContainsFunc(errs, func(e error) bool { return e.Error() == err.Error() }) {
			errs = append(errs, err)
		}
	}
	trusted := a.trusts(p)
	for i, e := range entries {
		if e.Off == "" {
			entries[i].Off = cmp.Or(a.off(layers), a.offAlone(layers, cmp.Or(e.line, shell(e.Words))),
				a.untrusted(layers, e, trusted))
		}
		if e.Scope == Project && trusted || a.is("state") {
			entries[i].approve = ""
		}
	}
	for _, name := range a.words("runs") {
		other, err := Find(name)
		if !all || err != nil {
			continue
		}
		more, faults := other.Entries(p, false)
		entries, errs = append(entries, more...), append(errs, faults...)
	}
	return entries, errs
}

// registered returns the hooks in the files that Install changes, and in those beside them.
func (a Agent) registered(p Places) (entries []Entry, errs []error) {
	seen := make(map[string]bool) // the home directory may be the project
	for _, in := range []struct {
		scope Scope
		rel   string
	}{{User, a.get("user")}, {Project, a.get("project")}, {Project, a.get("local")}} {
		base, path := a.place(p, in.scope, in.rel)
		if in.rel == "" || seen[path] || base == "" {
			continue
		}
		seen[path] = true
		for _, sibling := range a.siblings(path) {
			found, err := a.entriesIn(sibling, in.scope)
			entries = append(entries, found...)
			if err != nil && sibling == path { // what others wrote beside it is theirs
				errs = append(errs, err)
			}
		}
	}
	return entries, errs
}

// siblings returns the files that an agent reads beside one: all JSON files, where it reads a directory.
func (a Agent) siblings(path string) []string {
	if filepath.Base(filepath.Dir(path)) != "hooks" {
		return []string{path}
	}
	paths, _ := filepath.Glob(filepath.Join(escapeGlob(filepath.Dir(path)), "*.json")) // fails only for a bad pattern
	if !slices.Contains(paths, path) {
		paths = append(paths, path)
	}
	return paths
}

// escapeGlob returns a path as a pattern that matches it alone.
func escapeGlob(dir string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}

// entriesIn reads one file, which need not be there.
func (a Agent) entriesIn(path string, scope Scope) ([]Entry, error) {
	if !exists(path) {
		return nil, nil
	}
	src, err := readSettings(path)
	if err != nil {
		return nil, err
	}
	s, err := a.parse(path, src)
	if err != nil {
		return nil, err
	}
	approve := a.Approve
	if scope == Project {
		approve = a.ApproveProject
	}
	var entries []Entry
	for _, f := range s.ours {
		entries = append(entries, Entry{Agent: a.Name, Path: path, Words: f.words, Scope: scope,
			line: commandLine(f.node),
			key:  fmt.Sprintf("%s:%s:%s", path, a.get("state"), f.place), approve: approve})
	}
	if s.portable {
		entries = append(entries, Entry{Agent: a.Name, Path: path, Scope: scope, line: a.packaged(),
			key: fmt.Sprintf("%s:%s:0:0", path, a.get("state")), approve: approve})
	}
	return entries, nil
}

// exists reports whether there is something of that name, a broken symbolic link included.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// Others says which other places than one make an agent run the hook too, a sentence each. A session
// would be told as often as there are places.
func (a Agent) Others(p Places, one Entry) []string {
	var all []string
	entries, _ := a.Entries(p, true) // a file that cannot be understood is not ours to judge here
	for _, e := range entries {
		switch {
		case e.Path == one.Path && (e.Words == nil) == (one.Words == nil):
		case e.Words == nil:
			all = append(all, a.Title+" also has the hook by "+handoff.EscapeLine(e.Path)+
				", from a plugin, an extension or an example: keep one of them")
		case e.Agent != a.Name:
			all = append(all, a.Title+" may also run the hook in "+handoff.EscapeLine(e.Path)+
				", which is for another agent: switch that off in "+a.Title+", or keep one of them")
		default:
			all = append(all, handoff.EscapeLine(e.Path)+" has the hook too: keep one of them")
		}
	}
	for _, other := range agents() {
		if !slices.Contains(other.words("runs"), a.Name) {
			continue
		}
		if entries, _ := other.Entries(p, false); len(entries) > 0 {
			all = append(all, other.Title+" has the hook in "+handoff.EscapeLine(entries[0].Path)+
				" and may run that of "+a.Title+" too: switch that off in "+other.Title+", or keep one of them")
		}
	}
	return all
}
