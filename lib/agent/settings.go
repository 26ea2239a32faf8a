package agent

import (
	"errors"
	"fmt"
	"slices"

	"github.com/seed-78daf238/handoff/lib/internal/jsonedit"
)

// settings are the hooks in one file of an agent.
type settings struct {
	agent Agent
	path  string
	src   []byte
	doc   *jsonedit.Document

	hooks *jsonedit.Node // the value of "hooks", nil if there is none
	list  *jsonedit.Node // the hooks of the agent's event, nil if there are none
	ours  []found

	portable bool // the line of a plugin or an example is there, which is not ours to change
}

// A found entry is one that runs our hook.
type found struct {
	parent *jsonedit.Node // the array that it lies in
	i      int
	group  int // which group that array belongs to, -1 without groups
	words  []string
}

func (f found) node() *jsonedit.Node { return f.parent.Items[f.i] }

// parse reads the settings of an agent. What cannot be understood is ErrConfig, with its place.
func (a Agent) parse(path string, src []byte) (settings, error) {
	s := settings{agent: a, path: path, src: src}
	doc, err := jsonedit.Parse(src)
	if err != nil {
		return s, notJSON(path, err)
	}
	s.doc = doc
	if err := s.expect(doc.Root, '{', "the settings"); err != nil {
		return s, err
	}
	if version := doc.Root.Get("version"); a.versioned && version != nil && string(doc.Raw(version)) != "1" {
		return s, s.fault(version, "only version 1 of the file is known")
	}
	if s.hooks = doc.Root.Get("hooks"); s.hooks == nil {
		return s, nil
	}
	if err := s.expect(s.hooks, '{', `"hooks"`); err != nil {
		return s, err
	}
	if s.list = s.hooks.Get(a.event); s.list == nil {
		return s, nil
	}
	if err := s.expect(s.list, '[', fmt.Sprintf("%q", a.event)); err != nil {
		return s, err
	}
	return s, s.readList()
}

func notJSON(path string, err error) error {
	advice := "mend it first; nothing was changed"
	var syntax *jsonedit.SyntaxError
	if errors.As(err, &syntax) && syntax.Hint != "" {
		advice = syntax.Hint + "; nothing was changed"
	}
	return refuse(advice, "%s: %v", path, err)
}

func (s *settings) readList() error {
	if !s.agent.grouped {
		return s.readEntries(s.list, -1)
	}
	for i, group := range s.list.Items {
		if err := s.expect(group, '{', "a group of hooks"); err != nil {
			return err
		}
		entries := group.Get("hooks")
		if entries == nil {
			return s.fault(group, `a group of hooks has no "hooks"`)
		}
		if err := s.expect(entries, '[', `the "hooks" of a group`); err != nil {
			return err
		}
		if err := s.readEntries(entries, i); err != nil {
			return err
		}
	}
	return nil
}

func (s *settings) readEntries(list *jsonedit.Node, group int) error {
	for i, n := range list.Items {
		if err := s.expect(n, '{', "a hook"); err != nil {
			return err
		}
		for _, key := range []string{"command", "bash", "powershell"} {
			if value := n.Get(key); value != nil && value.Kind != '"' {
				return s.fault(value, fmt.Sprintf("the %q of a hook is no string", key))
			}
		}
		if args := n.Get("args"); args != nil {
			if err := s.expect(args, '[', `the "args" of a hook`); err != nil {
				return err
			}
		}
		if words := commandWords(n); isOurs(words) {
			s.ours = append(s.ours, found{list, i, group, words})
		} else if commandLine(n) == s.agent.packaged() {
			s.portable = true
		}
	}
	return nil
}

func (s *settings) expect(n *jsonedit.Node, kind byte, what string) error {
	if byte(n.Kind) == kind {
		return nil
	}
	want := map[byte]string{'{': "an object", '[': "an array"}[kind]
	return s.fault(n, what+" must be "+want)
}

func (s *settings) fault(n *jsonedit.Node, problem string) error {
	line, column := s.doc.Place(n.Start)
	return refuse("mend it first; nothing was changed", "%s: line %d, column %d: %s", s.path, line, column, problem)
}

// checkKeys refuses a file that the agent would drop as a whole.
func (s *settings) checkKeys() error {
	for _, m := range s.doc.Root.Members {
		if s.agent.only != nil && !slices.Contains(s.agent.only, m.Name) {
			line, column := s.doc.Place(m.Start)
			return refuse("remove that key; nothing was changed", "%s: line %d, column %d: %s takes no file with the key %q",
				s.path, line, column, s.agent.Title, m.Name)
		}
	}
	return nil
}

// switchedOff says that the settings turn all hooks off, or "".
func (s *settings) switchedOff() string {
	if off := s.doc.Root.Get("disableAllHooks"); off != nil && off.Kind == 't' {
		return s.path + ` has "disableAllHooks": no hook runs`
	}
	if on := s.doc.Root.Get("hooksConfig").Get("enabled"); on != nil && on.Kind == 'f' {
		return s.path + ` has "hooksConfig" with "enabled": false: no hook runs`
	}
	return ""
}
