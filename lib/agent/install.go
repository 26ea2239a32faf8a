package agent

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"path/filepath"
	"strings"
	"unicode"

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

// A part is a file of an agent in which something is ours.
type part struct {
	agent              Agent
	file               file
	hasHooks, isServer bool
}

// parts returns the files of an agent, first that of its hooks.
func (a Agent) parts(p Places) (all []part, err error) {
	hooks, err := p.locate(a, a.User, a.Project)
	if err != nil || a.Server.Key == "" {
		return []part{{a, hooks, true, false}}, err
	}
	server := a.Server
	if both, err := p.locate(a, server.User+"c", server.Project+"c"); server.Comments && err == nil && both.exists {
		server.User, server.Project = server.User+"c", server.Project+"c" // the same settings with comments
	}
	f, err := p.locate(a, server.User, server.Project)
	if f.path == hooks.path {
		return []part{{a, hooks, true, true}}, err
	}
	return []part{{a, hooks, true, false}, {a, f, false, true}}, err
}

// Install returns the changes that register a command with an agent. If a file must not be changed, the error is
// ErrConfig.
func (a Agent) Install(p Places, c Command) (all []Change, err error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	parts, err := a.parts(p)
	for i := 0; i < len(parts) && err == nil; i++ {
		if i == 0 && c.Operator == "" {
			var words []string
			words, err = parts[0].registered()
			c.Operator = operatorOf(words)
		}
		if err == nil && (i == 0 || c.MCP) {
			var change Change
			change, err = parts[i].install(c)
			all = append(all, change)
		}
	}
	return all, err
}

// Undo returns the changes that remove all that is ours from the settings of an agent.
func (a Agent) Undo(p Places) (all []Change, err error) {
	parts, err := a.parts(p)
	for i := 0; i < len(parts) && err == nil; i++ {
		var change Change
		if change, err = parts[i].undo(); i == 0 || change.Changes() {
			all = append(all, change)
		}
	}
	return all, err
}

// Registered returns the command that the settings have for starting sessions, nil if there is none.
func (a Agent) Registered(p Places) (words []string, path string, err error) {
	parts, err := a.parts(p)
	if err == nil {
		words, err = parts[0].registered()
	}
	return words, parts[0].file.path, err
}

// TestInput returns what the agent writes to a hook for a starting session in a project.
func (a Agent) TestInput(project string) []byte {
	template := a.Input
	if template == nil {
		template = json.RawMessage(`{"session_id": "SESSION", "cwd": "PROJECT", "source": "startup"}`)
	}
	return []byte(fill(template, "SESSION", quote("check"), "PROJECT", quote(project)))
}

// WorkDir returns the directory in which the agent runs the hooks of a session in a project.
func (a Agent) WorkDir(p Places, project string) string {
	if dir := filepath.Join(p.Home, a.RunsIn); a.RunsIn != "" && store.IsThere(dir) {
		return dir
	}
	return project
}

// install returns the change that adds our entries.
func (p part) install(c Command) (ch Change, err error) {
	ch = Change{Path: p.file.path, Status: Installed, file: p.file, backup: newBackup}
	if p.hasHooks {
		ch.Words = c.hook(p.agent, Start)
	}
	without, err := p.with(p.file.text, nil)
	if err != nil {
		return ch, err
	}
	if p.file.exists && !bytes.Equal(without, p.file.text) {
		ch.Status, ch.backup = Updated, sameBackup
	}
	if ch.text, err = p.with(p.file.text, &c); p.file.exists && bytes.Equal(ch.text, p.file.text) {
		ch.Status = Present
	}
	return ch, err
}

// undo returns the change that removes our entries. If nobody else has changed the settings, they are those from
// before.
func (p part) undo() (ch Change, err error) {
	ch = Change{Path: p.file.path, Status: Absent, file: p.file, backup: noBackup}
	if !p.file.exists {
		return ch, nil
	}
	if ch.text, err = p.with(p.file.text, nil); err != nil || bytes.Equal(ch.text, p.file.text) {
		return ch, err
	}
	ch.Status = Removed
	switch kept := p.file.backup; {
	case kept != nil && isSame(kept, ch.text):
		ch.text = kept
	case kept == nil && isBare(ch.text):
		ch.text = nil
	}
	return ch, nil
}

// isSame reports whether two settings differ in nothing but white space and commas at the end.
func isSame(a, b []byte) bool {
	isGap := func(r rune) bool { return r == ',' || unicode.IsSpace(r) }
	x, _ := hujson.Minimize(a) // both can be parsed
	y, _ := hujson.Minimize(b)
	return bytes.Equal(x, y) &&
		bytes.Equal(bytes.Join(bytes.FieldsFunc(a, isGap), nil), bytes.Join(bytes.FieldsFunc(b, isGap), nil))
}

// isBare reports whether settings have nothing but what install adds to a new file.
func isBare(text []byte) bool {
	root, err := hujson.Parse(text)
	for _, m := range members(&root) {
		if nameOf(m) != "version" {
			return false
		}
	}
	return err == nil && root.IsStandard()
}

// registered returns the command of our first hook, nil if there is none.
func (p part) registered() (words []string, err error) {
	switch {
	case !p.file.exists:
		return nil, nil
	case p.agent.Script != "":
		return p.scriptWords(p.file.text)
	}
	s, err := p.parse(p.file.text)
	for _, event := range ourEvents {
		for _, name := range p.agent.Events[event] {
			if err == nil && words == nil {
				var ours []found
				if ours, err = s.hooks(name); len(ours) > 0 {
					words = ours[0].words
				}
			}
		}
	}
	return words, err
}

func (p part) parse(text []byte) (config, error) {
	if p.hasHooks {
		return p.agent.parse(p.file.path, text, p.agent.Comments)
	}
	return p.agent.parse(p.file.path, text, p.agent.Server.Comments)
}

// with returns settings with our entries, or without them if c is nil.
func (p part) with(text []byte, c *Command) ([]byte, error) {
	if p.agent.Script != "" && p.hasHooks {
		return p.withScript(text, c)
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
		err = s.putHooks(c)
	}
	if entry := ""; err == nil && p.isServer && (c == nil || c.MCP) {
		if c != nil {
			entry = p.agent.server(*c)
		}
		err = s.putServer(entry)
	}
	return s.root.Pack(), err
}

// putHooks sets our hooks of all events, or removes them if c is nil.
func (s *config) putHooks(c *Command) (err error) {
	if c != nil {
		if err = s.checkFile(); err == nil && s.agent.Versioned && s.length("/version")+s.length("/hooks") == 0 {
			s.add([]string{"version"}, "1")
		}
	}
	for _, event := range ourEvents {
		for _, name := range s.agent.Events[event] {
			var words []string
			if c != nil {
				words = c.hook(s.agent, event)
			}
			if err == nil {
				err = s.put(name, words)
			}
		}
	}
	return err
}

// opencode is the plugin for an agent that has scripts in place of settings. The whole file is ours. COMMANDS stands
// for the command of each event.
//
//go:embed opencode.js
var opencode string

// withScript is with for a script. It refuses one that is not ours.
func (p part) withScript(text []byte, c *Command) ([]byte, error) {
	if p.file.exists {
		if _, err := p.scriptWords(text); err != nil {
			return nil, err
		}
	}
	if c == nil {
		return nil, nil
	}
	var all []string
	for _, event := range ourEvents {
		words, _ := json.Marshal(c.hook(p.agent, event)) // texts
		all = append(all, quote(event)+": "+string(words))
	}
	return []byte(strings.Replace(opencode, "COMMANDS", "{"+strings.Join(all, ", ")+"}", 1)), nil
}

// scriptWords returns the command for starting sessions in a script. It refuses one that is not ours.
func (p part) scriptWords(text []byte) ([]string, error) {
	head, _, _ := strings.Cut(opencode, "COMMANDS")
	line, isOurs := strings.CutPrefix(string(text), head)
	line, _, _ = strings.Cut(line, "\n")
	var commands map[string][]string
	if !isOurs || json.Unmarshal([]byte(line), &commands) != nil || commands[Start] == nil {
		return nil, fault.Config("rename it; nothing was changed", "%s is not a plugin that handoff has written",
			p.file.path)
	}
	return commands[Start], nil
}
