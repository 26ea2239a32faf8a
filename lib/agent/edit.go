package agent

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"

	"github.com/seed-78daf238/handoff/lib/internal/jsonedit"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// whole returns settings with one hook and nothing else, inHooks the value of "hooks" in them, inList the
// value of the agent's event in that, and item the element of that list.
func (a Agent) whole(hook []byte, version bool) []byte {
	head := "{"
	if version {
		head = `{"version":1,`
	}
	return []byte(head + `"hooks":` + string(a.inHooks(hook)) + "}")
}

// inHooks returns the object of all hooks with only ours in it.
func (a Agent) inHooks(hook []byte) []byte {
	return []byte("{" + string(jsontree.AppendQuoted(nil, a.event)) + ":" + string(a.inList(hook)) + "}")
}

// inList returns the list of the hooks of one event with only ours in it.
func (a Agent) inList(hook []byte) []byte { return []byte("[" + string(a.item(hook)) + "]") }

// item returns our hook as this agent lists it: some agents group hooks that have a matcher in common.
func (a Agent) item(hook []byte) []byte {
	if a.grouped {
		return []byte(`{"hooks":[` + string(hook) + "]}")
	}
	return hook
}

// fresh returns the text of settings with one hook and nothing else.
func (a Agent) fresh(hook []byte) []byte {
	var out bytes.Buffer
	if json.Indent(&out, a.whole(hook, a.versioned), "", "  ") != nil {
		return nil // not for JSON of ours
	}
	return append(out.Bytes(), '\n')
}

// add returns the edit that adds a hook to settings that have none of ours.
func (s settings) add(hook []byte) jsonedit.Edit {
	a := s.agent
	switch {
	case s.hooks == nil:
		return s.doc.AppendMembers(s.doc.Root, a.whole(hook, a.versioned && s.doc.Root.Get("version") == nil))
	case s.list == nil:
		return s.doc.AppendMembers(s.hooks, a.inHooks(hook))
	}
	return s.doc.AppendItem(s.list, a.item(hook))
}

// withHook returns the settings with one hook of ours, which is in the place of the first that was there.
func (s settings) withHook(hook []byte) ([]byte, error) {
	if len(s.ours) == 0 {
		return s.add(hook).Apply(s.src), nil
	}
	for len(s.ours) > 1 {
		var err error
		if s, err = s.agent.parse(s.path, s.remove(s.ours[1]).Apply(s.src)); err != nil {
			return nil, err
		}
	}
	node := s.ours[0].node()
	if sameJSON(s.doc.Raw(node), hook) {
		return s.src, nil
	}
	return s.doc.Replace(node, hook).Apply(s.src), nil
}

// sameJSON reports whether two texts are the same value, whatever their spaces and the order of their keys.
func sameJSON(a, b []byte) bool {
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false
	}
	return reflect.DeepEqual(x, y)
}

// withoutHooks returns the settings without hooks of ours. before is what they were before the hook was
// added, nil if that is not known: exactly the bytes that were added to it are taken out, wherever they
// are now. If they are no longer together, the hook is taken out with what is empty without it.
func (s settings) withoutHooks(before []byte) ([]byte, error) {
	if len(s.ours) == 1 && before != nil {
		if out := s.undo(before); out != nil {
			return out, nil
		}
	}
	for len(s.ours) > 0 {
		var err error
		if s, err = s.prune(s.ours[0], before); err != nil {
			return nil, err
		}
	}
	return s.src, nil
}

// undo takes out what adding our hook to before would add, nil if that is not there.
func (s settings) undo(before []byte) []byte {
	hook := s.ours[0].node()
	old, err := s.agent.parse(s.path, before)
	if err != nil || len(old.ours) > 0 {
		return nil
	}
	edit := old.add(s.doc.Raw(hook))
	added, err := s.agent.parse(s.path, edit.Apply(before))
	if err != nil || len(added.ours) != 1 {
		return nil
	}
	start := hook.Start - (added.ours[0].node().Start - edit.Start)
	end := start + len(edit.New)
	if start < 0 || end > len(s.src) || !bytes.Equal(s.src[start:end], edit.New) {
		return nil
	}
	out := slices.Concat(s.src[:start], s.src[end:])
	if left, err := s.agent.parse(s.path, out); err != nil || len(left.ours) > 0 {
		return nil
	}
	return out
}

// prune takes one hook out, and then what holds nothing any more, unless it was there before.
func (s settings) prune(f found, before []byte) (settings, error) {
	old, err := s.agent.parse(s.path, before)
	if err != nil {
		old = settings{} // nothing was there before
	}
	edit := s.remove(f)
	if edit.Start == s.list.Start+1 && edit.End == s.list.End-1 && old.list == nil { // the list would be empty
		edit = s.doc.Remove(s.hooks, s.member(s.hooks, s.agent.event))
		if len(s.hooks.Members) == 1 && old.hooks == nil {
			edit = s.doc.Remove(s.doc.Root, s.member(s.doc.Root, "hooks"))
		}
	}
	return s.agent.parse(s.path, edit.Apply(s.src))
}

// remove returns the edit that takes a hook out, with its group if that is nothing but a wrapper.
func (s settings) remove(f found) jsonedit.Edit {
	if f.group >= 0 && len(f.parent.Items) == 1 && len(s.list.Items[f.group].Members) == 1 {
		return s.doc.Remove(s.list, f.group)
	}
	return s.doc.Remove(f.parent, f.i)
}

// member returns at which place an object has a key, -1 if it does not.
func (s settings) member(object *jsontree.Value, name string) int {
	return slices.IndexFunc(object.Members, func(m jsontree.Member) bool { return m.Name == name })
}

// isBare reports whether the settings say nothing.
func (s settings) isBare() bool {
	for _, m := range s.doc.Root.Members {
		if m.Name != "version" || !s.agent.versioned {
			return false
		}
	}
	return true
}
