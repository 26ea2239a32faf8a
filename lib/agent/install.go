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
	"github.com/seed-78daf238/handoff/lib/handoff"
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
	Path          string // the settings file, as the agent names it
	Status        string
	Words         []string // the command for starting sessions; nil if the file has only the server
	Before, After []byte   // the content, nil for no file

	file file
	keep []byte // the backup, nil for none
}

// Changes reports whether there is anything to do.
func (c Change) Changes() bool { return c.Status != Present && c.Status != Absent }

// Apply makes the change. If another program changed the settings meanwhile, the error is ErrBusy. If it fails, the
// file is as it was.
func (c Change) Apply() error {
	if !c.Changes() {
		return nil
	}
	return fault.Explain(c.file.replace(c.After, c.keep), "cannot change "+c.Path, "run the command again")
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
	if f, err := p.locate(a, server.User+"c", server.Project+"c"); server.Comments && err == nil && f.text != nil {
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
func (a Agent) Install(p Places, c Command) ([]Change, error) {
	if c.Operator == "" {
		words, _, _ := a.Registered(p) // changes reports an error
		c.Operator = operatorOf(words)
	} else if err := handoff.CheckOperator(c.Operator); err != nil {
		return nil, err
	}
	return a.changes(p, &c)
}

// Undo returns the changes that remove all that is ours from the settings of an agent.
func (a Agent) Undo(p Places) ([]Change, error) { return a.changes(p, nil) }

// changes returns the changes that set our entries, or remove them if c is nil.
func (a Agent) changes(p Places, c *Command) (all []Change, err error) {
	parts, err := a.parts(p)
	for i := 0; i < len(parts) && err == nil; i++ {
		if i > 0 && c != nil && !c.MCP {
			break
		}
		var change Change
		if change, err = parts[i].change(c); i == 0 || change.Status != Absent {
			all = append(all, change)
		}
	}
	return all, err
}

// Registered returns the command that the settings have for starting sessions, nil if there is none.
func (a Agent) Registered(p Places) (words []string, path string, err error) {
	parts, err := a.parts(p)
	if err == nil {
		_, words, err = parts[0].with(parts[0].file.text, nil)
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

// change returns the change that sets our entries, or removes them if c is nil. If nobody else has changed the
// settings since they were set, removing them restores the settings from before.
func (p part) change(c *Command) (ch Change, err error) {
	ch = Change{Path: p.file.path, Status: Absent, Before: p.file.text, file: p.file, keep: p.file.backup}
	if p.hasHooks && c != nil {
		ch.Words = c.hook(p.agent, Start)
	}
	text, words, err := p.with(p.file.text, c)
	switch {
	case err != nil:
		return ch, err
	case c != nil && p.file.text != nil && bytes.Equal(text, p.file.text):
		ch.Status = Present
	case c != nil && words != nil:
		ch.Status = Updated
	case c != nil:
		ch.Status, ch.keep = Installed, p.file.text
	case words != nil:
		ch.Status, ch.keep = Removed, nil
		if bare, _, _ := p.with(p.file.backup, nil); isSame(bare, text) {
			text = p.file.backup
		}
	}
	ch.After = text
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

// with returns settings with our entries, or without them if c is nil, and the command of the first one that they had.
func (p part) with(text []byte, c *Command) (with []byte, words []string, err error) {
	if p.agent.Script != "" && p.hasHooks {
		return p.withScript(text, c)
	}
	if text == nil {
		text = []byte("{}\n")
	}
	n := bytes.Count(text, []byte("\r\n"))
	hasCR := n > 0 && n == bytes.Count(text, []byte("\n"))
	if hasCR {
		text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	}
	comments := p.agent.Comments
	if !p.hasHooks {
		comments = p.agent.Server.Comments
	}
	s, err := p.agent.parse(p.file.path, text, comments)
	if before, parseErr := hujson.Parse(p.file.backup); parseErr == nil {
		s.before = &before
	}
	if err == nil && p.hasHooks {
		err = s.putHooks(c)
	}
	if entry := ""; err == nil && p.isServer && (c == nil || c.MCP) {
		if c != nil {
			entry = p.agent.server(*c)
		}
		err = s.putServer(entry)
	}
	if with = s.root.Pack(); hasCR {
		with = bytes.ReplaceAll(with, []byte("\n"), []byte("\r\n"))
	}
	return with, s.words, err
}

// opencode is the plugin for an agent that has scripts in place of settings. The whole file is ours. COMMANDS stands
// for the command of each event.
//
//go:embed opencode.js
var opencode string

// withScript is with for a script. It refuses one that is not ours.
func (p part) withScript(text []byte, c *Command) (with []byte, words []string, err error) {
	if text != nil {
		words, err = p.scriptWords(text)
	}
	if c == nil || err != nil {
		return nil, words, err
	}
	all := make(map[string][]string)
	for _, event := range ourEvents {
		all[event] = c.hook(p.agent, event)
	}
	commands, err := json.Marshal(all)
	return []byte(strings.Replace(opencode, "COMMANDS", string(commands), 1)), words, err
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
