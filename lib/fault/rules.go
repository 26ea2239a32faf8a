package fault

// Rules checks a JSON-like value (map[string]any, []any, string, json.Number, bool, nil) against a schema. It returns
// all faults, sorted by pointer; none means that the value is valid. Package schema makes Rules. They are passed as a
// value, so that readers need not link a schema library.
type Rules func(instance any) []Fault
