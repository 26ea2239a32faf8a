package universal

import (
	_ "embed" // for the table of fields
	"sync"

	"github.com/seed-78daf238/handoff/lib/internal/fields"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

//go:embed fields.json
var file []byte

// Table returns the fields that a repair and the flags of a new document know. The schema validates others too.
var Table = sync.OnceValue(func() *fields.Table { return fields.Load(file, nil, nil) })

// names returns the names of the fields directly below a pointer.
func names(pointer string) (all []string) {
	for _, f := range Table().Fields {
		if above(f.Path) == pointer {
			all = append(all, f.Name())
		}
	}
	return all
}

// member returns a member for a new object, with a value as jsontree.New makes it.
func member(name string, value any) jsontree.Member {
	return jsontree.Member{Name: name, Value: jsontree.New(value)}
}
