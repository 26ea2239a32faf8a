package agent

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
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
	path  string
	src   []byte
	root  hujson.Value

	line, unit string        // its line break and indentation, both "" if it is on one line
	before     *hujson.Value // the settings before our entries were added, nil if unknown
}

// parse reads settings. What their agent would not read, and what another program could read in another way, is
// ErrConfig with its place.
func (a Agent) parse(path string, src []byte, comments, commas bool) (s config, err error) {
	s = config{agent: a, path: path, src: src}
	switch {
	case bytes.HasPrefix(src, []byte("\ufeff")):
		return s, s.fault(0, "remove it", "a byte-order mark")
	case len(bytes.TrimSpace(src)) == 0:
		return s, fault.Config("write {} into it", "%s is empty", path)
	}
	if s.root, err = hujson.Parse(src); err != nil {
		return s, fault.Config("fix it first; nothing was changed", "%s: %s", path,
			strings.TrimPrefix(err.Error(), "hujson: "))
	}
	if err := s.expect("", '{', "the settings"); err != nil {
		return s, err
	}
	for v := range s.root.All() {
		if err := s.checkValue(v, comments, commas); err != nil {
			return s, err
		}
	}
	s.line, s.unit = "\n", "  "
	if members := s.root.Value.(*hujson.Object).Members; len(members) > 0 {
		before := string(members[0].Name.BeforeExtra)
		at := strings.LastIndexByte(before, '\n') + 1
		if s.unit = before[at:]; at == 0 {
			s.line, s.unit = "", ""
		} else if strings.Contains(before, "\r\n") {
			s.line = "\r\n"
		}
	}
	return s, nil
}

// checkValue refuses comments, trailing commas and duplicate keys.
func (s *config) checkValue(v *hujson.Value, comments, commas bool) error {
	var last *hujson.Value
	extras := map[int]hujson.Extra{v.StartOffset - len(v.BeforeExtra): v.BeforeExtra, v.EndOffset: v.AfterExtra}
	switch c := v.Value.(type) {
	case *hujson.Object:
		extras[v.EndOffset-1-len(c.AfterExtra)] = c.AfterExtra
		seen := make(map[string]bool)
		for i, m := range c.Members {
			name := m.Name.Value.(hujson.Literal).String()
			if seen[name] {
				return s.fault(m.Name.StartOffset, "remove one", fmt.Sprintf("the key %q a second time", name))
			}
			seen[name], last = true, &c.Members[i].Value
		}
	case *hujson.Array:
		extras[v.EndOffset-1-len(c.AfterExtra)] = c.AfterExtra
		if n := len(c.Elements); n > 0 {
			last = &c.Elements[n-1]
		}
	}
	for at, extra := range extras {
		if !comments && !extra.IsStandard() {
			return s.fault(at+bytes.IndexByte(extra, '/'), "remove the comments", "a comment")
		}
	}
	if !commas && last != nil && last.AfterExtra != nil {
		return s.fault(last.EndOffset+len(last.AfterExtra), "remove it", "a comma before the end")
	}
	return nil
}

// fault returns the error for a place in the settings.
func (s *config) fault(at int, hint, problem string) error {
	line, column := form.Place(s.src, at)
	return fault.Config(hint+"; nothing was changed", "%s: line %d, column %d: %s", s.path, line, column, problem)
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

// checkFile refuses a file that the agent ignores because of a key, or has in another version.
func (s *config) checkFile() error {
	for _, m := range s.root.Value.(*hujson.Object).Members {
		name := m.Name.Value.(hujson.Literal).String()
		if only := s.agent.Only; only != nil && !slices.Contains(only, name) {
			return s.fault(m.Name.StartOffset, "remove that key",
				fmt.Sprintf("%s ignores a file with the key %q", s.agent.Title, name))
		}
		if s.agent.Versioned && name == "version" && string(m.Value.Pack()) != " 1" &&
			strings.TrimSpace(string(m.Value.Pack())) != "1" {
			return s.fault(m.Value.StartOffset, "fix it first", "only version 1 is supported")
		}
	}
	return nil
}

// A found entry is one of ours.
type found struct {
	pointer string   // of the entry, or of the group that has nothing else
	inner   string   // of the entry
	words   []string // its command
}

// hooks returns our entries for an event of the agent.
func (s *config) hooks(event string) (all []found, err error) {
	list := "/hooks/" + event
	if err := cmp.Or(s.expect("/hooks", '{', `"hooks"`), s.expect(list, '[', strconv.Quote(event))); err != nil {
		return nil, err
	}
	for i := range elements(s.root.Find(list)) {
		outer := list + "/" + strconv.Itoa(i)
		if err := s.expect(outer, '{', "a hook"); err != nil {
			return nil, err
		}
		if !s.agent.Grouped {
			all = s.addOurs(all, outer, outer)
			continue
		}
		if err := s.expect(outer+"/hooks", '[', `the "hooks" of a group`); err != nil {
			return nil, err
		}
		n := elements(s.root.Find(outer + "/hooks"))
		group := s.root.Find(outer).Value.(*hujson.Object)
		for j := range n {
			inner := outer + "/hooks/" + strconv.Itoa(j)
			if err := s.expect(inner, '{', "a hook"); err != nil {
				return nil, err
			}
			whole := inner
			if n == 1 && len(group.Members) == 1 {
				whole = outer
			}
			all = s.addOurs(all, whole, inner)
		}
	}
	return all, nil
}

func (s *config) addOurs(all []found, pointer, inner string) []found {
	if words := wordsOf(standard(s.root.Find(inner))); isOurs(words, "hook") {
		return append(all, found{pointer, inner, words})
	}
	return all
}

// put sets our hook of an event. A nil entry removes it.
func (s *config) put(event string, entry json.RawMessage) error {
	ours, err := s.hooks(event)
	if err != nil {
		return err
	}
	for i, f := range slices.Backward(ours) {
		if i > 0 || entry == nil {
			s.remove(f.pointer)
		}
	}
	switch {
	case entry == nil && len(ours) > 0:
		s.prune("/hooks/"+event, "/hooks")
	case entry == nil:
	case len(ours) == 0:
		s.add([]string{"hooks", event, "-"}, entry)
	default:
		s.replace(ours[0], entry)
	}
	return nil
}

// replace replaces an entry of ours that differs.
func (s *config) replace(old found, entry json.RawMessage) {
	if old.pointer != old.inner || !s.agent.Grouped {
		s.change(old.pointer, entry)
		return
	}
	var group struct{ Hooks []json.RawMessage } // a person put it into a group of others
	_ = json.Unmarshal(entry, &group)
	s.change(old.pointer, group.Hooks[0])
}

func (s *config) change(pointer string, value json.RawMessage) {
	if !isSame(standard(s.root.Find(pointer)), value) {
		s.patch("replace", pointer, s.indented(value, strings.Count(pointer, "/")))
	}
}

// putServer sets our server. A nil entry removes it.
func (s *config) putServer(entry json.RawMessage) error {
	key := s.agent.Server.Key
	at := "/" + key + "/" + serverName
	if err := cmp.Or(s.expect("/"+key, '{', strconv.Quote(key)), s.expect(at, '{', "a server")); err != nil {
		return err
	}
	old := s.root.Find(at)
	isOurs := old != nil && isOurs(wordsOf(standard(old)), "mcp")
	switch {
	case entry != nil && old == nil:
		s.add([]string{key, serverName}, entry)
	case entry != nil && !isOurs:
		return s.fault(old.StartOffset, "rename it first", "another server has the name "+serverName)
	case entry != nil:
		s.change(at, entry)
	case isOurs:
		s.remove(at)
		s.prune("/" + key)
	}
	return nil
}

// add adds a value at a path. What is missing above it is made.
func (s *config) add(names []string, value json.RawMessage) {
	depth, at := 0, ""
	for depth < len(names)-1 && s.root.Find(at+"/"+names[depth]) != nil {
		at += "/" + names[depth]
		depth++
	}
	for _, name := range slices.Backward(names[depth+1:]) {
		text := `{` + quote(name) + `: ` + string(value) + `}`
		if name == "-" {
			text = "[" + string(value) + "]"
		}
		value = json.RawMessage(text)
	}
	s.patch("add", at+"/"+names[depth], s.indented(value, depth+1))
	s.indentLast(s.root.Find(at), depth)
}

// prune removes containers that removing our entries left empty, unless they were there before.
func (s *config) prune(pointers ...string) {
	for _, p := range pointers {
		v := s.root.Find(p)
		if v == nil || elements(v) > 0 {
			continue
		}
		if s.before == nil || s.before.Find(p) == nil {
			s.remove(p)
		} else if old := s.before.Find(p); elements(old) == 0 {
			v.Value = old.Value
		}
	}
}

func (s *config) remove(pointer string) { s.patch("remove", pointer, []byte("null")) }

func (s *config) patch(op, pointer string, value []byte) {
	text := fmt.Sprintf(`[{"op": %q, "path": %s, "value": %s}]`, op, quote(pointer), value)
	_ = s.root.Patch([]byte(text)) // hooks and putServer checked what is on the way
}

// indented returns a value in the layout of the settings.
func (s *config) indented(value json.RawMessage, depth int) []byte {
	if s.line == "" {
		return value
	}
	var out bytes.Buffer
	_ = json.Indent(&out, value, strings.Repeat(s.unit, depth), s.unit)
	return bytes.ReplaceAll(out.Bytes(), []byte("\n"), []byte(s.line))
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
	if s.line == "" && elements(v) > 1 {
		*before = hujson.Extra(" ")
	}
	if s.line != "" {
		*before = append(bytes.TrimRight(*before, " \t\r\n"), s.line+strings.Repeat(s.unit, depth+1)...)
		if !bytes.Contains(*after, []byte("\n")) {
			*after = append(*after, s.line+strings.Repeat(s.unit, depth)...)
		}
	}
}

// elements returns how many members or elements a value has.
func elements(v *hujson.Value) int {
	if v == nil {
		return 0
	}
	switch c := v.Value.(type) {
	case *hujson.Object:
		return len(c.Members)
	case *hujson.Array:
		return len(c.Elements)
	}
	return 0
}

// standard returns a value as standard JSON.
func standard(v *hujson.Value) json.RawMessage {
	c := v.Clone()
	c.Minimize()
	return c.Pack()
}

func isSame(a, b json.RawMessage) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}
