package universal

import (
	_ "embed" // for the form of a new document
	"path/filepath"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// A New describes a new document. Empty values are left out, or get a default.
type New struct {
	Source, Target string              // skills
	Said           map[string][]string // values by flag names, see Table; for a file, its content
	At             time.Time
}

//go:embed new.json
var newDocument []byte

// Make returns a document with a new trace_id, a chain of one hop, its hash and its token count. The error is
// about the JSON of payload.working. Call Validate to find out whether the document is valid.
func Make(n New) (*Document, error) {
	root, err := jsontree.Parse(newDocument)
	if err != nil {
		return nil, err
	}
	for pointer, value := range map[string]any{"/handoff/source/skill": n.Source, "/handoff/target/skill": n.Target,
		chainPath: []string{n.Source}, tracePath: NewID(), "/handoff/timestamp": n.At.UTC().Format(time.RFC3339)} {
		set(root, pointer, value)
	}
	for _, f := range Table().Fields {
		for _, flag := range f.Flags {
			said := n.Said[flag.Name]
			if len(said) == 0 {
				continue
			}
			last := said[len(said)-1]
			switch {
			case f.Type == "texts":
				set(root, f.Path, said)
			case f.Type == "list":
				set(root, above(f.Path), jsontree.NewObject(member("files", files(said))))
			case f.Type == "object":
				object, err := jsontree.ParseObject([]byte(last), jsontree.MaxBytes, "payload.working")
				if err != nil {
					return nil, err
				}
				set(root, f.Path, object)
			case last != "":
				set(root, f.Path, last)
			}
		}
	}
	set(root, hashPath, payloadHash(root))
	set(root, countPath, estimate(root))
	return Parse(indented(root))
}

// files returns references to files.
func files(names []string) *jsontree.Value {
	list := jsontree.NewArray()
	for _, name := range names {
		if path, err := filepath.Abs(name); err == nil {
			name = path
		}
		list.Items = append(list.Items, jsontree.NewObject(member("path", filepath.ToSlash(name))))
	}
	return list
}
