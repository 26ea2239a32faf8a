package agent

import (
	"bytes"
	"cmp"
	"encoding/json"
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

// entry returns a hook in the form of this agent.
func (a Agent) entry(words []string) *jsontree.Value {
	v := fill(a.get("entry"), func(part string) string {
		parts := strings.NewReplacer("PROGRAM", words[0], "LINE", shell(words), "POWERSHELL", powerShell(words))
		return parts.Replace(part)
	})
	if args := v.Get("args"); args != nil {
		args.Items = nil
		for _, word := range words[1:] {
			args.Items = append(args.Items, jsontree.NewString(word))
		}
	}
	return v
}

// add returns the settings with one hook of ours. They must have none.
func (s settings) add(hook *jsontree.Value) []byte {
	if s.agent.has("versioned") && s.hooks == nil && s.root.Get("version") == nil {
		s.root.Set("version", jsontree.NewInt(1))
	}
	if s.hooks == nil {
		s.hooks = jsontree.NewObject()
		s.root.Set("hooks", s.hooks)
	}
	if s.list == nil {
		s.list = jsontree.NewArray()
		s.hooks.Set(s.agent.native(s.event), s.list)
	}
	s.list.Items = append(s.list.Items, s.agent.item(hook))
	return s.root.OnLines(s.src)
}

// withHook returns the settings with one hook of ours. It replaces the first one that was there.
func (s settings) withHook(c Command) (_ []byte, err error) {
	hook := s.agent.entry(c.words(s.agent.Name, s.event))
	if len(s.ours) == 0 {
		return s.add(hook), nil
	}
	for _, f := range s.ours[1:] {
		s.remove(f)
	}
	if len(s.ours) > 1 {
		if s, err = s.agent.parse(s.event, s.path, s.root.OnLines(s.src)); err != nil {
			return nil, err
		}
	}
	old, text := s.ours[0].node, hook.Append(nil)
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

// install returns settings with one hook of ours for each event, and whether they had any.
func (a Agent) install(path string, text []byte, c Command) (_ []byte, had bool, err error) {
	var all []settings
	for _, e := range a.events() {
		s, err := a.parse(e, path, text)
		if err != nil {
			return nil, false, err
		}
		all = append(all, s)
		had = had || len(s.ours) > 0
	}
	if err := all[0].checkKeys(); err != nil {
		return nil, had, err
	}
	for _, s := range all {
		for _, f := range s.ours {
			c.To = cmp.Or(c.To, Operator(f.words))
		}
	}
	for _, e := range a.events() {
		s, err := a.parse(e, path, text)
		if err == nil {
			text, err = s.withHook(c)
		}
		if err != nil {
			return nil, had, err
		}
	}
	return text, had, nil
}

// uninstall returns settings without our hooks, and the command of the first. before is the text from before the
// hooks were added, nil if unknown. The hooks are taken out in the reverse order of adding, so that each leaves the
// text from before it.
func (a Agent) uninstall(path string, text, before []byte) (_ []byte, words []string, err error) {
	befores := make(map[Event][]byte)
	for _, e := range a.events() {
		s, err := a.parse(e, path, text)
		if err != nil {
			return nil, nil, err
		}
		befores[e] = before
		if len(s.ours) == 0 {
			continue
		}
		if words == nil {
			words = s.ours[0].words
		}
		old, err := a.parse(e, path, before)
		hook := s.ours[0].node
		if v, faulty := jsontree.Scan(text[hook.Start:hook.End]); err == nil && faulty == nil && len(old.ours) == 0 {
			before = old.add(v.Unplaced())
		}
	}
	for _, e := range slices.Backward(a.events()) {
		s, err := a.parse(e, path, text)
		if err != nil {
			return nil, nil, err
		}
		if len(s.ours) > 0 {
			text = s.withoutHooks(befores[e])
		}
	}
	return text, words, nil
}

// withoutHooks returns the settings without our hooks. before is the text from before the hook was added, nil if
// unknown. If the added bytes are still together, exactly they are removed. Otherwise the hook is removed
// together with every group and list that becomes empty, unless it was there before.
func (s settings) withoutHooks(before []byte) []byte {
	old, err := s.agent.parse(s.event, s.path, before)
	if err != nil {
		old = settings{} // the file did not exist
	} else if out := s.undo(old); out != nil {
		return out
	}
	for _, f := range s.ours {
		s.remove(f)
	}
	if len(s.list.Items) == 0 && old.list == nil {
		s.hooks.Delete(s.agent.native(s.event))
	}
	if len(s.hooks.Members) == 0 && old.hooks == nil {
		s.root.Delete("hooks")
	}
	return s.root.OnLines(s.src)
}

// undo removes exactly the text that adding our hook to the old settings inserts. It returns nil if that text is
// not there.
func (s settings) undo(old settings) []byte {
	if len(s.ours) != 1 || len(old.ours) > 0 {
		return nil
	}
	hook := s.ours[0].node
	value, err := jsontree.Scan(s.src[hook.Start:hook.End])
	if err != nil {
		return nil
	}
	added, err := s.agent.parse(s.event, s.path, old.add(value.Unplaced()))
	if err != nil || len(added.ours) != 1 {
		return nil
	}
	at := 0 // the place of the insertion
	for at < len(old.src) && old.src[at] == added.src[at] {
		at++
	}
	text := added.src[at : at+len(added.src)-len(old.src)]
	start := hook.Start - (added.ours[0].node.Start - at)
	if start < 0 || !bytes.HasPrefix(s.src[start:], text) {
		return nil
	}
	out := slices.Concat(s.src[:start], s.src[start+len(text):])
	if left, err := s.agent.parse(s.event, s.path, out); err != nil || len(left.ours) > 0 {
		return nil
	}
	return out
}

// remove removes a hook, and its group if that only wraps it.
func (s settings) remove(f found) {
	if f.group != nil && len(f.list.Items) == 1 && len(f.group.Members) == 1 {
		f.list, f.node = s.list, f.group
	}
	f.list.Items = slices.DeleteFunc(f.list.Items, func(v *jsontree.Value) bool { return v == f.node })
}

// isBare reports whether the settings are empty.
func (s settings) isBare() bool {
	says := func(m jsontree.Member) bool { return m.Name != "version" || !s.agent.has("versioned") }
	return !slices.ContainsFunc(s.root.Members, says)
}
