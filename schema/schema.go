// Package schema holds the JSON Schemas (Draft 2020-12) of handoff's input, and makes rules from them. No other
// package links a JSON Schema library, so programs that only read do not contain it.
//
// Each schema is a file NAME.schema.json in this directory, usable from any language. The description of a
// subschema is the hint of its faults. Patterns match the whole string. Formats are asserted: date-time refuses
// days that do not exist. Faults are sorted by pointer. Their texts are ours, since those of the library are in
// random order and name its keywords.
package schema

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/schema/jsonschema"
)

//go:embed *.schema.json
var files embed.FS

// Frontmatter returns the rules for the frontmatter of a handoff, handoff-frontmatter.schema.json.
func Frontmatter() fault.Rules { return frontmatter }

var frontmatter = rules("handoff-frontmatter")

// records has the rules of the kinds of records. Each schema is compiled at its first use.
var records = map[string]fault.Rules{"packet-1": rules("packet-1"), "run-1": rules("run-1"),
	"universal-handoff-v3.0": rules("universal-handoff-v3.0")}

// Of returns the rules of a kind of record, by the name of its schema.
func Of(name string) fault.Rules { return records[name] }

// Text returns the text of a schema, nil for an unknown name.
func Text(name string) []byte {
	text, _ := files.ReadFile(name + ".schema.json")
	return text
}

// A schema is a compiled schema with its source, which has the hints.
type schema struct {
	compiled *jsonschema.Schema
	source   any
}

// rules returns the rules of an embedded schema, compiled at the first use.
func rules(name string) fault.Rules {
	compiled := sync.OnceValues(func() (schema, error) { return compile(name) })
	return func(instance any) []fault.Fault {
		s, err := compiled()
		if err != nil {
			return []fault.Fault{{Problem: err.Error(), Hint: "this is a bug; report it"}}
		}
		return s.check(instance)
	}
}

// compile parses and compiles an embedded schema. It takes a millisecond or more, so call it once.
func compile(name string) (schema, error) {
	text, err := files.ReadFile(name + ".schema.json")
	if err != nil {
		return schema{}, fmt.Errorf("no schema %q is built in: %w", name, err)
	}
	source, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return schema{}, fmt.Errorf("the schema %q is not JSON: %w", name, err)
	}
	return compileSource(name, source)
}

// compiling guards the metaschemas, which the library compiles with the first schema.
var compiling sync.Mutex

func compileSource(name string, source any) (schema, error) {
	compiling.Lock()
	defer compiling.Unlock()
	// References outside of the schema are refused.
	const location = "handoff:///" // a scheme without a loader
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat() // off by default
	c.UseLoader(sealed{})
	if err := c.AddResource(location+name, source); err != nil {
		return schema{}, fmt.Errorf("the schema %q does not load: %w", name, err)
	}
	compiled, err := c.Compile(location + name)
	if err != nil {
		return schema{}, fmt.Errorf("the schema %q does not compile: %w", name, err)
	}
	return schema{compiled, source}, nil
}

// sealed refuses references to files and the network, which the default loader would follow.
type sealed struct{}

// Load always fails: a schema has no external references.
func (sealed) Load(url string) (any, error) {
	return nil, fmt.Errorf("a reference outside the schema is not followed: %q", url)
}

// check validates a value. If the library panics, that is a fault of the value.
func (s schema) check(instance any) (faults []fault.Fault) {
	unchecked := func(why any) []fault.Fault {
		return []fault.Fault{{Problem: fmt.Sprintf("the value cannot be checked: %.100v", why)}}
	}
	defer func() {
		if r := recover(); r != nil {
			faults = unchecked(r)
		}
	}()
	// Numbers become doubles: exact arithmetic with 1e1000000 is slow, and with 1e1000001 it panics.
	text, err := json.Marshal(instance)
	if err == nil {
		instance = nil
		err = json.Unmarshal(text, &instance)
	}
	if err != nil {
		return unchecked(err)
	}
	err = s.compiled.Validate(instance)
	if err == nil {
		return nil
	}
	failure, ok := err.(*jsonschema.ValidationError)
	if !ok {
		return unchecked(err)
	}
	faults = s.leaves(failure, nil)
	fault.Sort(faults)
	// A value in the wrong form is not a date-time either: one fault is enough.
	return slices.CompactFunc(faults, func(a, b fault.Fault) bool { return a.Pointer == b.Pointer })
}
