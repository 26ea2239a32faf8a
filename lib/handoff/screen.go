package handoff

import (
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/secrets"
	"github.com/seed-78daf238/handoff/lib/internal/store"
	"github.com/seed-78daf238/handoff/lib/internal/trust"
)

// A scanned document holds no credential but those that were allowed.
type scanned struct{ *sealed }

// A Secret is a credential in a text: which rule it met and where it stands, never its value.
type Secret = secrets.Finding

// FindSecrets returns the credentials in text, by place.
func FindSecrets(text string) []Secret { return secrets.Scan(text) }

// CheckSecretRules refuses a name that no rule has, ErrInvalid.
func CheckSecretRules(rules []string) error { return trust.CheckRules(rules) }

// SecretRules returns the names of all rules of the secret scan.
func SecretRules() []string { return secrets.Rules() }

// CheckReason refuses a reason with a credential in it, or of more than 2,000 bytes, ErrInvalid: why something was done is kept for good.
func CheckReason(reason string) error { return trust.CheckReason(reason) }

// screen looks for credentials. A document with one is left out and reported in results, unless the options
// allow or redact it.
func (s *Store) screen(docs []*sealed, results []Result) ([]scanned, error) {
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
	policy := trust.Gate{Allow: s.opt.AllowSecrets, Redact: s.opt.Redact}
	doc, v, err := policy.Document(d.name, d.Document, d.claimed)
	d.Document, d.allowed, d.redacted = doc, v.Allowed, trust.RuleNames(append(d.redacted, v.Redacted...))
	return err
}

// screenDraft is screen for a draft. What a hook is told is redacted: nobody is there to ask.
func (s *Store) screenDraft(d *Draft) error {
	if err := CheckSecretRules(s.opt.AllowSecrets); err != nil {
		return err
	}
	doc := document.Clone(Document{From: d.From, To: d.To, Topic: d.Topic, Tags: d.Tags, References: d.References, Body: d.Text})
	texts := append(document.Texts(&doc), document.Text{Pointer: "/agent", Value: &d.Agent}, document.Text{Pointer: "/session_id", Value: &d.Session})
	policy := trust.Gate{Allow: s.opt.AllowSecrets, Redact: s.opt.Redact || d.Hook}
	v, err := policy.Texts("the draft", texts)
	if err != nil || len(v.Redacted) == 0 {
		return err
	}
	d.References, d.Text = doc.References, doc.Body
	if !d.Hook {
		s.opt.Warn("redacted what met these rules: " + strings.Join(v.Redacted, ", "))
	}
	return nil
}
