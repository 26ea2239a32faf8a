package mcp

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

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
	raw = []byte(cmp.Or(string(raw), "{}"))
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	var given map[string]any
	err = cmp.Or(d.Decode(&in), json.Unmarshal(raw, &given))
	if wrong, is := errors.AsType[*json.UnmarshalTypeError](err); is {
		err = fmt.Errorf("%s must be of type %s", wrong.Field, wrong.Type.Kind())
	}
	for _, name := range takes.Required {
		if err == nil && given[name] == nil {
			err = errors.New("missing " + name)
		}
	}
	if err != nil {
		return in, fault.Invalid(tool+" takes "+strings.Join(takes.PropertyOrder, ", "), "%s",
			fault.Own(strings.Replace(err.Error(), "json: unknown field", "unknown argument", 1)))
	}
	return in, nil
}
