package handoff

import "github.com/seed-78daf238/handoff/lib/internal/document"

// A Fault is one thing that is wrong with a document: its place, the problem, and what to do.
type Fault = document.Fault

// Rules checks a JSON-like value (map[string]any, []any, string, json.Number, bool, nil) against a
// schema and returns every fault, sorted by pointer; none means that the value is valid. Package
// schema makes Rules; a Store takes them as a value so that readers need not link a schema library.
type Rules func(instance any) []Fault
