package fields

import (
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// Facts are what a handoff of any kind contains about resuming from it. Missing facts are empty, and never guessed.
type Facts struct {
	Kind        string // such as packet/1 or run/1; plain for a body without a record
	Objective   string
	Completed   []string
	Unresolved  []string
	Assumptions []string
	NextAction  string
	Risks       []string
	UpdatedAt   string // ISO 8601 with its offset
	ExpiresAt   string // ISO 8601 with its offset, "" for none
	ResumeToken string

	Sums []FileSum // the hashes of files when the handoff was written

	Cannot []string      // the packet fields that this kind does not have, such as resume_token
	Texts  []Passage     // all texts of the record, to search for dangerous instructions
	Faults []fault.Fault // faults by the rules of the kind
}

// A FileSum is a file and its SHA-256 in hexadecimal digits. The path is absolute, or relative to the project.
type FileSum struct{ Path, SHA256 string }

// A Passage is a string of a record with its JSON pointer, "" for a plain body.
type Passage struct{ Pointer, Text string }

// Facts returns the facts of a record of a kind. names are the fields of a packet; a kind may lack some.
func (t *Table) Facts(kind string, record *jsontree.Value, names []string) Facts {
	said, sums := map[string][]string{}, []FileSum(nil)
	for _, f := range t.Fields {
		f.Each(record, func(_ string, v, holder *jsontree.Value) {
			values := []*jsontree.Value{v}
			if f.IsList() {
				values = v.All()
			}
			for _, v := range values {
				text, state := v.Str(), holder.Get("state").Str()
				sum := strings.TrimPrefix(text, form.IDPrefix)
				switch {
				case f.Fact == "" || !v.Is(jsontree.String) || state != "" && state == f.Unless:
				case f.Fact != "sha256":
					said[f.Fact] = append(said[f.Fact], text)
				case form.IsDigest(sum) && holder.Get("change").Str() != "deleted":
					sums = append(sums, FileSum{holder.Get("path").Str(), sum})
				}
			}
		})
	}
	first := func(fact string) string { return strings.Join(said[fact][:min(1, len(said[fact]))], "") }
	cannot := slices.DeleteFunc(names, func(name string) bool {
		return slices.ContainsFunc(t.Fields, func(f Field) bool { return f.Fact == name })
	})
	return Facts{
		Kind: kind, Objective: first("objective"), Completed: said["completed"], Unresolved: said["unresolved"],
		Assumptions: said["assumptions"], NextAction: first("next_action"), Risks: said["risks"],
		UpdatedAt: first("updated_at"),
		ExpiresAt: first("expires_at"), ResumeToken: first("resume_token"), Sums: sums,
		Cannot: cannot,
	}
}
