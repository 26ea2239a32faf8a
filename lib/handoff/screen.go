package handoff

import (
	"github.com/seed-78daf238/handoff/lib/internal/trust"
)

// A scanned document contains no credentials but the allowed ones.
type scanned struct{ *sealed }

// Redacted returns text with a mark in place of each credential, except those that the rules in allow find.
func Redacted(text string, allow []string) string {
	text, _ = trust.Redact(text, allow)
	return text
}

// CheckReason returns ErrInvalid for a reason of more than 2,000 bytes, or with a credential: reasons are kept for
// good.
func CheckReason(reason string) error { return trust.CheckReason(reason) }

// screen refuses documents with credentials, unless the options allow or redact them. Refused documents are left out
// and reported in results.
func (s *Store) screen(docs []*sealed, results []result) ([]scanned, error) {
	if err := trust.CheckRules(s.opt.AllowSecrets); err != nil {
		return nil, err
	}
	good := make([]scanned, 0, len(docs))
	for _, d := range docs {
		if results[d.at].Err = d.leak; d.leak != nil {
			continue
		}
		good = append(good, scanned{d})
	}
	return good, nil
}

// scanSecrets scans one document for credentials, and redacts it if the options say so.
func (s *Store) scanSecrets(d *sealed) error {
	policy := trust.Gate{Allow: s.opt.AllowSecrets, Redact: s.opt.Redact}
	doc, v, err := policy.Document(d.name, d.Document, d.claimed)
	d.Document, d.allowed, d.redacted = doc, v.Allowed, trust.RuleNames(append(d.redacted, v.Redacted...))
	return err
}
