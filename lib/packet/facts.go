package packet

import (
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/fields"
	"github.com/seed-78daf238/handoff/lib/internal/form"
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
	return Told(label, Table(), Table().Read(v, nil).Record)
}

// Facts returns what the record says.
func (r Record) Facts() Facts {
	v, _ := jsontree.Parse(r.JSON())
	return Told(label, Table(), v)
}

// Told returns what a record of a kind says, by the facts of its table.
func Told(kind string, table *fields.Table, record *jsontree.Value) Facts {
	said, sums := map[string][]string{}, []FileSum(nil)
	for _, f := range table.Fields {
		f.Each(record, func(v, holder *jsontree.Value) {
			text, state := jsontree.Printable(v.Str()), holder.Get("state").Str()
			sum := strings.TrimPrefix(text, form.IDPrefix)
			switch {
			case f.Fact == "" || !v.Is(jsontree.String) || state != "" && state == f.Unless:
			case f.Fact != "sha256":
				said[f.Fact] = append(said[f.Fact], text)
			case form.IsDigest(sum) && holder.Get("change").Str() != "deleted":
				sums = append(sums, FileSum{jsontree.Printable(holder.Get("path").Str()), sum})
			}
		})
	}
	first := func(fact string) string { return strings.Join(said[fact][:min(1, len(said[fact]))], "") }
	return Facts{
		Kind: kind, Objective: first("objective"), Completed: said["completed"], Unresolved: said["unresolved"],
		Assumptions: said["assumptions"], NextAction: first("next_action"), Risks: said["risks"], UpdatedAt: first("updated_at"),
		ExpiresAt: first("expires_at"), ResumeToken: first("resume_token"), Sums: sums,
		Tested: slices.Contains(said["result"], "passed"), Cannot: lacking(table), Texts: texts(record),
	}
}

// lacking returns the names of the packet fields that a kind has no place for.
func lacking(table *fields.Table) []string {
	return slices.DeleteFunc(Required(), func(name string) bool {
		return slices.ContainsFunc(table.Fields, func(f fields.Field) bool { return f.Fact == name })
	})
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
