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

// MaxBytes is the size up to which a record is read, as that of a handoff document by default.
const MaxBytes = 1 << 20

// Defaults complete a record that leaves out what its surroundings know.
type Defaults struct {
	ProjectID, CreatedAt func() string // asked when the record does not say it; a time is RFC 3339 in UTC; may be nil
}

// A Draft is a valid record before its audit is derived.
type Draft struct {
	Record  Record          // its SelfAudit is what the text claims; false where it claims nothing
	Claimed map[string]bool // the flags of self_audit that the text gives
}

// Parse reads and normalises a record: plain strings become items, the names of the older form and
// those of Craik become ours, defaults fill what is left out. The error is a *fault.DocumentError with
// every fault, and the line, column and JSON pointer of each.
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

// read returns what can be read of a record that has faults too. The error says that it is not a JSON object.
func read(data []byte, defaults Defaults) (fields.Reading, error) {
	v, err := jsontree.ParseObject(data, MaxBytes, "a run record")
	if err != nil {
		return fields.Reading{}, err
	}
	v = fromCraik(v)
	for name, otherwise := range map[string]func() string{"project_id": defaults.ProjectID, "created_at": defaults.CreatedAt} {
		if given := v.Get(name); otherwise != nil && (given == nil || given.Kind == jsontree.Null) {
			if text := otherwise(); text != "" {
				v.Set(name, jsontree.NewString(text))
			}
		}
	}
	return Table().Read(v, contradiction), nil
}

// decode returns the draft that an object of the right types says.
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

// A Field is a row of the table of fields, a Flag one way to say it.
type (
	Field = fields.Field
	Flag  = fields.Flag
)

// Table returns the fields of a record.
var Table = sync.OnceValue(func() *fields.Table {
	return fields.Load(file, fields.Checks{"id": checkID, "paragraph": checkParagraph, "digest": checkDigest, "instant": checkInstant}, nil)
})

//go:embed fields.json
var file []byte

// Say gives the draft the lists that flags say, by the names that the table gives them.
func (d *Draft) Say(said map[string][]string) error {
	lists := Table().Say(said)
	lists.Members = slices.DeleteFunc(lists.Members, func(m jsontree.Member) bool { return m.Value.Kind == jsontree.String })
	return json.Unmarshal(lists.Append(nil), &d.Record)
}

func checkID(text string) (problem, hint string) {
	if !strings.ContainsFunc(text, unicode.IsControl) {
		return "", ""
	}
	return "holds a control character", "use letters, digits and punctuation"
}

// checkParagraph looks for an empty line, which parts paragraphs, whichever way lines end.
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
	return "is not a SHA-256", "give 64 lower-case hex digits"
}

func checkInstant(text string) (problem, hint string) {
	if form.IsInstant(text) {
		return "", ""
	}
	return fmt.Sprintf("%.80q is not a time in RFC 3339 and UTC", text), "write it like 2026-05-07T12:00:00Z"
}

// contradiction says whether a result is another than the exit code gives: one of them is a lie.
func contradiction(_ string, item *jsontree.Value) (member, problem, hint string) {
	if code := item.Get("exit_code"); item.Get("result").Str() != "passed" || code == nil || code.String() == "0" {
		return "", "", ""
	}
	return "result", "is passed, but exit_code is not 0", "say failed, or correct exit_code"
}
