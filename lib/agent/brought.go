package agent

import (
	"encoding/json"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// packagedEntries returns the hooks of our plugins and extensions, and those in settings of another form.
func (a Agent) packagedEntries(p Places, layers []values) (entries []Entry) {
	from := a
	if other, known := find(a.get("plugins")); known {
		from = other
	}
	for _, v := range pluginsOn(layers) {
		for i, e := range from.packagedAt(v.path, v.scope) {
			e.Agent, e.key = a.Name, "handoff@handoff:hooks/"+a.Name+".json:"+from.slots()[i].key()
			if e.Event == Stop || a.native(e.Event) != "" {
				entries = append(entries, e)
			}
		}
	}
	for _, v := range layers {
		entries = append(entries, a.inTable(v, from)...)
	}
	return append(append(entries, a.skillPlugins(p)...), a.extensions(p)...)
}

// packagedAt returns the entries of a plugin or an extension, one for each event.
func (a Agent) packagedAt(path string, scope Scope) (entries []Entry) {
	for _, sl := range a.slots() {
		entries = append(entries, Entry{Agent: a.Name, Event: sl.event, At: sl.name, Path: path, Scope: scope,
			line: a.packaged(sl.event)})
	}
	return entries
}

// inTable returns the hooks in settings in TOML. from is the agent of the plugins.
func (a Agent) inTable(v values, from Agent) (entries []Entry) {
	if path.Ext(v.path) != ".toml" {
		return nil
	}
	for _, sl := range a.slots() {
		for _, command := range v.of["hooks."+sl.name+".hooks.command"] {
			words := split(command)
			if command == from.packaged(sl.event) {
				words = nil
			} else if !isOf(words, sl.event) {
				continue
			}
			entries = append(entries, Entry{Agent: a.Name, Event: sl.event, At: sl.name, Path: v.path, Words: words,
				Scope: v.scope, line: command, key: v.path + ":" + sl.key()})
		}
	}
	return entries
}

// skillPlugins returns our plugins among the skills.
func (a Agent) skillPlugins(p Places) (entries []Entry) {
	if !a.has("skills") {
		return nil
	}
	for _, scope := range []Scope{User, Project} {
		base, dir := a.place(p, scope, a.get("skills"))
		if base == "" {
			continue
		}
		// Glob fails only for a bad pattern.
		found, _ := filepath.Glob(filepath.Join(escapeGlob(dir), "*", ".claude-plugin", "plugin.json"))
		for _, file := range found {
			var manifest struct{ Name string }
			src, err := readSettings(file)
			if err == nil && json.Unmarshal(src, &manifest) == nil && manifest.Name == "handoff" {
				entries = append(entries, a.packagedAt(file, scope)...)
			}
		}
	}
	return entries
}

// extensions returns our extension of Gemini CLI, installed or linked.
func (a Agent) extensions(p Places) (entries []Entry) {
	if !a.has("extension") {
		return nil
	}
	_, dir := a.place(p, User, a.get("extension"))
	for _, name := range []string{"gemini-extension.json", ".gemini-extension-install.json"} {
		if file := filepath.Join(dir, name); exists(file) {
			entries = a.packagedAt(file, User)
			for i := range entries {
				entries[i].Off = extensionOffReason(filepath.Dir(dir), p.Root)
			}
			return entries
		}
	}
	return nil
}

// extensionOffReason returns why our extension is disabled for a project, or "". The last rule that matches counts.
func extensionOffReason(dir, root string) string {
	file := filepath.Join(dir, "extension-enablement.json")
	var rules map[string]struct{ Overrides []string }
	src, err := readSettings(file)
	if err != nil || json.Unmarshal(src, &rules) != nil {
		return ""
	}
	off := false
	for _, rule := range rules["handoff"].Overrides {
		pattern, not := strings.CutPrefix(rule, "!")
		if strings.HasPrefix(root+"/", strings.TrimSuffix(pattern, "*")) {
			off = not
		}
	}
	if !off {
		return ""
	}
	return handoff.EscapeLine(file) + " disables the extension here: no hook runs"
}

// trusts reports whether the agent has noted that a person trusts the project or a directory above it.
func (a Agent) trusts(p Places) bool {
	trust := a.words("trust")
	if len(trust) == 0 || p.Root == "" {
		return false
	}
	layers, _ := a.read(p, []layer{{scope: User, path: trust[0]}}) // a file that cannot be parsed gives no trust
	for _, v := range layers {
		for dir := p.Root; ; dir = filepath.Dir(dir) {
			if said := v.of[strings.Replace(trust[1], "DIR", dir, 1)]; len(said) > 0 {
				return slices.Contains(trust[2:], said[len(said)-1])
			}
			if dir == filepath.Dir(dir) {
				break
			}
		}
	}
	return false
}

// untrustedReason returns why the agent does not trust the hook, or "" if it does not keep such notes.
func (a Agent) untrustedReason(layers []values, e Entry, trusted bool) string {
	if !a.has("state") {
		return ""
	}
	hash, enabled := "", ""
	for _, v := range layers {
		if said := v.of["hooks.state."+e.key+".trusted_hash"]; v.scope == User && len(said) > 0 {
			hash = said[0]
		}
		if said := v.of["hooks.state."+e.key+".enabled"]; v.scope == User && len(said) > 0 {
			enabled = said[0]
		}
	}
	switch {
	case enabled == "false":
		return "it is switched off in " + a.Title + ": run `/hooks` there to switch it on"
	case e.Scope == Project && !trusted:
		return "the project is not trusted: " + a.ApproveProject
	case hash == "":
		return "it is not trusted yet: " + a.Approve
	}
	return ""
}
