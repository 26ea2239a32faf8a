package agent

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"path/filepath"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// The values of [Change.Status].
const (
	Installed = "installed" // our entries were added
	Updated   = "updated"   // older entries were replaced
	Present   = "present"   // nothing to do: they are there already
	Removed   = "removed"   // our entries were removed
	Absent    = "absent"    // nothing to do: there are none
)

// A Change is the effect of Install or Undo on one file. Nothing happens before [Change.Apply].
type Change struct {
	Path   string // the settings file, as the agent names it
	Status string
	Words  []string // the command for starting sessions; nil if the file has only the server

	file   file
	text   []byte // the new content, nil for no file
	backup backup
}

// Changes reports whether there is anything to do.
func (c Change) Changes() bool { return c.Status != Present && c.Status != Absent }

// Apply makes the change. If another program changed the settings meanwhile, the error is ErrBusy. If it fails, the
// file is as it was.
func (c Change) Apply() error {
	if !c.Changes() {
		return nil
	}
	return fault.Explain(c.file.replace(c.text, c.backup), "cannot change "+c.Path, "run the command again")
}

// Texts returns the settings before and after the change, and their names in a diff, where /dev/null stands for no
// file.
func (c Change) Texts() (from, to, before, after string) {
	from, to, before, after = c.Path, c.Path, string(c.file.text), string(c.text)
	if !c.file.exists {
		from = "/dev/null"
	}
	if c.text == nil {
		to = "/dev/null"
	}
	return from, to, before, after
}

// A part is what is ours in one file of an agent.
type part struct {
	agent              Agent
	file               file
	hasHooks, isServer bool
}

// parts returns the files of an agent in which something is ours.
func (a Agent) parts(p Places) (all []part, err error) {
	base, hooks, err := p.path(a, a.User, a.Project)
	if err != nil {
		return nil, err
	}
	f, err := p.locate(base, hooks)
	if err != nil {
		return nil, err
	}
	all = []part{{a, f, true, false}}
	if a.Server.Key == "" {
		return all, nil
	}
	base, server, err := p.path(a, a.Server.User, a.Server.Project)
	if err != nil {
		return nil, err
	}
	if a.Server.Comments && store.IsThere(server+"c") { // the name of the same settings with comments
		server += "c"
	}
	if server == hooks {
		all[0].isServer = true
		return all, nil
	}
	f, err = p.locate(base, server)
	return append(all, part{a, f, false, true}), err
}

// Install returns the changes that register a command with an agent. If a file must not be changed, the error is
// ErrConfig.
func (a Agent) Install(p Places, c Command) (all []Change, err error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	parts, err := a.parts(p)
	for _, part := range parts {
		if err != nil || !part.hasHooks && !c.MCP {
			continue
		}
		var change Change
		change, err = part.install(c)
		all = append(all, change)
	}
	return all, err
}

// Undo returns the changes that remove all that is ours from the settings of an agent.
func (a Agent) Undo(p Places) (all []Change, err error) {
	parts, err := a.parts(p)
	for _, part := range parts {
		if err != nil {
			break
		}
		var change Change
		change, err = part.undo()
		if part.hasHooks || change.Changes() {
			all = append(all, change)
		}
	}
	return all, err
}

// Registered returns the command that the settings have for starting sessions, nil if there is none.
func (a Agent) Registered(p Places) (words []string, path string, err error) {
	parts, err := a.parts(p)
	if err != nil || !parts[0].file.exists {
		return nil, "", err
	}
	words, _, err = parts[0].registered(parts[0].file.text)
	return words, parts[0].file.path, err
}

// TestInput returns what the agent writes to a hook for a starting session in a project.
func (a Agent) TestInput(project string) []byte {
	template := a.Input
	if template == nil {
		template = json.RawMessage(`{"session_id": "SESSION", "cwd": "PROJECT", "source": "startup"}`)
	}
	return fill(template, "SESSION", quote("check"), "PROJECT", quote(project))
}

// WorkDir returns the directory in which the agent runs the hooks of a session in a project.
func (a Agent) WorkDir(p Places, project string) string {
	if dir := filepath.Join(p.Home, a.RunsIn); a.RunsIn != "" && store.IsThere(dir) {
		return dir
	}
	return project
}

// install returns the change that adds our entries.
func (p part) install(c Command) (Change, error) {
	f := p.file
	ch := Change{Path: f.path, Status: Installed, file: f, backup: newBackup}
	var had []string
	if f.exists {
		var old Command
		var err error
		if had, old, err = p.registered(f.text); err != nil {
			return ch, err
		}
		c.Operator = cmp.Or(c.Operator, old.Operator)
	}
	if p.hasHooks {
		ch.Words = c.hook(p.agent, Start)
	}
	var err error
	if ch.text, err = p.with(f.text, c, false); err != nil {
		return ch, err
	}
	if had != nil {
		ch.Status, ch.backup = Updated, sameBackup
	}
	if f.exists && bytes.Equal(ch.text, f.text) {
		ch.Status = Present
	}
	return ch, nil
}

// undo returns the change that removes our entries. If nobody else has changed the settings, they are those from
// before.
func (p part) undo() (Change, error) {
	f := p.file
	ch := Change{Path: f.path, Status: Absent, file: f, text: f.text, backup: noBackup}
	if !f.exists {
		return ch, nil
	}
	words, c, err := p.registered(f.text)
	if err != nil || words == nil {
		return ch, err
	}
	ch.Status = Removed
	if p.agent.Script != "" && p.hasHooks {
		ch.text = nil
		return ch, nil
	}
	if ch.text, err = p.with(f.text, Command{}, true); err != nil {
		return ch, err
	}
	if f.backup != nil {
		for _, c.MCP = range []bool{false, true} {
			if again, err := p.with(f.backup, c, false); err == nil && bytes.Equal(again, f.text) {
				ch.text = f.backup
			}
		}
	} else if isBare(ch.text) {
		ch.text = nil
	}
	return ch, nil
}

// isBare reports whether settings have nothing but what install adds to a new file.
func isBare(text []byte) bool {
	var members map[string]json.RawMessage
	root, err := hujson.Parse(text)
	if err != nil || json.Unmarshal(standard(&root), &members) != nil {
		return false
	}
	delete(members, "version")
	return len(members) == 0 && root.IsStandard()
}

func (p part) parse(text []byte) (config, error) {
	comments, commas := p.agent.Comments, p.agent.Commas
	if !p.hasHooks {
		comments, commas = p.agent.Server.Comments, p.agent.Server.Commas
	}
	return p.agent.parse(p.file.path, text, comments, commas)
}

// registered returns the words and the operator of our first entry in settings, nil if there is none. It refuses
// settings that were not understood.
func (p part) registered(text []byte) (words []string, c Command, err error) {
	if p.agent.Script != "" && p.hasHooks {
		words, err = p.scriptWords(text)
		return words, commandOf(words), err
	}
	s, err := p.parse(text)
	for _, event := range ourEvents {
		for _, name := range p.agent.Events[event] {
			if err != nil || !p.hasHooks {
				break
			}
			var ours []found
			if ours, err = s.hooks(name); len(ours) > 0 && words == nil {
				words = ours[0].words
			}
		}
	}
	c = commandOf(words)
	if at := s.root.Find("/" + p.agent.Server.Key + "/" + serverName); err == nil && at != nil && words == nil {
		entry := standard(at)
		if found := wordsOf(entry); isOurs(found, "mcp") {
			var server map[string]json.RawMessage
			var env map[string]string
			_ = json.Unmarshal(entry, &server) // it is an object, or there are no words
			_ = json.Unmarshal(server[p.agent.Server.Env], &env)
			words, c = found, Command{Program: found[0], Operator: env["HANDOFF_OPERATOR"]}
		}
	}
	return words, c, err
}

// with returns settings with our entries, or without them.
func (p part) with(text []byte, c Command, isUndo bool) ([]byte, error) {
	if p.agent.Script != "" && p.hasHooks {
		return p.agent.script(c), nil
	}
	if !p.file.exists {
		text = []byte("{}\n")
	}
	s, err := p.parse(text)
	if err != nil {
		return nil, err
	}
	if before, parseErr := hujson.Parse(p.file.backup); parseErr == nil {
		s.before = &before
	}
	if p.hasHooks {
		err = s.putHooks(c, isUndo)
	}
	if err == nil && p.isServer && (c.MCP || isUndo) {
		var entry json.RawMessage
		if !isUndo {
			entry = p.agent.server(c)
		}
		err = s.putServer(entry)
	}
	return s.root.Pack(), err
}

// putHooks sets or removes our hooks of all events.
func (s *config) putHooks(c Command, isUndo bool) error {
	if !isUndo {
		if err := s.checkFile(); err != nil {
			return err
		}
		if s.agent.Versioned && s.root.Find("/version") == nil && s.root.Find("/hooks") == nil {
			s.add([]string{"version"}, json.RawMessage("1"))
		}
	}
	for _, event := range ourEvents {
		for _, name := range s.agent.Events[event] {
			var entry json.RawMessage
			if !isUndo {
				entry = s.agent.entry(c.hook(s.agent, event))
			}
			if err := s.put(name, entry); err != nil {
				return err
			}
		}
	}
	return nil
}

// opencode is the plugin for an agent that has scripts in place of settings. The whole file is ours. COMMANDS stands
// for the command of each event.
//
//go:embed opencode.js
var opencode string

// script returns the plugin with the commands that it runs.
func (a Agent) script(c Command) []byte {
	var all []string
	for _, event := range ourEvents {
		var words []string
		for _, word := range c.hook(a, event) {
			words = append(words, quote(word))
		}
		all = append(all, quote(event)+": ["+strings.Join(words, ", ")+"]")
	}
	return []byte(strings.Replace(opencode, "COMMANDS", "{"+strings.Join(all, ", ")+"}", 1))
}

// scriptWords returns the command for starting sessions in a script. It refuses one that is not ours.
func (p part) scriptWords(text []byte) ([]string, error) {
	head, _, _ := strings.Cut(opencode, "COMMANDS")
	line, isOurs := strings.CutPrefix(string(text), head)
	line, _, _ = strings.Cut(line, "\n")
	var commands map[string][]string
	if !isOurs || json.Unmarshal([]byte(line), &commands) != nil || commands[Start] == nil {
		return nil, fault.Config("rename it; nothing was changed", "%s is not a plugin that handoff has written",
			cmp.Or(p.file.path, filepath.Base(p.agent.Project)))
	}
	return commands[Start], nil
}
