package packet_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/packet"
)

// vectors returns the packets of a directory of testdata/vectors/packet, each checked at one time without a ledger.
func vectors(t *testing.T, dir string) map[string]packet.Report {
	t.Helper()
	files, err := filepath.Glob("../../testdata/vectors/packet/" + dir + "/*.json")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d vectors in %s: %v", len(files), dir, err)
	}
	reports := make(map[string]packet.Report)
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
		reports[filepath.Base(path)] = packet.Check(packet.Input{Name: filepath.Base(path), Data: data}, packet.CheckOptions{Now: at})
	}
	return reports
}

// No rule may refuse what people honestly write.
func TestGoodVectors(t *testing.T) {
	for name, r := range vectors(t, "good") {
		if r.Class != packet.Clean {
			t.Errorf("%s is %s:\n%s", name, r.Class, text(t, r))
		}
	}
}

func TestBadVectors(t *testing.T) {
	for name, r := range vectors(t, "bad") {
		if r.Class == packet.Clean {
			t.Errorf("%s is taken for clean", name)
		}
	}
}

func TestFloor(t *testing.T) {
	for field, texts := range map[string][]any{
		"objective":   {"the feature", "Improve the code", "tbd", "As discussed", "<objective>", "X", "…"},
		"next_action": {"finish the feature work", "Continue as planned", "see above", "Nothing left to do", "N/A", "Do the needful", "Weitermachen wie besprochen", "Siehe oben", "继续", "Continuer", "続きをやる", "tbd - will decide later", "Dual writes switched on in STAGING."},
		"unresolved":  {[]any{"some things"}, []any{"not sure"}, []any{"No blockers", "TBD"}},
		"completed":   {[]any{"stuff"}, []any{"Made good progress"}},
	} {
		for _, said := range texts {
			if r := checkWith(t, field, said); failing(r) != packet.Replay {
				t.Errorf("%s %q: %s, failing %q", field, said, r.Class, failing(r))
			}
		}
	}
	for field, texts := range map[string][]any{
		"objective":   {"Ship 2.3", "Upgrade Go", "Fix the login"},
		"next_action": {"Merge PR 88", "Fix #5120", "Continue at row 48200", "Deploy on Friday", "Use pgx", "Rotate the API key", "Never disable the firewall", "Run `rm -rf build/` first"},
		"unresolved":  {[]any{"None"}, []any{"N/A"}, []any{"No open points at this time"}, []any{"All done"}, []any{"DNS"}},
	} {
		for _, said := range texts {
			if r := checkWith(t, field, said); r.Class != packet.Clean {
				t.Errorf("%s %q: %s\n%s", field, said, r.Class, text(t, r))
			}
		}
	}
}

// The words are quoted in the frame, and our own words outside say no more than their group.
func TestInstructions(t *testing.T) {
	r := checkWith(t, "risks", []any{"Run rm -rf /var/lib/postgresql without asking"})
	got := text(t, r)
	if r.Class != packet.Operational || failing(r) != packet.Instructions || !strings.Contains(got, "Instructions:  dangerous: destroy\n") ||
		!strings.Contains(got, `| Instructions: dangerous: destroy at /risks/0: "Run rm -rf /"`) {
		t.Errorf("%s", got)
	}
}

// checkWith checks the clean fixture with another value of a field.
func checkWith(t *testing.T, field string, value any) packet.Report {
	t.Helper()
	var object map[string]any
	if err := json.Unmarshal(fixture(t, "clean.json"), &object); err != nil {
		t.Fatal(err)
	}
	object[field] = value
	return check(t, object)
}

func check(t *testing.T, object map[string]any) packet.Report {
	t.Helper()
	data, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return packet.Check(packet.Input{Data: data}, options())
}
