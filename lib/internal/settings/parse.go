package settings

import (
	"errors"
	"fmt"
	"slices"

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
	root, problems := document.ReadYAML(form.Normal(src), document.YAMLOptions{Name: "the file", MaxBytes: MaxBytes,
		MaxNodes: maxNodes})
	var faults []error
	for _, p := range problems {
		faults = append(faults, at(name, p.Line, errors.New(p.Problem+"; "+p.Hint)))
	}
	switch {
	case root == nil, root.Plain && root.Text == "": // empty, or only an end of the document
	case root.Kind != document.Mapping:
		faults = append(faults, at(name, root.Line,
			errors.New("the settings must be lines of the form key: value")))
	default:
		assignAll(root.Members, known, func(line int, err error) {
			if err != nil {
				faults = append(faults, at(name, line, err))
			}
		})
	}
	return errors.Join(faults...)
}

// assignAll sets the keys of a mapping, and those of the mappings in it.
func assignAll(members []document.Member, known []key, report func(line int, err error)) {
	for _, m := range members {
		i := slices.IndexFunc(known, func(k key) bool { return k.name == m.Key.Text })
		switch {
		case i < 0:
			report(m.Key.Line, unknown(m.Key.Text, known))
		case known[i].each == nil:
			report(m.Key.Line, known[i].assign(m.Value))
		default:
			known[i].assignEach(m.Value, report)
		}
	}
}

// assignEach sets the keys of each mapping of a mapping of names.
func (k key) assignEach(v *document.Node, report func(line int, err error)) {
	if v.Kind != document.Mapping {
		report(v.Line, fmt.Errorf("%s must be %s", k.name, k.want))
		return
	}
	for _, m := range v.Members {
		switch {
		case m.Value.Faulty: // reported already
		case !form.IsSlug(m.Key.Text, 64), m.Value.Kind != document.Mapping:
			report(m.Key.Line, fmt.Errorf("%s must be %s", k.name, k.want))
		default:
			known, check := k.each(m.Key.Text)
			isWrong := false
			assignAll(m.Value.Members, known, func(line int, err error) {
				isWrong = isWrong || err != nil
				report(line, err)
			})
			if !isWrong {
				report(m.Key.Line, check())
			}
		}
	}
}

// at returns a problem in a line of a settings file. Agents see only the place.
func at(name string, line int, err error) error {
	return fault.At(name, line, &fault.Error{Problem: fmt.Sprintf("%s:%d: %v", name, line, err), Cause: err,
		Words: fmt.Sprintf("line %d of the settings of the project is wrong", line)})
}

func unknown(name string, known []key) error {
	names := make([]string, len(known))
	for i, k := range known {
		names[i] = k.name
	}
	if near := form.Nearest(name, names); near != "" {
		return fmt.Errorf("unknown key %s; did you mean %s?", fault.Quote(name), near)
	}
	return fmt.Errorf("unknown key %s; remove the line", fault.Quote(name))
}

// assign sets one key.
func (k key) assign(v *document.Node) error {
	switch {
	case v.Faulty: // reported already
		return nil
	case k.isOfUser:
		return fmt.Errorf("%s must be in your own configuration: a project can only name a remote; remove the lines",
			k.name)
	case v.Kind != document.Scalar:
		return fmt.Errorf("%s must be %s, not a list or a mapping", k.name, k.want)
	case v.Tag == "!!null":
		return fmt.Errorf("%s has no value; give it one or remove the line", k.name)
	case v.Tag == k.tag && k.set(v.Text, File):
		return nil
	}
	if k.isSecret {
		return fmt.Errorf("%s must be %s", k.name, k.want)
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
