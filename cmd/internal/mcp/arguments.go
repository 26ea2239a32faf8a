package mcp

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/seed-78daf238/handoff/lib/fault"
)

// schemaOf returns what a tool takes. A list or an object that may be left out is of one type: strict clients warn of two.
func schemaOf[In any]() *jsonschema.Schema {
	s, err := jsonschema.For[In](nil)
	if err != nil {
		panic(err) // for a type that cannot be in JSON, which a test would see
	}
	for _, p := range s.Properties {
		if i := slices.Index(p.Types, "null"); i >= 0 && len(p.Types) == 2 {
			p.Type, p.Types = p.Types[1-i], nil
		}
	}
	return s
}

// arguments reads what a client gives to a tool. An argument that is null was not given.
func arguments[In any](tool string, raw json.RawMessage, takes *jsonschema.Schema) (in In, err error) {
	if !utf8.Valid(raw) {
		return in, unfit(tool, takes, "the arguments are not UTF-8")
	}
	given := map[string]any{}
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &given); err != nil {
			return in, unfit(tool, takes, "the arguments are not an object")
		}
	}
	if problem := misfit(given, takes, ""); problem != "" {
		return in, unfit(tool, takes, problem)
	}
	if lost(raw, given) {
		return in, unfit(tool, takes, "the arguments have half a surrogate pair in them")
	}
	fit, err := json.Marshal(given) // without null, and whole numbers as Go writes them
	if err == nil {
		err = json.Unmarshal(fit, &in)
	}
	return in, err
}

func unfit(tool string, takes *jsonschema.Schema, problem string) error {
	return fault.New(fault.ErrInvalid, tool+" takes "+list(takes.PropertyOrder), "%s", fault.Own(problem))
}

func list(names []string) string { return strings.Join(names, ", ") }

// misfit says what is wrong with a value that stands in a place, or "". Members that are null are taken out.
func misfit(value any, takes *jsonschema.Schema, place string) string {
	switch v := value.(type) {
	case map[string]any:
		if takes.Type == "object" {
			return misfitObject(v, takes, place)
		}
	case []any:
		if takes.Type != "array" {
			break
		}
		for _, item := range v {
			if problem := misfit(item, takes.Items, "each of "+place); problem != "" {
				return problem
			}
		}
		return ""
	case float64:
		if takes.Type == "integer" && v == math.Trunc(v) && math.Abs(v) <= math.MaxInt32 {
			return ""
		}
	case string:
		if takes.Type == "string" {
			return ""
		}
	case bool:
		if takes.Type == "boolean" {
			return ""
		}
	}
	return place + " must be of type " + takes.Type
}

func misfitObject(object map[string]any, takes *jsonschema.Schema, place string) string {
	for name, value := range object {
		member := takes.Properties[name]
		switch {
		case member == nil:
			return "there is no argument " + shown(name)
		case value == nil:
			delete(object, name)
			continue
		}
		if problem := misfit(value, member, strings.TrimPrefix(place+"."+name, ".")); problem != "" {
			return problem
		}
	}
	var missing []string
	for _, name := range takes.Required {
		if _, ok := object[name]; !ok {
			missing = append(missing, strings.TrimPrefix(place+"."+name, "."))
		}
	}
	if len(missing) > 0 {
		return "give " + list(missing)
	}
	return ""
}

// shown returns a name that cannot say much.
func shown(name string) string {
	if len(name) > 32 || strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-") != "" {
		return "of that name"
	}
	return name
}

// lost reports whether reading replaced something: a lone surrogate becomes U+FFFD without a word.
func lost(raw []byte, given map[string]any) bool {
	if !bytes.Contains(bytes.ToLower(raw), []byte(`\ud`)) {
		return false
	}
	read, err := json.Marshal(given)
	written := bytes.Count(raw, []byte("\ufffd")) + bytes.Count(bytes.ToLower(raw), []byte(`\ufffd`))
	return err != nil || bytes.Count(read, []byte("\ufffd")) > written
}
