package agent

import (
	"bytes"
	"cmp"
	"encoding/json"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// item returns an entry as an element of this agent's list. Some agents group hooks that share a matcher.
func (a Agent) item(hook *jsontree.Value) *jsontree.Value {
	if a.has("grouped") {
		return jsontree.NewObject(jsontree.Member{Name: "hooks", Value: jsontree.NewArray(hook)})
	}
	return hook
}

// entry returns a hook or the server in the form of this agent.
func (a Agent) entry(e Event, words []string) *jsontree.Value {
	template := "entry"
	switch e {
	case server:
		template = "server"
	case idle:
		template = "waker"
	}
	v := fill(a.get(template), func(part string) string {
		parts := strings.NewReplacer("PROGRAM", words[0], "LINE", shell(words), "POWERSHELL", powerShell(words))
		return parts.Replace(part)
	})
	for _, key := range []string{"args", "command"} {
		list := v.Get(key)
		if n := len(list.All()); n > 0 && list.Items[n-1].Text == "ARGS" {
			list.Items = list.Items[:n-1]
			for _, word := range words[1:] {
				list.Items = append(list.Items, jsontree.NewString(word))
			}
		}
	}
	return v
}

// add returns the settings with one hook of ours. They must have none.
func (s settings) add(hook *jsontree.Value) []byte {
	if s.isVersioned() && s.hooks == nil && s.root.Get("version") == nil {
		s.root.Set("version", 1)
	}
	if s.hooks == nil {
		s.hooks = jsontree.NewObject()
		s.root.Set(s.key(), s.hooks)
	}
	if s.slot.event == server {
		s.hooks.Set(serverName, hook)
		return s.root.OnLines(s.src)
	}
	if s.list == nil {
		s.list = jsontree.NewArray()
		s.hooks.Set(s.slot.name, s.list)
	}
	s.list.Items = append(s.list.Items, s.agent.item(hook))
	return s.root.OnLines(s.src)
}

// withHook returns the settings with one hook of ours. It replaces the first one that was there.
func (s settings) withHook(c Command) (_ []byte, err error) {
	hook := s.agent.entry(s.slot.event, c.words(s.agent.Name, s.slot.event))
	if n := s.hooks.Get(serverName); len(s.ours) == 0 && s.slot.event == server && n != nil {
		return nil, s.fault(n, "another server has the name "+serverName)
	}
	if len(s.ours) == 0 {
		return s.add(hook), nil
	}
	for _, f := range s.ours[1:] {
		s.remove(f)
	}
	if len(s.ours) > 1 {
		if s, err = s.agent.parse(s.slot, s.path, s.root.OnLines(s.src)); err != nil {
			return nil, err
		}
	}
	old := s.ours[0].node
	if s.slot.event == server { // what a person added stays
		for _, m := range old.Members {
			if hook.Get(m.Name) == nil {
				hook.Set(m.Name, m.Value)
			}
		}
	}
	text := hook.Append(nil)
	if sameJSON(s.src[old.Start:old.End], text) {
		return s.src, nil
	}
	return s.root.Replace(s.src, old, text), nil
}

// sameJSON reports whether two texts are the same JSON value. Spaces and the order of keys do not matter.
func sameJSON(a, b []byte) bool {
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false
	}
	return reflect.DeepEqual(x, y)
}

// adopt returns a command with what the entries in a file name, and the words of the first, nil without entries.
func (a Agent) adopt(f file, sh sheet, c Command) (_ Command, words []string, err error) {
	for _, sl := range slices.Backward(sh.slots) {
		found, err := a.find(sl, f.path, f.text)
		if err != nil {
			return c, nil, err
		}
		for _, f := range found {
			words = f.words
			if sl.event == server {
				c.Server, c.Me = true, cmp.Or(Operator(words), c.Me)
			} else {
				c.To = cmp.Or(c.To, Operator(words))
			}
		}
	}
	return c, words, nil
}

// install returns settings with one entry of ours for each wanted slot.
func (a Agent) install(f file, sh sheet, c Command) (text []byte, err error) {
	switch text = f.text; path.Ext(f.path) {
	case ".js":
		return a.script(c), nil
	case ".toml":
		return a.writeTable(f.path, string(text), sh.slots[0], c.words(a.Name, server))
	}
	for i, sl := range sh.wanted(c) {
		s, err := a.parse(sl, f.path, text)
		if err == nil && i == 0 {
			err = s.checkKeys()
		}
		if err == nil {
			text, err = s.withHook(c)
		}
		if err != nil {
			return nil, err
		}
	}
	return text, nil
}

// uninstall returns settings without our entries, and the command of the first. If nobody else changed the settings,
// they are those from before.
func (a Agent) uninstall(f file, sh sheet) (text []byte, words []string, err error) {
	c, words, err := a.adopt(f, sh, Command{})
	if text = f.text; err != nil || words == nil {
		return text, nil, err
	}
	c.Program = words[0]
	before := file{path: f.path, exists: true, text: f.backup}
	if again, err := a.install(before, sh, c); f.backup != nil && err == nil && bytes.Equal(again, text) {
		return f.backup, words, nil
	}
	switch path.Ext(f.path) {
	case ".js":
		return nil, words, nil
	case ".toml":
		text, err = a.writeTable(f.path, string(text), sh.slots[0], nil)
		return text, words, err
	}
	for _, sl := range slices.Backward(sh.slots) {
		s, err := a.parse(sl, f.path, text)
		if err != nil {
			return nil, nil, err
		}
		if len(s.ours) > 0 {
			text = s.withoutHooks(f.backup)
		}
	}
	return text, words, nil
}

// withoutHooks returns the settings without our hooks, and without every group and list that becomes empty, unless it
// is in before: the text from before the hooks were added, nil if unknown.
func (s settings) withoutHooks(before []byte) []byte {
	old, err := s.agent.parse(s.slot, s.path, before)
	if err != nil {
		old = settings{} // the file did not exist
	}
	for _, f := range s.ours {
		s.remove(f)
	}
	if s.list != nil && len(s.list.Items) == 0 && old.list == nil {
		s.hooks.Delete(s.slot.name)
	}
	if len(s.hooks.Members) == 0 && old.hooks == nil {
		s.root.Delete(s.key())
		if old.root != nil && old.root.Get("version") == nil {
			s.root.Delete("version")
		}
	}
	return s.root.OnLines(s.src)
}

// remove removes a hook, and its group if that only wraps it, or the server.
func (s settings) remove(f found) {
	if s.slot.event == server {
		s.hooks.Delete(serverName)
		return
	}
	if f.group != nil && len(f.list.Items) == 1 && len(f.group.Members) == 1 {
		f.list, f.node = s.list, f.group
	}
	f.list.Items = slices.DeleteFunc(f.list.Items, func(v *jsontree.Value) bool { return v == f.node })
}

// isBare reports whether the settings are empty.
func (s settings) isBare() bool {
	says := func(m jsontree.Member) bool { return m.Name != "version" || !s.isVersioned() }
	return !slices.ContainsFunc(s.root.Members, says)
}
