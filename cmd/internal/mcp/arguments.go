package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
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
	if len(raw) == 0 {
		raw = []byte("{}")
	}
	given := map[string]json.RawMessage{}
	if err := json.Unmarshal(raw, &given); err != nil || !utf8.Valid(raw) {
		return in, unfit(tool, takes, "the arguments are no object in UTF-8")
	}
	maps.DeleteFunc(given, func(name string, value json.RawMessage) bool { return string(value) == "null" })
	for name := range given {
		if takes.Properties[name] == nil {
			return in, unfit(tool, takes, "unknown argument "+shown(name))
		}
	}
	for _, name := range takes.Required {
		if given[name] == nil {
			return in, unfit(tool, takes, "missing "+name)
		}
	}
	var odd *json.UnmarshalTypeError
	if err := json.Unmarshal(raw, &in); errors.As(err, &odd) {
		return in, unfit(tool, takes, fmt.Sprintf("%s must be of type %s", odd.Field, odd.Type.Kind()))
	}
	if replaces(raw, in) {
		return in, unfit(tool, takes, "the arguments contain half a surrogate pair")
	}
	return in, nil
}

func unfit(tool string, takes *jsonschema.Schema, problem string) error {
	return fault.Invalid(tool+" takes "+list(takes.PropertyOrder), "%s", fault.Own(problem))
}

func list(names []string) string { return strings.Join(names, ", ") }

// shown returns a name, unless it could carry a message.
func shown(name string) string {
	if len(name) > 32 || strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-") != "" {
		return "(name withheld)"
	}
	return name
}

// replaces reports whether decoding replaced a character: a lone surrogate silently becomes U+FFFD.
func replaces(raw []byte, decoded any) bool {
	lower := bytes.ToLower(raw)
	if !bytes.Contains(lower, []byte(`\ud`)) {
		return false
	}
	read, err := json.Marshal(decoded)
	written := bytes.Count(raw, []byte("\ufffd")) + bytes.Count(lower, []byte(`\ufffd`))
	return err != nil || bytes.Count(read, []byte("\ufffd")) > written
}
