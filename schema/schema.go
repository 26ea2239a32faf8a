// Package schema holds the JSON Schemas (Draft 2020-12) of what handoff reads, and makes rules of
// them. It is the only package that links a JSON Schema library; programs that only read do without.
//
// Each schema is a file NAME.schema.json beside this one, usable from any language. The description
// of a subschema is the hint that its faults carry. Patterns match the whole string. Format is
// asserted: date-time refuses days that the calendar does not have. Faults are in the order of their pointers, in words of
// ours: those of the library come in random order and name its own keywords.
package schema

import (
	"bytes"
	"embed"
	"fmt"
	"regexp"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/seed-78daf238/handoff/lib/fault"
)

//go:embed *.schema.json
var files embed.FS

// Each is compiled when it is first asked: most programs need one of them.
var (
	frontmatter = rules("handoff-frontmatter")
	packet      = rules("packet-1")
	universal   = rules("universal-handoff-v3.0")
	run         = rules("run-1")
)

// Frontmatter returns the rules of a handoff's head, handoff-frontmatter.schema.json.
func Frontmatter() fault.Rules { return frontmatter }

// Packet returns the rules of a resume packet, packet-1.schema.json.
func Packet() fault.Rules { return packet }

// Universal returns the rules of a universal handoff, universal-handoff-v3.0.schema.json.
func Universal() fault.Rules { return universal }

// Run returns the rules of a stored run record, run-1.schema.json.
func Run() fault.Rules { return run }

// A schema is a compiled schema with its source, from which hints are taken.
type schema struct {
	compiled *jsonschema.Schema
	source   any
}

// rules returns the rules of an embedded schema. It is compiled at their first use.
func rules(name string) fault.Rules {
	compiled := sync.OnceValues(func() (schema, error) { return compile(name) })
	return func(instance any) []fault.Fault {
		s, err := compiled()
		if err != nil {
			return []fault.Fault{{Problem: err.Error(), Hint: "this is a defect of the program; please report it"}}
		}
		return s.check(instance)
	}
}

// compile reads and compiles an embedded schema. That takes a millisecond and more, so that it is done once in a run.
func compile(name string) (schema, error) {
	text, err := files.ReadFile(name + ".schema.json")
	if err != nil {
		return schema{}, fmt.Errorf("no schema %q is built in: %w", name, err)
	}
	source, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return schema{}, fmt.Errorf("the schema %q is not JSON: %w", name, err)
	}
	// Patterns are compiled late and references refused: the schema is ours, its instances are anybody's.
	const location = "handoff:///" // a scheme that nothing loads
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat() // off by default
	c.UseLoader(sealed{})
	c.UseRegexpEngine(lazily)
	if err := c.AddResource(location+name, source); err != nil {
		return schema{}, fmt.Errorf("the schema %q does not load: %w", name, err)
	}
	compiled, err := c.Compile(location + name)
	if err != nil {
		return schema{}, fmt.Errorf("the schema %q does not compile: %w", name, err)
	}
	return schema{compiled, source}, nil
}

// sealed refuses references to files and to the network, which the default loader would follow.
type sealed struct{}

// Load refuses: what a schema needs is in its file.
func (sealed) Load(url string) (any, error) {
	return nil, fmt.Errorf("a reference outside the schema is not followed: %q", url)
}

// A pattern is compiled when the first value meets it. The library would compile each twice, those too
// that no value meets, and that takes longer than everything else here.
type pattern struct {
	text     string
	compiled func() *regexp.Regexp
}

// lazily says of no pattern that it is bad; a test compiles those of every schema.
func lazily(text string) (jsonschema.Regexp, error) {
	return pattern{text, sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })}, nil
}

// String and MatchString are what the library asks of a pattern.
func (p pattern) String() string                { return p.text }
func (p pattern) MatchString(value string) bool { return p.compiled().MatchString(value) }

// check validates a value. The library panics on some numbers; that is a fault of the value too.
func (s schema) check(instance any) (faults []fault.Fault) {
	if faults := unsafeNumbers(instance); len(faults) > 0 {
		return faults
	}
	defer func() {
		if r := recover(); r != nil {
			faults = []fault.Fault{{Problem: fmt.Sprintf("the value cannot be checked: %.100v", r)}}
		}
	}()
	err := s.compiled.Validate(instance)
	if err == nil {
		return nil
	}
	failure, ok := err.(*jsonschema.ValidationError)
	if !ok {
		return []fault.Fault{{Problem: "the value cannot be checked: " + err.Error()}}
	}
	faults = s.leaves(failure, nil)
	fault.Sort(faults)
	return faults
}
