package agent

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// A config is a settings file that was understood. It is changed by patches alone, so that all other bytes stay.
type config struct {
	agent Agent
	file  string // its path
	src   []byte
	root  hujson.Value

	unit   string        // the indentation, "" if the settings are on one line
	words  []string      // the command of our first entry in it, nil if there was none
	before *hujson.Value // the settings before our entries were added, nil if unknown
}

// parse reads settings. What their agent would not read, and what another program could read in another way, is
// ErrConfig with its place.
func (a Agent) parse(path string, src []byte, comments bool) (s config, err error) {
	s = config{agent: a, file: path, src: src, unit: "  "}
	switch {
	case bytes.HasPrefix(src, []byte("\ufeff")):
		return s, s.fault(0, "remove it", "a byte-order mark")
	case len(bytes.TrimSpace(src)) == 0:
		return s, fault.Config("write {} into it", "%s is empty", path)
	}
	syntax, isOdd := errors.AsType[*json.SyntaxError](json.Unmarshal(src, new(json.RawMessage)))
	if isOdd && !comments {
		at := int(syntax.Offset) - 1
		if src[at] == '/' {
			return s, s.fault(at, "remove the comments", "a comment, which "+a.Title+" does not read")
		}
		return s, s.fault(at, "fix it first", syntax.Error())
	}
	if s.root, err = hujson.Parse(src); err != nil {
		return s, fault.Config("fix it first; nothing was changed", "%s: %s", path,
			strings.TrimPrefix(err.Error(), "hujson: "))
	}
	for v := range s.root.All() {
		seen := make(map[string]bool)
		for _, m := range members(v) {
			name := m.Name.Value.(hujson.Literal).String()
			if seen[name] {
				return s, s.fault(m.Name.StartOffset, "remove one", fmt.Sprintf("the key %q a second time", name))
			}
			seen[name] = true
		}
	}
	if all := members(&s.root); len(all) > 0 {
		before := string(all[0].Name.BeforeExtra)
		_, s.unit, _ = strings.Cut(before[max(0, strings.LastIndexByte(before, '\n')):], "\n")
	}
	return s, s.expect("", '{', "the settings")
}

// members returns the members of an object, none for another value.
func members(v *hujson.Value) []hujson.ObjectMember {
	if object, is := v.Value.(*hujson.Object); is {
		return object.Members
	}
	return nil
}

// fault returns the error for a place in the settings.
func (s *config) fault(at int, hint, problem string) error {
	line, column := form.Place(s.src, at)
	return fault.Config(hint+"; nothing was changed", "%s: line %d, column %d: %s", s.file, line, column, problem)
}

// expect refuses a value of another kind. It can be missing.
func (s *config) expect(pointer string, kind hujson.Kind, what string) error {
	v := s.root.Find(pointer)
	if v == nil || v.Value.Kind() == kind {
		return nil
	}
	want := map[hujson.Kind]string{'{': "object", '[': "array"}[kind]
	return s.fault(v.StartOffset, "fix it first", what+" must be of type "+want)
}

// putHooks sets our hooks of all events, or removes them if c is nil.
func (s *config) putHooks(c *Command) (err error) {
	const version = "version"
	if c != nil && s.agent.Versioned && s.root.Find("/"+version) == nil && s.length("/hooks") == 0 {
		s.add([]string{version}, "1")
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
	if c == nil && s.agent.Versioned && s.length("/hooks") == 0 {
		s.prune("/" + version)
	}
	return err
}

// A found entry is one of ours.
type found struct {
	whole string // the pointer of the entry, or of the group that has nothing else
	entry string // the pointer of the entry
}

// hooks returns our entries for an event of the agent.
func (s *config) hooks(event string) (all []found, err error) {
	list := "/hooks/" + event
	err = cmp.Or(s.expect("/hooks", '{', `"hooks"`), s.expect(list, '[', strconv.Quote(event)))
	for i := range s.length(list) {
		group, inner := list+"/"+strconv.Itoa(i), ""
		n := 1
		if err = cmp.Or(err, s.expect(group, '{', "a hook")); s.agent.Grouped {
			err = cmp.Or(err, s.expect(group+"/hooks", '[', `the "hooks" of a group`))
			n = s.length(group + "/hooks")
		}
		for j := range n {
			if s.agent.Grouped {
				inner = "/hooks/" + strconv.Itoa(j)
			}
			f := found{whole: group + inner, entry: group + inner}
			if err = cmp.Or(err, s.expect(f.entry, '{', "a hook")); err != nil {
				return nil, err
			}
			if n == 1 && s.length(group) == 1 {
				f.whole = group
			}
			if s.isOurs(f.entry, "hook") {
				all = append(all, f)
			}
		}
	}
	return all, err
}

// isOurs reports whether an entry runs handoff, or a program whose name begins so, with a first argument.
func (s *config) isOurs(pointer, first string) bool {
	words := wordsOf(standard(s.root.Find(pointer)))
	if len(words) < 2 || words[1] != first ||
		!strings.HasPrefix(path.Base(strings.ReplaceAll(words[0], `\`, "/")), "handoff") {
		return false
	}
	if s.words == nil {
		s.words = words
	}
	return true
}

// put sets our hook of an event. Without words it removes it.
func (s *config) put(event string, words []string) error {
	ours, err := s.hooks(event)
	for i, f := range slices.Backward(ours) {
		if i > 0 || words == nil {
			s.patch("remove", f.whole, "null")
		} else {
			s.change(f.entry, fillWords(s.agent.Entry, words))
		}
	}
	switch {
	case err != nil:
	case words == nil:
		s.prune("/hooks/"+event, "/hooks")
	case ours == nil:
		entry := fillWords(s.agent.Entry, words)
		if s.agent.Grouped {
			entry = `{"hooks": [` + entry + `]}`
		}
		s.add([]string{"hooks", event, "-"}, entry)
	}
	return err
}

// putServer sets our server. An empty entry removes it.
func (s *config) putServer(entry string) error {
	key := s.agent.Server.Key
	at := "/" + key + "/" + serverName
	if err := cmp.Or(s.expect("/"+key, '{', strconv.Quote(key)), s.expect(at, '{', "a server")); err != nil {
		return err
	}
	old := s.root.Find(at)
	isOurs := old != nil && s.isOurs(at, "mcp")
	switch {
	case entry != "" && old == nil:
		s.add([]string{key, serverName}, entry)
	case entry != "" && !isOurs:
		return s.fault(old.StartOffset, "rename it first", "another server has the name "+serverName)
	case entry != "":
		s.change(at, entry)
	case isOurs:
		s.patch("remove", at, "null")
	}
	if entry == "" {
		s.prune("/" + key)
	}
	return nil
}

// add adds a value at a path. What is missing above it is made.
func (s *config) add(names []string, value string) {
	depth, at := 0, ""
	for depth < len(names)-1 && s.root.Find(at+"/"+names[depth]) != nil {
		at += "/" + names[depth]
		depth++
	}
	for _, name := range slices.Backward(names[depth+1:]) {
		if name == "-" {
			value = "[" + value + "]"
		} else {
			value = `{` + quote(name) + `: ` + value + `}`
		}
	}
	s.patch("add", at+"/"+names[depth], s.indented(value, depth+1))
	s.indentLast(s.root.Find(at), depth)
}

// change replaces a value that differs.
func (s *config) change(pointer, value string) {
	if now, _ := hujson.Minimize([]byte(value)); standard(s.root.Find(pointer)) != string(now) {
		s.patch("replace", pointer, s.indented(value, strings.Count(pointer, "/")))
	}
}

// prune removes containers that are empty. Those that were there before get their white space back.
func (s *config) prune(pointers ...string) {
	for _, p := range pointers {
		v, old := s.root.Find(p), (*hujson.Value)(nil)
		if s.before != nil {
			old = s.before.Find(p)
		}
		switch {
		case v == nil || elements(v) > 0 || elements(old) > 0:
		case old != nil:
			v.Value = old.Value
		default:
			s.patch("remove", p, "null")
		}
	}
}

func (s *config) patch(op, pointer, value string) {
	text := fmt.Sprintf(`[{"op": %q, "path": %s, "value": %s}]`, op, quote(pointer), value)
	_ = s.root.Patch([]byte(text)) // hooks and putServer checked what is on the way
}

// indented returns a value in the layout of the settings.
func (s *config) indented(value string, depth int) string {
	if s.unit == "" {
		return value
	}
	var out bytes.Buffer
	_ = json.Indent(&out, []byte(value), strings.Repeat(s.unit, depth), s.unit)
	return out.String()
}

// indentLast puts the last member of a container on its own line.
func (s *config) indentLast(v *hujson.Value, depth int) {
	var before, after *hujson.Extra
	switch c := v.Value.(type) {
	case *hujson.Object:
		last := &c.Members[len(c.Members)-1]
		before, after = &last.Name.BeforeExtra, &c.AfterExtra
		last.Value.BeforeExtra = hujson.Extra(" ")
	case *hujson.Array:
		before, after = &c.Elements[len(c.Elements)-1].BeforeExtra, &c.AfterExtra
	}
	if s.unit == "" && elements(v) > 1 {
		*before = hujson.Extra(" ")
	}
	if s.unit != "" {
		*before = append(bytes.TrimRight(*before, " \t\n"), "\n"+strings.Repeat(s.unit, depth+1)...)
		if !bytes.Contains(*after, []byte("\n")) {
			*after = append(*after, "\n"+strings.Repeat(s.unit, depth)...)
		}
	}
}

func (s *config) length(pointer string) int { return elements(s.root.Find(pointer)) }

// elements returns how many members or elements a value has.
func elements(v *hujson.Value) int {
	if v == nil {
		return 0
	}
	if list, is := v.Value.(*hujson.Array); is {
		return len(list.Elements)
	}
	return len(members(v))
}

// standard returns a value as standard JSON.
func standard(v *hujson.Value) string {
	c := v.Clone()
	c.Minimize()
	return c.String()
}
