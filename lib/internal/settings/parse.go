package settings

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// MaxBytes is the largest settings file that is read.
const MaxBytes = 64 << 10

// Parse returns the settings that src, the text of a settings file, makes of the defaults; an empty
// text is valid. Paths come back as they are written. name is what errors call the file; an error
// has a line for every bad key.
func Parse(src []byte, name string) (Settings, error) {
	root, err := decode(src)
	if err != nil {
		return Settings{}, fmt.Errorf("%s: %w", name, err)
	}
	if root == nil {
		return defaults(), nil
	}
	if root.Kind != yaml.MappingNode {
		return Settings{}, fmt.Errorf("%s:%d: the settings must be lines of the form key: value", name, root.Line)
	}
	s := defaults()
	var faults []error
	if err := plain(root); err != nil {
		faults = append(faults, fmt.Errorf("%s:%d: %w", name, root.Line, err))
	}
	known, lines := s.table(), map[string]int{}
	for i := 0; i+1 < len(root.Content); i += 2 {
		k := root.Content[i]
		if err := assign(k, root.Content[i+1], known, lines); err != nil {
			faults = append(faults, fmt.Errorf("%s:%d: %w", name, k.Line, err))
		}
	}
	if len(faults) > 0 {
		return Settings{}, errors.Join(faults...)
	}
	return s, nil
}

// decode returns the root of the one YAML document in src, nil when it holds nothing.
func decode(src []byte) (*yaml.Node, error) {
	switch {
	case len(src) > MaxBytes:
		return nil, fmt.Errorf("the file is larger than %d bytes; make it smaller", MaxBytes)
	case bytes.IndexByte(src, 0) >= 0:
		return nil, errors.New("the file holds zeros, as a power cut may leave them; restore it, or empty it for the defaults")
	case !utf8.Valid(src):
		return nil, errors.New("the file is not valid UTF-8; save it as UTF-8")
	case bytes.ContainsAny(src, "\u0085\u2028\u2029"): // a comment could hide a key from a reader of the file
		return nil, errors.New("the file holds a Unicode line separator, which YAML takes for a line break; remove it")
	case bytes.HasPrefix(src, []byte("...")) || bytes.Contains(src, []byte("\n...")):
		return nil, fmt.Errorf("a line begins with %q, which hides what follows; remove it", "...")
	}
	decoder := yaml.NewDecoder(bytes.NewReader(src))
	var document, second yaml.Node
	err := decoder.Decode(&document)
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("not valid settings: %w", err)
	}
	if err := decoder.Decode(&second); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("more than one YAML document, the second after line %d; keep one", document.Line)
	}
	root := document.Content[0]
	if root.Kind == yaml.ScalarNode && root.Value == "" && root.Style == 0 && root.Anchor == "" {
		return nil, nil
	}
	return root, nil
}

// plain refuses what makes a value differ from what is written in its place.
func plain(n *yaml.Node) error {
	switch {
	case n.Kind == yaml.AliasNode:
		return fmt.Errorf("aliases are not allowed; write the value of *%s again", n.Value)
	case n.Anchor != "":
		return fmt.Errorf("anchors are not allowed; remove &%s", n.Anchor)
	case n.Style&yaml.TaggedStyle != 0:
		return fmt.Errorf("tags are not allowed; remove %s", n.Tag)
	}
	return nil
}

// assign sets one key, and notes its line.
func assign(k, v *yaml.Node, known []key, lines map[string]int) error {
	if err := errors.Join(plain(k), plain(v)); err != nil {
		return err
	}
	if k.Kind != yaml.ScalarNode {
		return errors.New("a key must be a word, not a list or a mapping")
	}
	for _, row := range known {
		if row.name != k.Value {
			continue
		}
		if first, repeated := lines[row.name]; repeated {
			return fmt.Errorf("%s is set already on line %d; keep one", row.name, first)
		}
		lines[row.name] = k.Line
		return row.assign(v)
	}
	return fmt.Errorf("unknown key %.80q; the nearest known one is %s", k.Value, nearest(k.Value, known))
}

func (k key) assign(v *yaml.Node) error {
	tag := v.ShortTag()
	switch {
	case v.Kind != yaml.ScalarNode:
		return fmt.Errorf("%s must be %s, not a list or a mapping", k.name, k.want)
	case tag == "!!null":
		return fmt.Errorf("%s has no value; give it one or remove the line", k.name)
	case tag == k.tag && k.set(v.Value, File):
		return nil
	}
	hint := ""
	if tag != k.tag && k.set(v.Value, File) { // right text of the wrong type: an error all the same
		hint = "; write it in quotes"
		if k.tag != "!!str" {
			hint = "; write it without quotes"
		}
	}
	return fmt.Errorf("%s must be %s, not %.80q%s", k.name, k.want, v.Value, hint)
}

// environ sets what environment variables give.
func (s *Settings) environ(getenv func(string) string) error {
	var faults []error
	for _, k := range s.table() {
		if k.variable == "" {
			continue
		}
		text := getenv(k.variable)
		if text != "" && !k.set(text, Environment) {
			faults = append(faults, fmt.Errorf("the environment variable %s must be %s, not %.80q", k.variable, k.want, text))
		}
	}
	return errors.Join(faults...)
}
