package settings

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// MaxBytes is the maximum size of a settings file.
const MaxBytes = 64 << 10

// maxNodes is more than the number of nodes in MaxBytes of valid settings.
const maxNodes = 1000

// parse sets the keys in src.
func parse(src []byte, name string, known []key) error {
	if len(src) == 0 {
		return nil
	}
	if len(src) <= MaxBytes && bytes.IndexByte(src, 0) >= 0 {
		return &placed{name, 0,
			errors.New("the file holds zeros, as a power cut may leave them; restore it, or empty it for the defaults")}
	}
	root, problems := document.ReadYAML(form.Normal(src), document.YAMLOptions{Name: "the file", MaxBytes: MaxBytes,
		MaxNodes: maxNodes})
	var faults []error
	for _, p := range problems {
		faults = append(faults, &placed{name, p.Line, errors.New(p.Problem + "; " + p.Hint)})
	}
	switch {
	case root == nil, root.Plain && root.Text == "": // empty, or only an end of the document
	case root.Kind != document.Mapping:
		faults = append(faults, &placed{name, root.Line,
			errors.New("the settings must be lines of the form key: value")})
	default:
		for _, m := range root.Members {
			if err := assign(m, known); err != nil {
				faults = append(faults, &placed{name, m.Key.Line, err})
			}
		}
	}
	return errors.Join(faults...)
}

// A placed error is a problem in a line of a settings file; line 0 means the whole file.
type placed struct {
	name string
	line int
	error
}

func (e *placed) Error() string {
	if e.line == 0 {
		return e.name + ": " + e.error.Error()
	}
	return fmt.Sprintf("%s:%d: %v", e.name, e.line, e.error)
}

func (e *placed) Unwrap() error { return e.error }

// Plain returns only the place, for agents.
func (e *placed) Plain() string {
	if e.line == 0 {
		return "the settings of the project cannot be read"
	}
	return fmt.Sprintf("line %d of the settings of the project is wrong", e.line)
}

// assign sets one key.
func assign(m document.Member, known []key) error {
	var names []string
	for _, row := range known {
		if row.name == m.Key.Text {
			return row.assign(m.Value)
		}
		names = append(names, row.name)
	}
	if near := form.Nearest(m.Key.Text, names); near != "" {
		return fmt.Errorf("unknown key %s; did you mean %s?", fault.Quote(m.Key.Text), near)
	}
	return fmt.Errorf("unknown key %s; remove the line", fault.Quote(m.Key.Text))
}

func (k key) assign(v *document.Node) error {
	switch {
	case v.Faulty: // reported already
		return nil
	case v.Kind != document.Scalar:
		return fmt.Errorf("%s must be %s, not a list or a mapping", k.name, k.want)
	case v.Tag == "!!null":
		return fmt.Errorf("%s has no value; give it one or remove the line", k.name)
	case v.Tag == k.tag && k.set(v.Text, File):
		return nil
	}
	hint := ""
	if v.Tag != k.tag && k.set(v.Text, File) { // the right text with the wrong YAML type is an error too
		hint = "; write it in quotes"
		if k.tag != "!!str" {
			hint = "; write it without quotes"
		}
	}
	return fmt.Errorf("%s must be %s, not %s%s", k.name, k.want, fault.Quote(v.Text), hint)
}

// environ sets the values of environment variables.
func environ(getenv func(string) string, known []key) error {
	var faults []error
	for _, k := range known {
		if k.variable == "" {
			continue
		}
		text := getenv(k.variable)
		if text != "" && !k.set(text, Environment) {
			faults = append(faults, fmt.Errorf("the environment variable %s must be %s, not %s", k.variable,
				k.want, fault.Quote(text)))
		}
	}
	return errors.Join(faults...)
}
