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

// schemaOf returns the input schema of a tool. An optional list or object has one type, since strict clients warn
// about two.
func schemaOf[In any]() *jsonschema.Schema {
	s, err := jsonschema.For[In](nil)
	if err != nil {
		panic(err) // the type cannot be in JSON; a test calls this
	}
	s.AdditionalProperties = nil // every call refuses them; the model does not have to read that
	for _, p := range s.Properties {
		p.AdditionalProperties = nil
		if i := slices.Index(p.Types, "null"); i >= 0 && len(p.Types) == 2 {
			p.Type, p.Types = p.Types[1-i], nil
		}
	}
	return s
}

// arguments parses the arguments of a call. A null argument counts as missing.
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
		return in, unfit(tool, takes, "the arguments contain half a surrogate pair")
	}
	fit, err := json.Marshal(given) // without nulls, with whole numbers in Go's form
	if err == nil {
		err = json.Unmarshal(fit, &in)
	}
	return in, err
}

func unfit(tool string, takes *jsonschema.Schema, problem string) error {
	return fault.Invalid(tool+" takes "+list(takes.PropertyOrder), "%s", fault.Own(problem))
}

func list(names []string) string { return strings.Join(names, ", ") }

// misfit returns the problem of a value for a schema, or "". It removes members that are null.
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
			return "unknown argument " + shown(name)
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
		return "missing " + list(missing)
	}
	return ""
}

// shown returns a name, unless it could carry a message.
func shown(name string) string {
	if len(name) > 32 || strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-") != "" {
		return "(name withheld)"
	}
	return name
}

// lost reports whether decoding replaced a character: a lone surrogate silently becomes U+FFFD.
func lost(raw []byte, given map[string]any) bool {
	if !bytes.Contains(bytes.ToLower(raw), []byte(`\ud`)) {
		return false
	}
	read, err := json.Marshal(given)
	written := bytes.Count(raw, []byte("\ufffd")) + bytes.Count(bytes.ToLower(raw), []byte(`\ufffd`))
	return err != nil || bytes.Count(read, []byte("\ufffd")) > written
}
