package operators_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/operators"
)

const token = "ghp_" + "9kQ2mZx7" + "Vb4Tn8Rw" + "1Ys6Ph3D" + "c5Jf0GaLuKeX"

func TestGate(t *testing.T) {
	t.Parallel()
	leaky := document.Document{SchemaVersion: "1.0", From: "ann", To: "ben", Topic: "t", Time: "2026-05-07T12:00:00Z",
		Body: "The token is " + token + ".\n"}
	faults := (*fault.DocumentError)(nil)
	if _, _, err := (operators.Gate{}).Document("a.md", leaky, false); !errors.As(err, &faults) ||
		strings.Contains(err.Error(), token) {
		t.Fatalf("a credential is let through, or shown: %v", err)
	}
	rule := strings.TrimSuffix(strings.TrimPrefix(faults.Faults[0].Problem, "credential ("), ")")
	clean, screened, err := (operators.Gate{Redact: true}).Document("a.md", leaky, false)
	if err != nil || strings.Contains(clean.Body, token) || !strings.Contains(clean.Body, "[redacted:"+rule+"]") ||
		len(screened.Redacted) != 1 {
		t.Errorf("redacted: %q, %v, %v", clean.Body, screened, err)
	}
	if leaky.Body != "The token is "+token+".\n" {
		t.Errorf("the document of the caller was changed: %q", leaky.Body)
	}
	if _, _, err := (operators.Gate{Redact: true}).Document("a.md", leaky, true); !errors.Is(err, fault.ErrInvalid) {
		t.Errorf("a document that names its id is redacted: %v", err)
	}
	same, screened, err := (operators.Gate{Allow: []string{rule}}).Document("a.md", leaky, false)
	if err != nil || same.Body != leaky.Body || len(screened.Allowed) != 1 {
		t.Errorf("allowed: %q, %v, %v", same.Body, screened, err)
	}
	if err := operators.CheckRules([]string{rule, "no-such-rule"}); !errors.Is(err, fault.ErrInvalid) {
		t.Errorf("an unknown rule: %v", err)
	}
}

func TestCheckReason(t *testing.T) {
	t.Parallel()
	for reason, good := range map[string]bool{"": true, "Ben is ill.": true, strings.Repeat("x", operators.MaxReason): true,
		strings.Repeat("x", operators.MaxReason+1): false, "\xff": false, "use " + token: false} {
		if err := operators.CheckReason(reason); err == nil != good || err != nil && !errors.Is(err, fault.ErrInvalid) ||
			err != nil && strings.Contains(err.Error(), token) {
			t.Errorf("%.40q: %v", reason, err)
		}
	}
}
