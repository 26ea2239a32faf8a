package agent

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// An Entry is a hook of ours in the settings of an agent.
type Entry struct {
	Agent   string
	Event   Event
	At      string   // the agent's name of the event
	Path    string   // the file of the entry
	Words   []string // the command; nil for a plugin, an extension or an example, which have a fixed one
	Scope   Scope
	Off     string // why the agent does not run it; "" if it does
	line    string // the line for a shell; "" if the agent starts Words itself
	key     string // under which the agent notes that a person trusts it
	approve string
}

// Approve returns what a person must do in the agent before the entry runs, or "". It is not known whether that
// was done.
func (e Entry) Approve() string { return e.approve }

// Entries returns all hooks of ours in the settings of one agent, and the errors of files that it cannot parse.
// With all, it includes the settings of other agents that this agent runs.
func (a Agent) Entries(p Places, all bool) ([]Entry, []error) {
	layers, errs := a.read(p, a.layers())
	entries, more := a.registered(p)
	entries = append(entries, a.packagedEntries(p, layers)...)
	for _, err := range more {
		if !slices.ContainsFunc(errs, func(e error) bool { return e.Error() == err.Error() }) {
			errs = append(errs, err)
		}
	}
	trusted := a.trusts(p)
	for i, e := range entries {
		if e.Off == "" {
			entries[i].Off = cmp.Or(a.offReason(layers), a.entryOffReason(layers, cmp.Or(e.line, shell(e.Words))),
				a.untrustedReason(layers, e, trusted))
		}
		if e.Scope == Project && trusted || a.has("state") {
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

// registered returns the hooks in the files that Install changes, and in the files next to them.
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
			if err != nil && sibling == path { // files of other programs are not ours to report
				errs = append(errs, err)
			}
		}
	}
	return entries, errs
}

// siblings returns the files that an agent reads next to path: if it reads a directory, all its JSON files.
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

// escapeGlob returns a pattern that matches only the path dir.
func escapeGlob(dir string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}

// entriesIn reads one file. A missing file has no entries.
func (a Agent) entriesIn(path string, scope Scope) ([]Entry, error) {
	if !exists(path) {
		return nil, nil
	}
	src, err := readSettings(path)
	if err != nil {
		return nil, err
	}
	approve := a.Approve
	if scope == Project {
		approve = a.ApproveProject
	}
	s, err := a.parse(path, src, a.slots())
	if err != nil {
		return nil, err
	}
	var entries []Entry
	for _, sl := range s.slots {
		e := Entry{Agent: a.Name, Event: sl.event, At: sl.name, Path: path, Scope: scope, approve: approve}
		for _, f := range s.ours[sl] {
			e.Words, e.line, e.key = f.words, commandLine(f.node), path+":"+sl.state()+":"+f.place
			e.Off = f.off
			entries = append(entries, e)
		}
		if s.portable[sl] {
			e.Words, e.line, e.key = nil, a.packaged(sl.event), path+":"+sl.key()
			entries = append(entries, e)
		}
	}
	return entries, nil
}

// key returns the key of a trusted hook in settings that have only our hooks, without their path.
func (sl slot) key() string { return sl.state() + ":" + sl.group }

// state returns the name of an event in the keys of trusted hooks: that of the agent, in lower case with underscores.
func (sl slot) state() string {
	var b strings.Builder
	for i, r := range sl.name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// exists reports whether a file of that name exists. A broken symbolic link counts.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// Others returns a sentence for each other place that makes an agent run the hook too. A session would get the
// report once for each place.
func (a Agent) Others(p Places, one Entry) []string {
	var all []string
	entries, _ := a.Entries(p, true) // other callers report files that cannot be parsed
	for _, e := range entries {
		switch {
		case e.Path == one.Path && (e.Words == nil) == (one.Words == nil):
		case e.Words == nil:
			all = append(all, a.Title+" also has the hook by "+handoff.EscapeLine(e.Path)+
				", from a plugin, an extension or an example: keep one of them")
		case e.Agent != a.Name:
			all = append(all, a.Title+" can also run the hook in "+handoff.EscapeLine(e.Path)+
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
				" and can run the hook of "+a.Title+" too: switch that off in "+other.Title+", or keep one of them")
		}
	}
	slices.Sort(all)
	return slices.Compact(all) // a place has a hook for each event
}
