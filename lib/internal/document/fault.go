package document

import "github.com/seed-78daf238/handoff/lib/fault"

// A Fault is one thing that is wrong with a document. All faults of a document are reported at once.
type Fault = fault.Fault
