package record

import (
	"errors"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
	"github.com/seed-78daf238/handoff/lib/internal/trust"
)

// screenedRecord is a record after the secret scan.
type screenedRecord struct {
	data     []byte
	allowed  []string // rules whose findings were allowed
	redacted []string // rules whose findings were replaced in data
}

// screen scans every string of a record for credentials, with its name. It can thus name a finding by pointer, and
// replace it before the view is made.
func (o Options) screen(data []byte) (s screenedRecord, err error) {
	root, err := jsontree.Parse(data)
	if err != nil {
		return s, err
	}
	var texts []document.Text
	root.Walk("", nil, func(at string, in *jsontree.Member, v *jsontree.Value) {
		t := document.Text{Pointer: at, Value: new(string), Redactable: true}
		if in != nil {
			t.Name = in.Name
		}
		if v.Kind == jsontree.String {
			t.Value = &v.Text
		}
		texts = append(texts, t)
	})
	screened, err := trust.Gate{Allow: o.Allow, Redact: o.Redact}.Texts("", texts)
	if faults, is := errors.AsType[*handoff.DocumentError](err); is {
		for i, f := range faults.Faults {
			at := root.At(f.Pointer)
			faults.Faults[i].Line, faults.Faults[i].Column = at.Line, at.Column
		}
	}
	if err != nil || len(screened.Redacted) == 0 {
		return screenedRecord{data: data, allowed: screened.Allowed}, err
	}
	return screenedRecord{root.Append(nil), screened.Allowed, screened.Redacted}, nil
}
