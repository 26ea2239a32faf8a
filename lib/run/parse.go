package run

import (
	_ "embed" // for the table of fields
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/fields"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// MaxBytes is the maximum size of a record, equal to the default for a handoff document.
const MaxBytes = 1 << 20

// Defaults complete a record with values of its environment.
type Defaults struct {
	ProjectID, CreatedAt func() string // called if the record lacks the value; a time is RFC 3339 in UTC; can be nil
}

// A Draft is a valid record before its audit is derived.
type Draft struct {
	Record  Record          // its SelfAudit has the claims of the text, false for none
	Claimed map[string]bool // the flags of self_audit in the text
}

// Parse reads and normalizes a record. Plain strings become items, names of Craik become ours,
// and defaults fill missing values. The error is a *fault.DocumentError with all faults, each with line, column
// and JSON pointer.
func Parse(data []byte, defaults Defaults) (Draft, error) {
	reading, err := read(data, defaults)
	if err != nil {
		return Draft{}, err
	}
	if found := reading.Faults(); len(found) > 0 {
		return Draft{}, &fault.DocumentError{Faults: found}
	}
	return decode(reading.Record)
}

// read reads as much as it can of a record with faults. The error means that data is not a JSON object.
func read(data []byte, defaults Defaults) (fields.Reading, error) {
	v, err := jsontree.ParseObject(data, MaxBytes, "a run record")
	if err != nil {
		return fields.Reading{}, err
	}
	for name, otherwise := range map[string]func() string{"project_id": defaults.ProjectID,
		"created_at": defaults.CreatedAt} {
		if given := v.Get(name); otherwise != nil && (given == nil || given.Kind == jsontree.Null) {
			if text := otherwise(); text != "" {
				v.Set(name, text)
			}
		}
	}
	return Table().Read(v, contradiction), nil
}

// decode returns the draft in an object whose types are right.
func decode(record *jsontree.Value) (d Draft, err error) {
	d.Claimed = map[string]bool{}
	if audit := record.Get("self_audit"); audit != nil {
		for _, m := range audit.Members {
			if m.Value.Kind == jsontree.Bool {
				d.Claimed[m.Name] = m.Value.Text == "true"
			}
		}
	}
	return d, json.Unmarshal(record.Append(nil), &d.Record)
}

// A Field is a row of the table of fields, a Flag a command line flag for it.
type (
	Field = fields.Field
	Flag  = fields.Flag
)

// Table returns the fields of a record.
var Table = sync.OnceValue(func() *fields.Table {
	checks := fields.Checks{"id": checkID, "paragraph": checkParagraph, "digest": checkDigest, "instant": checkInstant}
	return fields.Load(file, checks, nil)
})

//go:embed fields.json
var file []byte

// Say sets the lists of the draft from flag values, by the names of flags in the table.
func (d *Draft) Say(said map[string][]string) error {
	lists := Table().FromFlags(said)
	lists.Members = slices.DeleteFunc(lists.Members,
		func(m jsontree.Member) bool { return m.Value.Kind == jsontree.String })
	return json.Unmarshal(lists.Append(nil), &d.Record)
}

func checkID(text string) (problem, hint string) {
	if !strings.ContainsFunc(text, unicode.IsControl) {
		return "", ""
	}
	return "holds a control character", "use letters, digits and punctuation"
}

// checkParagraph rejects an empty line, with any line endings.
func checkParagraph(text string) (problem, hint string) {
	if !strings.Contains(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text), "\n\n") {
		return "", ""
	}
	return "has more than one paragraph", "move the rest into the lists, or join the paragraphs"
}

func checkDigest(text string) (problem, hint string) {
	if form.IsDigest(strings.TrimPrefix(text, form.IDPrefix)) {
		return "", ""
	}
	return "is not a SHA-256", "use 64 lower-case hex digits"
}

func checkInstant(text string) (problem, hint string) {
	if form.IsInstant(text) {
		return "", ""
	}
	return fmt.Sprintf("%.80q is not an RFC 3339 time in UTC", text), "use a time such as 2026-05-07T12:00:00Z"
}

// contradiction returns the fault of a result that contradicts the exit code.
func contradiction(_ string, item *jsontree.Value) (member, problem, hint string) {
	if code := item.Get("exit_code"); item.Get("result").Str() != "passed" || code == nil || code.String() == "0" {
		return "", "", ""
	}
	return "result", "is passed, but exit_code is not 0", "set it to failed, or correct exit_code"
}
