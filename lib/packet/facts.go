package packet

import (
	"github.com/seed-78daf238/handoff/lib/internal/fields"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// Facts are what a handoff of any kind says about resuming from it.
type Facts = fields.Facts

// A FileSum is a file with the hex digits of its SHA-256. The path is relative to the project, or absolute.
type FileSum = fields.FileSum

// A Passage is a string of an artifact with its JSON pointer, "" for a plain body.
type Passage = fields.Passage

// Says returns what an artifact says, as far as it can be read: a packet with faults says all the same
// what has none.
func (in Input) Says() Facts {
	if in.Facts != nil {
		return *in.Facts
	}
	v, err := read(in.Data)
	if err != nil {
		return Facts{}
	}
	return factsOf(Table().Read(v, nil).Record)
}

func factsOf(record *jsontree.Value) Facts {
	f := Table().Facts(label, record, Required())
	f.Texts = texts(record)
	return f
}

// Facts returns what the record says.
func (r Record) Facts() Facts {
	v, _ := jsontree.Parse(r.JSON())
	return factsOf(v)
}

// Passages returns every string of a JSON text with its pointer, names of members included; none when
// it is not JSON.
func Passages(data []byte) []Passage {
	v, err := jsontree.Parse(data)
	if err != nil {
		return nil
	}
	return texts(v)
}

// texts returns every string in v. Names of members count unless they are ours: they are text of
// others too.
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
