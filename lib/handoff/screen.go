package handoff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/recordblock"
	"github.com/seed-78daf238/handoff/lib/internal/secrets"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// A scanned document holds no credential but those that were allowed.
type scanned struct{ sealed }

// A Secret is a credential in a text: which rule it met and where it stands, never its value.
type Secret = secrets.Finding

// FindSecrets returns the credentials in text, by place.
func FindSecrets(text string) []Secret { return secrets.Scan(text) }

// Redact returns text with the credentials in it, except those of the allowed rules, replaced by
// [redacted:RULE], and the names of the rules that they met, sorted.
func Redact(text string, allowed []string) (string, []string) {
	found := slices.DeleteFunc(secrets.Scan(text), func(f Secret) bool { return slices.Contains(allowed, f.Rule) })
	var rules []string
	for _, f := range found {
		rules = append(rules, f.Rule)
	}
	return secrets.Redact(text, found), names(rules)
}

func names(rules []string) []string {
	slices.Sort(rules)
	return slices.Compact(rules)
}

// CheckSecretRules refuses a name that no rule has, ErrInvalid.
func CheckSecretRules(rules []string) error {
	for _, rule := range rules {
		if known := secrets.Rules(); !slices.Contains(known, rule) {
			return fault.New(ErrInvalid, "the rules are "+strings.Join(known, ", "), "%q is no rule of the secret scan", rule)
		}
	}
	return nil
}

// screen looks for credentials. A document with one is left out and reported in results, unless the options
// allow or redact it.
func (s *Store) screen(docs []sealed, results []Result) ([]scanned, error) {
	if err := CheckSecretRules(s.opt.AllowSecrets); err != nil {
		return nil, err
	}
	good := make([]scanned, 0, len(docs))
	for _, d := range docs {
		if results[d.at].Err = d.leak; d.leak != nil {
			continue
		}
		if len(d.redacted) > 0 {
			s.opt.Warn(store.Prefixed(d.name) + "redacted what met these rules: " + strings.Join(d.redacted, ", "))
		}
		good = append(good, scanned{d})
	}
	return good, nil
}

// search is the secret scan of one document, which is redacted if the options say so.
func (s *Store) search(d *sealed) error {
	allowed, faults := s.leaks(document.Texts(&d.Document))
	d.allowed, d.redacted = names(allowed), names(d.redacted)
	switch {
	case len(faults) == 0:
		return nil
	case !s.opt.Redact:
		return &DocumentError{Name: d.name, Faults: faults}
	}
	return s.redact(d)
}

// leaks returns the rules that what is allowed in texts meets, and a fault for each other credential.
func (s *Store) leaks(texts []document.Text) (allowed []string, faults []Fault) {
	for _, p := range texts {
		for _, f := range secrets.Scan(*p.Value) {
			if slices.Contains(s.opt.AllowSecrets, f.Rule) {
				allowed = append(allowed, f.Rule)
			} else {
				faults = append(faults, leaked(p.Pointer, f))
			}
		}
	}
	return allowed, faults
}

// redact replaces the credentials, which makes another document with another id.
func (s *Store) redact(d *sealed) error {
	if d.claimed {
		return fault.New(ErrInvalid, "leave handoff_id out of a document that is to be redacted",
			"%sthe document names its id, which would be another one after the redaction", store.Prefixed(d.name))
	}
	if _, structured, err := recordblock.Extract(d.Body); structured || err != nil {
		return fault.New(ErrInvalid, "redact the record and write it as JSON, so that its view is made again",
			"%sthe body carries a record with a credential in it, which cannot be redacted in place", store.Prefixed(d.name))
	}
	d.Document = document.Clone(d.Document)
	redacted, err := s.replace(d.name, document.Texts(&d.Document))
	if err != nil {
		return err
	}
	d.redacted = names(append(d.redacted, redacted...))
	d.HandoffID, err = document.ID(d.Document)
	return err
}

// replace redacts texts, and returns the rules that it met.
func (s *Store) replace(name string, texts []document.Text) (redacted []string, err error) {
	var faults []Fault
	for _, p := range texts {
		text, rules := Redact(*p.Value, s.opt.AllowSecrets)
		if len(rules) > 0 && !p.Redactable {
			faults = append(faults, Fault{Pointer: p.Pointer, Problem: "holds a credential (rule " + rules[0] + "), which cannot be redacted here", Hint: "choose another name"})
			continue
		}
		*p.Value, redacted = text, append(redacted, rules...)
	}
	if len(faults) > 0 {
		return nil, &DocumentError{Name: name, Faults: faults}
	}
	return names(redacted), nil
}

// screenDraft is screen for a draft. What a hook is told is redacted: nobody is there to ask.
func (s *Store) screenDraft(d *Draft) error {
	if err := CheckSecretRules(s.opt.AllowSecrets); err != nil {
		return err
	}
	doc := document.Clone(Document{From: d.From, To: d.To, Topic: d.Topic, Tags: d.Tags, References: d.References, Body: d.Text})
	texts := append(document.Texts(&doc), document.Text{Pointer: "/agent", Value: &d.Agent}, document.Text{Pointer: "/session_id", Value: &d.Session})
	_, faults := s.leaks(texts)
	switch {
	case len(faults) == 0:
		return nil
	case !s.opt.Redact && !d.Hook:
		return &DocumentError{Name: "the draft", Faults: faults}
	}
	redacted, err := s.replace("the draft", texts)
	if err != nil {
		return err
	}
	d.References, d.Text = doc.References, doc.Body
	if !d.Hook {
		s.opt.Warn("redacted what met these rules: " + strings.Join(redacted, ", "))
	}
	return nil
}

// CheckReason refuses a reason with a credential in it, ErrInvalid: why something was done is kept for good.
func CheckReason(reason string) error {
	if found := secrets.Scan(reason); len(found) > 0 {
		return fault.New(ErrInvalid, "say it without", "the reason holds a credential (rule %s)", fault.Own(found[0].Rule))
	}
	return nil
}

func leaked(pointer string, f Secret) Fault {
	where := "holds"
	if pointer == "/body" {
		where = fmt.Sprintf("line %d, column %d of the body holds", f.Line, f.Column)
	}
	return Fault{Pointer: pointer, Problem: where + " a credential (rule " + f.Rule + ")",
		Hint: "take it out and revoke it, or use --redact; --allow-secret " + f.Rule + " if it is none"}
}
