package schema

import "github.com/seed-78daf238/handoff/lib/fault"

var universal = rules("universal-handoff-v3.0")

// Universal returns the rules of a universal handoff, universal-handoff-v3.0.schema.json.
func Universal() fault.Rules { return universal }
