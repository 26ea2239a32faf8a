package packet

import (
	"github.com/seed-78daf238/handoff/lib/internal/fields"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// Facts are the facts of a handoff of any kind that matter for resuming.
type Facts = fields.Facts

// A FileSum is a file with its SHA-256 as hex digits. The path is relative to the project, or absolute.
type FileSum = fields.FileSum

// A Passage is a string of an artifact with its JSON pointer. The pointer is "" in a plain body.
type Passage = fields.Passage

// Says returns the facts of an artifact, for a packet without its texts. If a packet has faults, its other fields
// still count.
func (in Input) Says() Facts {
	if in.Facts != nil {
		return *in.Facts
	}
	v, err := read(in.Data)
	if err != nil {
		return Facts{}
	}
	return Table().Facts(label, Table().Read(v, nil).Record, Required())
}

// Passages returns every string of a JSON text with its pointer, including names of members. If the text is not
// JSON, it returns none.
func Passages(data []byte) []Passage {
	v, err := jsontree.Parse(data)
	if err != nil {
		return nil
	}
	return texts(v)
}

// texts returns every string in v. Names of unknown members count, since they are text from others too.
func texts(v *jsontree.Value) (all []Passage) {
	v.Walk("", nil, func(at string, in *jsontree.Member, v *jsontree.Value) {
		if in != nil && !Table().Has(in.Name) {
			all = append(all, Passage{Pointer: at, Text: in.Name})
		}
		if v.Kind == jsontree.String {
			all = append(all, Passage{Pointer: at, Text: v.Text})
		}
	})
	return all
}
