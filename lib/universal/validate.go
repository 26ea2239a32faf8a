package universal

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// Options are the options of a validation.
type Options struct {
	Rules  fault.Rules            // the schema, from package schema; required
	Exists func(path string) bool // reports whether a referenced file exists; nil: not checked
	Now    func() time.Time       // the clock of a repair; time.Now if nil
}

// now returns the time of the caller's clock, or of the system.
func (o Options) now() time.Time {
	if o.Now == nil {
		return time.Now()
	}
	return o.Now()
}

// The stages of a validation.
const (
	StageSchema    = "schema"
	StageTokens    = "tokens"
	StageSemantics = "semantics"
)

// A Report is the result of a validation.
type Report struct {
	Stage       string        `json:"stage"`                  // the last stage that ran
	Faults      []fault.Fault `json:"faults"`                 // all faults of that stage; empty for a valid document
	Warnings    []fault.Fault `json:"warnings"`               // of all stages that ran
	Tokens      int           `json:"tokens,omitempty"`       // 0 if they were not counted
	PayloadHash string        `json:"payload_hash,omitempty"` // the computed hash of the payload
	Mismatch    bool          `json:"mismatch"`               // meta.payload_hash differs; also in Faults
}

// Valid reports whether the document has no fault.
func (r Report) Valid() bool { return len(r.Faults) == 0 }

// Err returns nil for a valid document. If the payload hash is the only fault, the error wraps
// fault.ErrIntegrity. Otherwise it is a *fault.DocumentError, which wraps fault.ErrInvalid.
func (r Report) Err() error {
	switch {
	case r.Valid():
		return nil
	case r.Mismatch && len(r.Faults) == 1:
		f := r.Faults[0]
		return fault.Integrity(f.Hint, "%s: %s", f.Pointer, f.Problem)
	}
	return &fault.DocumentError{Faults: r.Faults}
}

// Validate runs the stages.
func (d *Document) Validate(o Options) Report {
	r := Report{Stage: StageSchema, PayloadHash: d.PayloadHash()}
	if r.Faults = d.checkSchema(o.Rules); r.Valid() {
		r.Stage = StageTokens
		d.checkTokens(&r)
	}
	if r.Valid() {
		r.Stage = StageSemantics
		d.checkSemantics(o, &r)
	}
	d.place(r.Faults)
	d.place(r.Warnings)
	// In JSON the lists are [], never null.
	r.Faults, r.Warnings = append([]fault.Fault{}, r.Faults...), append([]fault.Fault{}, r.Warnings...)
	return r
}

// checkSchema returns the schema faults. A document of another version gets only a fault for its version.
func (d *Document) checkSchema(rules fault.Rules) []fault.Fault {
	if d.foreign() {
		return []fault.Fault{{
			Pointer: versionPath,
			Problem: fmt.Sprintf("version %s is not supported, only %s", quoted(d.text(versionPath)), Version),
			Hint:    "`handoff validate --help` lists what older fields become in " + Version,
		}}
	}
	faults := rules(d.root.Plain())
	for i, f := range faults {
		at := above(f.Pointer)
		switch name := fault.PointerName(last(f.Pointer)); {
		case at != "" && at != "/handoff" || slices.Contains(names(at), name): // the schema has its hint
		case d.root.Get("handoff") == nil:
			faults[i].Hint = `put the whole record under one key "handoff"`
		default:
			faults[i].Hint += "; `handoff validate --fix` removes it"
			if near := form.Nearest(name, names(at)); near != "" {
				faults[i].Hint = fmt.Sprintf("did you mean %q?", near)
			}
		}
	}
	return faults
}

// foreign reports whether the document names another version.
func (d *Document) foreign() bool {
	v := d.root.At(versionPath)
	return v.Is(jsontree.String) && v.Text != Version
}

// place sets line and column of the faults: those of the value, or of the object that lacks it.
func (d *Document) place(faults []fault.Fault) {
	for i, f := range fault.Bounded(faults) {
		v := d.root.At(f.Pointer)
		if v == nil {
			v = d.root.At(above(f.Pointer))
		}
		if v != nil && f.Pointer != "" && f.Line == 0 {
			faults[i].Line, faults[i].Column = v.Line, v.Column
		}
	}
}

// above returns the pointer of the parent.
func above(pointer string) string { return pointer[:max(0, strings.LastIndexByte(pointer, '/'))] }

// last returns the last part of a pointer, unescaped.
func last(pointer string) string {
	return fault.PointerName(pointer[strings.LastIndexByte(pointer, '/')+1:])
}

// quoted returns text of the document for a message, quoted and shortened.
func quoted(text string) string { return fault.Quote(text) }

// warn adds a warning.
func warn(r *Report, pointer, hint, format string, args ...any) {
	r.Warnings = append(r.Warnings, fault.Fault{Pointer: pointer, Problem: fmt.Sprintf(format, args...), Hint: hint})
}

// fail adds a fault.
func fail(r *Report, pointer, hint, format string, args ...any) {
	r.Faults = append(r.Faults, fault.Fault{Pointer: pointer, Problem: fmt.Sprintf(format, args...), Hint: hint})
}
