package agent

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// settings are the hooks of one slot in one file of an agent, or its servers.
type settings struct {
	agent Agent
	slot  slot
	path  string
	src   []byte
	root  *jsontree.Value

	hooks *jsontree.Value // the value of the key of the hooks, or the servers; nil if the file has no such key
	list  *jsontree.Value // the hooks of the slot, nil if there are none
	ours  []found

	portable bool // it has the line of a plugin or an example, which stays
}

// A found entry is one that runs our hook.
type found struct {
	list, node *jsontree.Value // the array of the entry, nil for a server, and the entry
	group      *jsontree.Value // the group of the array, nil without groups
	place      string          // the numbers of group and entry
	words      []string
	off        string // why the agent may not run it as it stands, or ""
}

// parse reads the settings of an agent and finds the hooks of one slot. Unknown content is ErrConfig, with its place.
func (a Agent) parse(sl slot, path string, src []byte) (settings, error) {
	s := settings{agent: a, slot: sl, path: path, src: src}
	root, err := jsontree.Scan(src)
	if err != nil {
		return s, notJSON(path, err)
	}
	s.root = root
	if err := s.expect(root, jsontree.Object, "the settings"); err != nil {
		return s, err
	}
	if version := root.Get("version"); s.isVersioned() && version != nil &&
		(version.Kind != jsontree.Number || version.Text != "1") {
		return s, s.fault(version, "only version 1 is supported")
	}
	if s.hooks = root.Get(s.key()); s.hooks == nil {
		return s, nil
	}
	if err := s.expect(s.hooks, jsontree.Object, strconv.Quote(s.key())); err != nil {
		return s, err
	}
	if sl.event == server {
		return s, s.readServer()
	}
	if s.list = s.hooks.Get(sl.name); s.list == nil {
		return s, nil
	}
	if err := s.expect(s.list, jsontree.Array, strconv.Quote(sl.name)); err != nil {
		return s, err
	}
	return s, s.readList()
}

// key returns the key of the hooks, or of the servers.
func (s *settings) key() string {
	if s.slot.event == server {
		return s.slot.name
	}
	return cmp.Or(s.agent.get("key"), "hooks")
}

// isVersioned reports whether the file has a version.
func (s *settings) isVersioned() bool { return s.agent.has("versioned") && s.slot.event != server }

// readServer finds our server. Another one can have its name.
func (s *settings) readServer() error {
	n := s.hooks.Get(serverName)
	if n == nil {
		return nil
	}
	if err := s.expect(n, jsontree.Object, "a server"); err != nil {
		return err
	}
	if words := commandWords(n); ourEvent(words) == server {
		s.ours = []found{{node: n, words: words}}
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
	return refuse(advice, "%s: %s", path, problem)
}

// readList finds the hooks of our event, in groups if the agent has them. Hooks of other programs must be what
// the agent allows: an edit next to an unknown value could break it.
func (s *settings) readList() error {
	if !s.agent.has("grouped") {
		return s.readEntries(s.list, nil, -1)
	}
	for i, group := range s.list.Items {
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
		if err := s.readEntries(entries, group, i); err != nil {
			return err
		}
	}
	return nil
}

// readEntries finds the hooks of one list. It checks only the shape of the others.
func (s *settings) readEntries(list, group *jsontree.Value, at int) error {
	for i, n := range list.Items {
		if err := s.expect(n, jsontree.Object, "a hook"); err != nil {
			return err
		}
		for _, key := range []string{"command", "bash", "powershell"} {
			if value := n.Get(key); value != nil && value.Kind != jsontree.String {
				return s.fault(value, fmt.Sprintf("the %q of a hook is not a string", key))
			}
		}
		if args := n.Get("args"); args != nil {
			if err := s.expect(args, jsontree.Array, `the "args" of a hook`); err != nil {
				return err
			}
		}
		if words := commandWords(n); isOf(words, s.slot.event) {
			s.ours = append(s.ours, found{list: list, node: n, group: group, place: fmt.Sprintf("%d:%d", at, i),
				words: words})
		} else if line := commandLine(n); line == s.agent.packaged(s.slot.event) {
			s.portable = true
		}
	}
	return nil
}

// expect refuses a value of another kind.
func (s *settings) expect(n *jsontree.Value, kind jsontree.Kind, what string) error {
	if n.Kind == kind {
		return nil
	}
	return s.fault(n, what+" must be an "+kind.String())
}

// fault returns the error for unknown content, with line and column.
func (s *settings) fault(n *jsontree.Value, problem string) error {
	return refuse("fix it first; nothing was changed", "%s: line %d, column %d: %s", s.path, n.Line, n.Column, problem)
}

// checkKeys refuses a file that the agent would ignore because of an unknown key.
func (s *settings) checkKeys() error {
	for _, m := range s.root.Members {
		if s.agent.has("only") && !slices.Contains(s.agent.words("only"), m.Name) {
			line, column := form.Place(s.src, m.Start)
			return refuse("remove that key; nothing was changed",
				"%s: line %d, column %d: %s ignores a file with the key %q",
				s.path, line, column, s.agent.Title, m.Name)
		}
	}
	return nil
}
