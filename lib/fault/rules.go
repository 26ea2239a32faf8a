package fault

// Rules checks a JSON-like value (map[string]any, []any, string, json.Number, bool, nil) against a
// schema and returns every fault, sorted by pointer; none means that the value is valid. Package
// schema makes Rules; who checks takes them as a value, so that readers need not link a schema library.
type Rules func(instance any) []Fault
