package agent

import (
	"bytes"
	"cmp"
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
	if e == server {
		template = "server"
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

// adopt returns a command with what our entries name, and the words of the first, nil without entries.
func (s settings) adopt(c Command) (_ Command, words []string) {
	for _, sl := range s.slots {
		for _, f := range s.ours[sl] {
			if words == nil {
				words = f.words
			}
			if sl.event == server {
				c.Server, c.Me = true, cmp.Or(Operator(f.words), c.Me)
			} else {
				c.To = cmp.Or(c.To, Operator(f.words))
			}
		}
	}
	return c, words
}

// install returns the settings with one entry of ours for each slot that the command fills.
func (s settings) install(c Command) ([]byte, error) {
	if path.Ext(s.path) == ".js" {
		return s.agent.script(c), nil
	}
	if err := s.checkKeys(); err != nil {
		return nil, err
	}
	if s.isVersioned() && s.root.Get("version") == nil && s.root.Get(s.key(s.slots[0])) == nil {
		s.root.Set("version", 1)
	}
	for _, sl := range s.slots {
		if sl.event == server && !c.Server {
			continue
		}
		if err := s.put(sl, s.agent.entry(sl.event, c.words(s.agent.Name, sl.event))); err != nil {
			return nil, err
		}
	}
	return s.root.OnLines(s.src), nil
}

// put changes the first entry of ours in a slot, or adds one, and removes the others.
func (s settings) put(sl slot, hook *jsontree.Value) error {
	ours := s.ours[sl]
	if len(ours) == 0 {
		return s.add(sl, hook)
	}
	for _, f := range ours[1:] {
		s.remove(sl, f)
	}
	old := ours[0].node
	old.Members = slices.DeleteFunc(old.Members, func(m jsontree.Member) bool {
		return sl.event != server && hook.Get(m.Name) == nil // what a person added to the server stays
	})
	for _, m := range hook.Members {
		if v := old.Get(m.Name); v == nil || !reflect.DeepEqual(v.Plain(), m.Value.Plain()) {
			old.Set(m.Name, m.Value)
		}
	}
	return nil
}

// add adds an entry to a slot that has none of ours.
func (s settings) add(sl slot, hook *jsontree.Value) error {
	hooks := s.root.Get(s.key(sl))
	if hooks == nil {
		hooks = jsontree.NewObject()
		s.root.Set(s.key(sl), hooks)
	}
	if sl.event == server {
		if n := hooks.Get(serverName); n != nil {
			return s.fault(n, "another server has the name "+serverName)
		}
		hooks.Set(serverName, hook)
		return nil
	}
	list := hooks.Get(sl.name)
	if list == nil {
		list = jsontree.NewArray()
		hooks.Set(sl.name, list)
	}
	list.Items = append(list.Items, s.agent.item(hook))
	return nil
}

// uninstall returns the settings without our entries, which are those of a command. If nobody else changed the
// settings, they are those from before.
func (s settings) uninstall(before []byte, c Command) ([]byte, error) {
	if old, err := s.agent.parse(s.path, before, s.slots); before != nil && err == nil {
		if again, err := old.install(c); err == nil && bytes.Equal(again, s.src) {
			return before, nil
		}
	}
	if path.Ext(s.path) == ".js" {
		return nil, nil
	}
	old, _ := jsontree.Scan(before) // nil if unknown: the file may not have existed
	for _, sl := range s.slots {
		for _, f := range s.ours[sl] {
			s.remove(sl, f)
			s.tidy(sl, old)
		}
	}
	isLeft := func(m jsontree.Member) bool { return m.Name != "version" || !s.isVersioned() }
	if before == nil && !slices.ContainsFunc(s.root.Members, isLeft) {
		return nil, nil
	}
	return s.root.OnLines(s.src), nil
}

// remove removes a hook, and its group if that only wraps it, or the server.
func (s settings) remove(sl slot, f found) {
	hooks := s.root.Get(s.key(sl))
	if sl.event == server {
		hooks.Delete(serverName)
		return
	}
	if f.group != nil && len(f.list.Items) == 1 && len(f.group.Members) == 1 {
		f.list, f.node = hooks.Get(sl.name), f.group
	}
	f.list.Items = slices.DeleteFunc(f.list.Items, func(v *jsontree.Value) bool { return v == f.node })
}

// tidy removes the list of a slot and the object around it if they are empty, unless they are in old.
func (s settings) tidy(sl slot, old *jsontree.Value) {
	key := s.key(sl)
	hooks := s.root.Get(key)
	list := hooks.Get(sl.name)
	if list.Is(jsontree.Array) && len(list.Items) == 0 && old.Get(key).Get(sl.name) == nil {
		hooks.Delete(sl.name)
	}
	if len(hooks.Members) == 0 && old.Get(key) == nil {
		s.root.Delete(key)
		if old != nil && old.Get("version") == nil {
			s.root.Delete("version")
		}
	}
}
