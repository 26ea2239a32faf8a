package operators

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/secrets"
	"github.com/seed-78daf238/handoff/lib/kind"
)

// A Gate decides about credentials.
type Gate struct {
	Allow  []string // rules whose findings are accepted
	Redact bool     // replace other findings instead of refusing them
}

// Screened has the rules of the credentials in a text that were allowed or redacted, sorted.
type Screened struct{ Allowed, Redacted []string }

// Redact returns text with its credentials replaced by [redacted:RULE], except those of the allowed rules. It also
// returns the names of their rules, sorted.
func Redact(text string, allowed []string) (string, []string) {
	found := slices.DeleteFunc(secrets.Scan(text),
		func(f secrets.Finding) bool { return slices.Contains(allowed, f.Rule) })
	var rules []string
	for _, f := range found {
		rules = append(rules, f.Rule)
	}
	return secrets.Redact(text, found), RuleNames(rules)
}

// RuleNames sorts rules and removes duplicates.
func RuleNames(rules []string) []string {
	slices.Sort(rules)
	return slices.Compact(rules)
}

// CheckRules returns ErrInvalid if a name is not the name of a rule.
func CheckRules(rules []string) error {
	for _, rule := range rules {
		if known := secrets.Rules(); !slices.Contains(known, rule) {
			return fault.Invalid("the rules are "+strings.Join(known, ", "),
				"%q is not a rule of the secret scan", rule)
		}
	}
	return nil
}

// Document screens a document. name is its name in errors. Redaction changes the id, so a document that contains its
// id cannot be redacted. A refused document is a *fault.DocumentError.
func (p Gate) Document(name string, d document.Document, claimed bool) (document.Document, Screened, error) {
	d = document.Clone(d)
	before := d.Body
	v, err := p.Texts(name, document.Texts(&d))
	if err != nil || v.Redacted == nil {
		return d, v, err
	}
	if claimed {
		return d, v, fault.Invalid("leave handoff_id out of a document that is to be redacted",
			"%sthe document names its id, which would be another one after the redaction", fault.Prefixed(name))
	}
	if _, structured := kind.Extract(before); structured {
		return d, v, fault.Invalid(
			"redact the record and write it as JSON, so that its view is made again",
			"%sthe body carries a record with a credential in it, which cannot be redacted in place",
			fault.Prefixed(name))
	}
	d.HandoffID, err = document.ID(d)
	return d, v, err
}

// Texts screens texts, and redacts them in place.
func (p Gate) Texts(name string, texts []document.Text) (Screened, error) {
	allowed, faults := p.leaks(texts)
	v := Screened{Allowed: RuleNames(allowed)}
	switch {
	case len(faults) == 0:
		return v, nil
	case !p.Redact:
		return v, &fault.DocumentError{Name: name, Faults: faults}
	}
	redacted, err := p.replace(name, texts)
	v.Redacted = redacted
	return v, err
}

// leaks returns the rules of the allowed credentials in texts, and a fault for each other credential.
func (p Gate) leaks(texts []document.Text) (allowed []string, faults []fault.Fault) {
	for _, t := range texts {
		before := t.Before()
		for _, f := range secrets.Scan(before + *t.Value) {
			if slices.Contains(p.Allow, f.Rule) {
				allowed = append(allowed, f.Rule)
			} else {
				faults = append(faults, leaked(placeOf(t, f.Start < len(before)), f))
			}
		}
	}
	return allowed, faults
}

// replace redacts texts, and returns the rules of the credentials.
func (p Gate) replace(name string, texts []document.Text) (redacted []string, err error) {
	var faults []fault.Fault
	for _, t := range texts {
		text, rules := Redact(t.Before()+*t.Value, p.Allow)
		text, isInValue := strings.CutPrefix(text, t.Before())
		if len(rules) > 0 && !(t.Redactable && isInValue) {
			faults = append(faults, fault.Fault{Pointer: placeOf(t, !isInValue),
				Problem: "credential (" + rules[0] + "), which cannot be redacted here", Hint: "choose another name"})
			continue
		}
		*t.Value, redacted = text, append(redacted, rules...)
	}
	if len(faults) > 0 {
		return nil, &fault.DocumentError{Name: name, Faults: faults}
	}
	return RuleNames(redacted), nil
}

// MaxReason is the maximum size of a reason in bytes. A reason must fit into a claim, even if all of it is escaped.
const MaxReason = 2000

// CheckReason returns fault.ErrInvalid for a reason of more than MaxReason bytes, with a credential, or with invalid
// UTF-8, which JSON would change. Reasons are kept for good.
func CheckReason(reason string) error {
	if !utf8.ValidString(reason) {
		return fault.Invalid("write it in UTF-8", "the reason is not valid UTF-8")
	}
	if len(reason) > MaxReason {
		return fault.Invalid("say it in fewer words, or in an answer",
			"the reason has %d bytes, at most %d are kept", len(reason), MaxReason)
	}
	if reason == "" { // the usual case: the rules need not be read
		return nil
	}
	if found := secrets.Scan(reason); len(found) > 0 {
		return fault.Invalid("say it without", "the reason holds a credential (rule %s)",
			fault.Own(found[0].Rule))
	}
	return nil
}

// placeOf returns the place of a credential. A name that is one is not shown.
func placeOf(t document.Text, isInName bool) string {
	if isInName {
		return t.Pointer[:strings.LastIndexByte(t.Pointer, '/')]
	}
	return t.Pointer
}

func leaked(pointer string, f secrets.Finding) fault.Fault {
	leak := fault.Fault{Pointer: pointer, Problem: "credential (" + f.Rule + ")",
		Hint: "revoke it, then run again with --redact; a false alarm needs --allow-secret " + f.Rule}
	if pointer == "/body" {
		leak.Line, leak.Column = f.Line, f.Column
	}
	return leak
}
