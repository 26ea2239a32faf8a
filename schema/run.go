package schema

import "github.com/seed-78daf238/handoff/lib/fault"

var run = rules("run-1")

// Run returns the rules of a stored run record, run-1.schema.json.
func Run() fault.Rules { return run }
