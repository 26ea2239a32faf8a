package eventlog_test

import (
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/trust"
)

// The longest reason of an action fits into a claim, with any characters: other clones read no more.
func TestReasonsFit(t *testing.T) {
	c := eventlog.Consumption{Token: strings.Repeat("t", 128), HandoffID: "sha256:" + strings.Repeat("ab", 32), Operator: strings.Repeat("o", 64), Session: strings.Repeat("s", 128),
		Time: "2026-05-08T12:00:00Z", Reason: strings.Repeat("\x01", trust.MaxReason), Accepted: strings.Repeat("a", 64), ConfirmedBy: strings.Repeat("c", 64)}
	if err := trust.CheckReason(c.Reason); err != nil {
		t.Fatal(err)
	}
	if trust.CheckReason(c.Reason+"x") == nil {
		t.Error("a longer one is not refused")
	}
	if trust.CheckReason("\xff") == nil {
		t.Error("what is not UTF-8 is not refused")
	}
	text, err := eventlog.NewClaim(c, "w-0123456789abcdef").Bytes()
	if err != nil || len(text) > eventlog.MaxFile {
		t.Fatalf("%d bytes, at most %d are read: %v", len(text), eventlog.MaxFile, err)
	}
	if _, err := eventlog.ParseClaim(eventlog.ClaimName(c.Token), text); err != nil {
		t.Error(err)
	}
}

// Two clones acted in the same second. One of them comes first with each of its claims, whatever their nonces are.
func TestClaimsOfOneTime(t *testing.T) {
	t.Parallel()
	for range 20 {
		for _, act := range []string{"take", "done"} {
			c := eventlog.Consumption{Token: "id#" + act + ".0", Time: "2026-05-08T12:00:00Z"}
			a, b := eventlog.NewClaim(c, "w-0000000000000001"), eventlog.NewClaim(c, "w-0000000000000002")
			if !a.Before(b) || b.Before(a) || a.Before(a) {
				t.Errorf("%+v and %+v", a, b)
			}
		}
	}
}
