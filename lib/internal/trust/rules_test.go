package trust_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/operators"
	"github.com/seed-78daf238/handoff/lib/internal/trust"
)

// listed has ann and ben, the person cy, the archivist dan, and eve, who has left.
func listed(t *testing.T) *operators.List {
	t.Helper()
	text := "schema_version: '1.0'\noperators:\n"
	for id, more := range map[string]string{"ann": "write]\n    active_until:", "ben": "write]\n    active_until:",
		"cy": "write, human]\n    active_until:", "dan": "archive]\n    active_until:",
		"eve": "write]\n    active_until: 2026-02-01"} {
		text += "  - id: " + id + "\n    display_name: " + id + "\n    github_handle: " + id + "\n    git_email: " + id +
			"@example.org\n    active_since: 2026-01-01\n    capabilities: [" + more + "\n"
	}
	list, problems := operators.Parse([]byte(text), 1)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return list
}

var fromAnnToBen = index.Row{ID: "sha256:" + strings.Repeat("1", 64), From: "ann", To: "ben"}

func TestAllow(t *testing.T) {
	t.Parallel()
	with := trust.Rules{List: listed(t), Path: "OPERATORS.md", Now: time.Date(2026, 5, 7, 0, 0, 0, 0, time.UTC)}
	none := trust.Rules{Now: with.Now}
	broken := trust.Rules{Broken: fault.Config("", "broken"), Now: with.Now}
	for _, c := range []struct {
		rules     trust.Rules
		act       eventlog.Act
		operators string // who may
		others    string // who may not
	}{
		{with, eventlog.ActTake, "ben", "bob"}, // the recipient need not be verified
		{with, eventlog.ActDone, "ben ann", "bob"},
		{with, eventlog.ActResend, "ann", "ben cy"},
		{with, eventlog.ActArchive, "ann ben dan", "cy eve bob"},
		{with, trust.ActRead, "ann eve", "bob"},
		{none, eventlog.ActTake, "ben bob", ""},
		{none, eventlog.ActArchive, "ann ben", "bob"},
		{none, trust.ActRead, "bob", ""},
		{broken, eventlog.ActTake, "", "ben"},
		{broken, eventlog.ActRevoke, "ann", "cy"},
	} {
		for _, operator := range strings.Fields(c.operators) {
			if err := c.rules.Allow(c.act, operator, fromAnnToBen); err != nil {
				t.Errorf("%s may not %s: %v", operator, c.act, err)
			}
		}
		for _, operator := range strings.Fields(c.others) {
			err := c.rules.Allow(c.act, operator, fromAnnToBen)
			if !errors.Is(err, fault.ErrDenied) && !(c.rules.Broken != nil && errors.Is(err, fault.ErrConfig)) {
				t.Errorf("%s may %s: %v", operator, c.act, err)
			}
		}
	}
}

// Only people end what others hold, and everybody counts as a person while no operators are listed.
func TestMaySteal(t *testing.T) {
	t.Parallel()
	rules := trust.Rules{List: listed(t), Now: time.Date(2026, 5, 7, 0, 0, 0, 0, time.UTC)}
	for operator, may := range map[string]bool{"ann": true, "cy": true, "ben": false, "dan": false, "bob": false} {
		if err := rules.MaySteal(operator, fromAnnToBen); err == nil != may {
			t.Errorf("%s: %v", operator, err)
		}
	}
	if err := (trust.Rules{}).MaySteal("bob", fromAnnToBen); err != nil {
		t.Error(err)
	}
}

// With schema_mode: warn, an operator who is not verified is accepted with a warning.
func TestUnverifiedWarns(t *testing.T) {
	t.Parallel()
	warned := ""
	rules := trust.Rules{List: listed(t), Now: time.Date(2026, 5, 7, 0, 0, 0, 0, time.UTC),
		Warn: func(text string) { warned = text }}
	if err := rules.Allow(trust.ActRead, "bob", fromAnnToBen); err != nil || !strings.Contains(warned, "bob") {
		t.Errorf("%v, warned %q", err, warned)
	}
}

const token = "ghp_" + "9kQ2mZx7" + "Vb4Tn8Rw" + "1Ys6Ph3D" + "c5Jf0GaLuKeX"

func TestGate(t *testing.T) {
	t.Parallel()
	leaky := document.Document{SchemaVersion: "1.0", From: "ann", To: "ben", Topic: "t", Time: "2026-05-07T12:00:00Z",
		Body: "The token is " + token + ".\n"}
	faults := (*fault.DocumentError)(nil)
	if _, _, err := (trust.Gate{}).Document("a.md", leaky, false); !errors.As(err, &faults) ||
		strings.Contains(err.Error(), token) {
		t.Fatalf("a credential is let through, or shown: %v", err)
	}
	rule := strings.TrimSuffix(faults.Faults[0].Problem[strings.LastIndex(faults.Faults[0].Problem, " ")+1:], ")")
	clean, screened, err := (trust.Gate{Redact: true}).Document("a.md", leaky, false)
	if err != nil || strings.Contains(clean.Body, token) || !strings.Contains(clean.Body, "[redacted:"+rule+"]") ||
		len(screened.Redacted) != 1 {
		t.Errorf("redacted: %q, %v, %v", clean.Body, screened, err)
	}
	if leaky.Body != "The token is "+token+".\n" {
		t.Errorf("the document of the caller was changed: %q", leaky.Body)
	}
	if _, _, err := (trust.Gate{Redact: true}).Document("a.md", leaky, true); !errors.Is(err, fault.ErrInvalid) {
		t.Errorf("a document that names its id is redacted: %v", err)
	}
	same, screened, err := (trust.Gate{Allow: []string{rule}}).Document("a.md", leaky, false)
	if err != nil || same.Body != leaky.Body || len(screened.Allowed) != 1 {
		t.Errorf("allowed: %q, %v, %v", same.Body, screened, err)
	}
	if err := trust.CheckRules([]string{rule, "no-such-rule"}); !errors.Is(err, fault.ErrInvalid) {
		t.Errorf("an unknown rule: %v", err)
	}
}

func TestCheckReason(t *testing.T) {
	t.Parallel()
	for reason, good := range map[string]bool{"": true, "Ben is ill.": true, strings.Repeat("x", trust.MaxReason): true,
		strings.Repeat("x", trust.MaxReason+1): false, "\xff": false, "use " + token: false} {
		if err := trust.CheckReason(reason); err == nil != good || err != nil && !errors.Is(err, fault.ErrInvalid) ||
			err != nil && strings.Contains(err.Error(), token) {
			t.Errorf("%.40q: %v", reason, err)
		}
	}
}
