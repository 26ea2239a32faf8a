package universal

import (
	"fmt"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// Options are the options of a validation.
type Options struct {
	Rules    fault.Rules            // the schema, from package schema; required
	Encoding string                 // o200k_base (default), cl100k_base, or chars4, which loads no tokenizer
	Exists   func(path string) bool // reports whether a referenced file exists; nil: not checked
	Now      func() time.Time       // the clock; time.Now if nil
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
	Budget      *Budget       `json:"budget,omitempty"`       // nil if the tokens were not counted
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

// Validate runs the stages. An error means that the options are invalid.
func (d *Document) Validate(o Options) (Report, error) {
	if o.Encoding == "" {
		o.Encoding = O200k
	}
	if err := CheckEncoding(o.Encoding); err != nil {
		return Report{}, fault.Invalid("", "%v", err)
	}
	return d.stages(o, d.checkTiers)
}

// Check validates like Validate, but does not look at referenced files. It estimates the tokens, and counts them
// only if they may exceed the budget.
func (d *Document) Check(rules fault.Rules) (Report, error) {
	return d.stages(Options{Rules: rules, Encoding: d.quickEncoding()}, func(string, *Report) error { return nil })
}

// stages runs the stages. tiers adds warnings to the second one.
func (d *Document) stages(o Options, tiers func(encoding string, r *Report) error) (Report, error) {
	if o.Rules == nil {
		return Report{}, fault.Config("", "no schema to validate with")
	}
	r := Report{Stage: StageSchema, PayloadHash: d.PayloadHash()}
	if r.Faults = d.checkSchema(o.Rules); r.Valid() {
		r.Stage = StageTokens
		err := d.checkTokens(o.Encoding, &r)
		if err == nil {
			err = tiers(o.Encoding, &r)
		}
		if err != nil {
			return Report{}, err
		}
	}
	if r.Valid() {
		r.Stage = StageSemantics
		d.checkSemantics(o, &r)
	}
	d.place(r.Faults)
	d.place(r.Warnings)
	// In JSON the lists are [], never null.
	r.Faults, r.Warnings = append([]fault.Fault{}, r.Faults...), append([]fault.Fault{}, r.Warnings...)
	return r, nil
}

// checkSchema returns the schema faults. A document of another version gets only a fault for its version.
func (d *Document) checkSchema(rules fault.Rules) []fault.Fault {
	if d.foreign() {
		return []fault.Fault{{
			Pointer: versionPath,
			Problem: fmt.Sprintf("version %s is not supported, only %s", quoted(d.text(versionPath)), Version),
			Hint:    "`handoff record repair --help` lists what older fields become in " + Version,
		}}
	}
	faults, wrapped := rules(d.root.Plain()), d.root.Get("handoff") != nil
	for i, f := range faults {
		switch {
		case strings.Contains(f.Problem, " is not one of "): // it names them
			faults[i].Hint = "`handoff record repair` corrects slips of spelling"
		case isField(f.Pointer): // the schema has its hint
		case !wrapped:
			faults[i].Hint = `put the whole record under one key "handoff"`
		case above(f.Pointer) == "" || above(f.Pointer) == "/handoff":
			faults[i].Hint = strings.TrimPrefix(f.Hint+"; `handoff record repair` removes it", "; ")
			if name := otherName(d.root, f.Pointer); name != "" {
				faults[i].Hint = "`handoff record repair` renames it to " + name
			}
		}
	}
	return faults
}

// foreign reports whether the document names another version, in any spelling.
func (d *Document) foreign() bool {
	v := d.root.At(versionPath)
	return v.Is(jsontree.String) && v.Text != Version && !isVersion(v.Text)
}

// isVersion reports whether a text means the supported version.
func isVersion(text string) bool {
	text = strings.TrimPrefix(strings.ToLower(strings.TrimSpace(text)), "v")
	return text == "3" || text == "3.0" || text == "3.0.0"
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
