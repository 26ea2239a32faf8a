package packet

import (
	"slices"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// Facts are what a handoff of any kind says about resuming from it. Each kind fills them from its own
// fields and leaves empty what it does not say; nothing is invented.
type Facts struct {
	Kind        string // such as packet/1 or run/1, plain for a body without a record
	Objective   string
	Completed   []string
	Unresolved  []string
	Assumptions []string
	NextAction  string
	Risks       []string
	UpdatedAt   string // ISO 8601 with its offset
	ExpiresAt   string // ISO 8601 with its offset, "" for none
	ResumeToken string

	Sums   []FileSum // files as they were
	Tested bool      // it says that something was run and passed

	Cannot []string      // names of the packet fields that this kind has no place for, such as resume_token
	Texts  []Passage     // every text of the artifact, searched for claims of authority
	Faults []fault.Fault // what the kind's own rules say is wrong
}

// A FileSum is a file with the hex digits of its SHA-256. The path is relative to the project, or absolute.
type FileSum struct{ Path, SHA256 string }

// A Passage is a string of an artifact with its JSON pointer, "" for a plain body.
type Passage struct{ Pointer, Text string }

// cannot says whether the kind has no place for a packet field.
func (f Facts) cannot(name string) bool { return slices.Contains(f.Cannot, name) }

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
	r, _ := decode(v)
	return facts(r, v, nil)
}

// Facts returns what the record says.
func (r Record) Facts() Facts {
	v, _ := jsontree.Parse(r.JSON())
	return facts(r, v, nil)
}

// facts returns what was read of a packet that may have faults. v is the whole of it, for the texts
// that the record has no field for.
func facts(r Record, v *jsontree.Value, faults []fault.Fault) Facts {
	return Facts{
		Kind: Kind + "/" + Version, Objective: r.Objective, Completed: r.Completed, Unresolved: r.Unresolved, Assumptions: r.Assumptions,
		NextAction: r.NextAction, Risks: r.Risks, UpdatedAt: r.UpdatedAt, ExpiresAt: r.ExpiresAt, ResumeToken: r.ResumeToken,
		Texts: texts(v), Faults: faults,
	}
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
			all = append(all, Passage{at, in.Name})
		}
		if v.Kind == jsontree.String {
			all = append(all, Passage{at, v.Text})
		}
	})
	return all
}
