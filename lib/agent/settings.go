package agent

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// settings are the entries of ours in one file of an agent.
type settings struct {
	agent Agent
	path  string
	src   []byte
	slots []slot
	root  *jsontree.Value // nil if the file is not JSON

	ours map[slot][]found
}

// A found entry is one that runs our hook, or our server.
type found struct {
	list, node *jsontree.Value // the array of the entry, nil for a server, and the entry
	group      *jsontree.Value // the group of the array, nil without groups
	words      []string
}

// parse reads a settings file of an agent and finds our entries in its slots. Unknown content is ErrConfig, with its
// place.
func (a Agent) parse(file string, src []byte, slots []slot) (s settings, err error) {
	s = settings{agent: a, path: file, src: src, slots: slots, ours: make(map[slot][]found)}
	if path.Ext(file) == ".js" {
		return s, s.readScript()
	}
	if s.root, err = jsontree.Scan(src); err != nil {
		return s, notJSON(file, err)
	}
	if err := s.expect(s.root, jsontree.Object, "the settings"); err != nil {
		return s, err
	}
	if version := s.root.Get("version"); s.isVersioned() && version != nil &&
		(version.Kind != jsontree.Number || version.Text != "1") {
		return s, s.fault(version, "only version 1 is supported")
	}
	for _, sl := range slots {
		if err := s.read(sl); err != nil {
			return s, err
		}
	}
	return s, nil
}

// key returns the key of the hooks, or of the servers.
func (s settings) key(sl slot) string {
	if sl.event == server {
		return sl.name
	}
	return "hooks"
}

// isVersioned reports whether the file has a version.
func (s settings) isVersioned() bool { return s.agent.has("versioned") && s.slots[0].event != server }

// read finds our entries of a slot: our server, whose name another one can have, or the hooks of an event, in groups if
// the agent has them. Hooks of other programs must be what the agent allows: an edit next to an unknown value could
// break it.
func (s settings) read(sl slot) error {
	hooks := s.root.Get(s.key(sl))
	if err := s.expect(hooks, jsontree.Object, strconv.Quote(s.key(sl))); err != nil {
		return err
	}
	if sl.event == server {
		n := hooks.Get(serverName)
		if words := commandWords(n); ourEvent(words) == server {
			s.ours[sl] = []found{{node: n, words: words}}
		}
		return s.expect(n, jsontree.Object, "a server")
	}
	list := hooks.Get(sl.name)
	if err := s.expect(list, jsontree.Array, strconv.Quote(sl.name)); err != nil {
		return err
	}
	if !s.agent.has("grouped") {
		return s.readEntries(sl, list, nil)
	}
	for _, group := range list.All() {
		if err := s.expect(group, jsontree.Object, "a group of hooks"); err != nil {
			return err
		}
		entries := group.Get("hooks")
		if entries == nil {
			return s.fault(group, `a group of hooks has no "hooks"`)
		}
		if err := s.expect(entries, jsontree.Array, `the "hooks" of a group`); err != nil {
			return err
		}
		if err := s.readEntries(sl, entries, group); err != nil {
			return err
		}
	}
	return nil
}

// notJSON returns the error for settings that are not JSON. It adds that nothing was changed.
func notJSON(path string, err error) error {
	advice := "fix it first; nothing was changed"
	problem := err.Error()
	if found, is := errors.AsType[*fault.DocumentError](err); is {
		f := found.Faults[0]
		if f.Hint != "" {
			advice = f.Hint + "; nothing was changed"
		}
		f.Hint = ""
		problem = f.String()
	}
	return fault.Config(advice, "%s: %s", path, problem)
}

// readEntries finds the hooks of one list. It checks only the shape of the others.
func (s settings) readEntries(sl slot, list, group *jsontree.Value) error {
	for _, n := range list.All() {
		if err := s.expect(n, jsontree.Object, "a hook"); err != nil {
			return err
		}
		for _, key := range []string{"command", "bash", "powershell"} {
			if err := s.expect(n.Get(key), jsontree.String, fmt.Sprintf("the %q of a hook", key)); err != nil {
				return err
			}
		}
		if err := s.expect(n.Get("args"), jsontree.Array, `the "args" of a hook`); err != nil {
			return err
		}
		if words := commandWords(n); isHook(words) {
			s.ours[sl] = append(s.ours[sl], found{list: list, node: n, group: group, words: words})
		}
	}
	return nil
}

// expect refuses a value of another kind. It can be missing.
func (s settings) expect(n *jsontree.Value, kind jsontree.Kind, what string) error {
	if n == nil || n.Kind == kind {
		return nil
	}
	return s.fault(n, what+" must be of type "+kind.String())
}

// fault returns the error for unknown content, with line and column.
func (s settings) fault(n *jsontree.Value, problem string) error {
	return fault.Config("fix it first; nothing was changed",
		"%s: line %d, column %d: %s", s.path, n.Line, n.Column, problem)
}

// checkKeys refuses a file that the agent would ignore because of an unknown key.
func (s settings) checkKeys() error {
	for _, m := range s.root.Members {
		if s.agent.has("only") && !slices.Contains(s.agent.words("only"), m.Name) {
			line, column := form.Place(s.src, m.Start)
			return fault.Config("remove that key; nothing was changed",
				"%s: line %d, column %d: %s ignores a file with the key %q",
				s.path, line, column, s.agent.Title, m.Name)
		}
	}
	return nil
}
