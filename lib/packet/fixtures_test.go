package packet_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/packet"
)

const fixtures = "../../testdata/packet"

var update = flag.Bool("update", false, "write the golden reports")

// now is the time at which the fixtures are checked.
var now = time.Date(2026, 5, 7, 14, 0, 0, 0, time.UTC)

func options() packet.CheckOptions {
	return packet.CheckOptions{Now: now, Consumed: func(token, id string) (use packet.Use, _ error) {
		if token == "consumed-token-1" || token == "" && id == "resumed" {
			use = packet.Use{Consumed: true, Operator: "ben", Time: "2026-05-07T13:00:00Z", HandoffID: "sha256:0123"}
		}
		return use, nil
	}}
}

type expectation struct{ file, class, failing string }

func expectations(t testing.TB) []expectation {
	text, err := os.ReadFile(filepath.Join(fixtures, "expected.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var all []expectation
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.TrimSpace(line), " | ")
		if len(cells) == 3 {
			all = append(all, expectation{cells[0], cells[1], strings.TrimPrefix(cells[2], "-")})
		}
	}
	files, err := filepath.Glob(filepath.Join(fixtures, "*.json"))
	if err != nil || len(files) == 0 || len(files) != len(all) {
		t.Fatalf("%d fixtures and %d expectations: %v", len(files), len(all), err)
	}
	return all
}

func fixture(t testing.TB, name string) []byte {
	data, err := os.ReadFile(filepath.Join(fixtures, name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestFixtures(t *testing.T) {
	for _, want := range expectations(t) {
		r := packet.Check(packet.Input{Name: want.file, Data: fixture(t, want.file)}, options())
		if r.Class.String() != want.class || failing(r) != want.failing {
			t.Errorf("%s: %s with failing %q, want %s with %q\n%s", want.file, r.Class, failing(r), want.class, want.failing, text(t, r))
		}
	}
}

func failing(r packet.Report) string {
	var names []string
	for _, c := range r.Checks {
		if !c.Pass {
			names = append(names, c.Check)
		}
	}
	return strings.Join(names, ",")
}

// Parse takes exactly the fixtures whose Schema check passes, and what it takes survives every way through a body.
func TestFixturesParse(t *testing.T) {
	for _, want := range expectations(t) {
		_, err := packet.Parse(fixture(t, want.file))
		if refused := strings.Contains(want.failing, packet.Schema); refused != (err != nil) {
			t.Errorf("%s: %v", want.file, err)
		}
	}
}

func TestGoldenReports(t *testing.T) {
	var all []packet.Report
	for _, name := range []string{"clean.json", "empty-everywhere.json", "claims-verdict-field.json", "consumed.json", "broken-json.json"} {
		r := packet.Check(packet.Input{Name: name, Data: fixture(t, name)}, options())
		golden(t, strings.TrimSuffix(name, ".json")+".txt", text(t, r))
		all = append(all, r)
	}
	golden(t, "overview.txt", text(t, all...))
	golden(t, "overview-ascii.txt", packet.Text(all, packet.TextOptions{ASCII: true}))
}

// text returns reports as people read them.
func text(t interface{ Fatal(...any) }, reports ...packet.Report) string {
	return packet.Text(reports, packet.TextOptions{Width: 1000})
}

var boundary = regexp.MustCompile(`boundary="[0-9a-f]{32}"`)

func golden(t *testing.T, name, got string) {
	got = boundary.ReplaceAllString(got, `boundary="…"`)
	path := filepath.Join(fixtures, "report", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil || string(want) != got {
		t.Errorf("%s: %v, got\n%s", path, err, got)
	}
}

// The view is part of the kind: stored handoffs are verified against it. This file never changes, not by -update either.
func TestViewIsFrozen(t *testing.T) {
	r, err := packet.Parse(fixture(t, "clean-extra-fields.json"))
	if err != nil {
		t.Fatal(err)
	}
	if body := r.Body(); body != string(fixture(t, "body/clean-extra-fields.md")) {
		t.Errorf("got\n%s", body)
	}
}

func ExampleCheck() {
	data := []byte(`{"objective": "Move the docs to the new site", "completed": ["Exported 214 pages"],
		"unresolved": ["Redirects of the old URLs"], "assumptions": ["DNS stays as it is"],
		"next_action": "Write the redirect table", "risks": ["Old links break"],
		"updated_at": "2026-05-07T12:00:00Z", "resume_token": "docs-move_2"}`)
	r := packet.Check(packet.Input{Name: "docs.json", Data: data}, packet.CheckOptions{Now: time.Date(2026, 5, 7, 14, 0, 0, 0, time.UTC)})
	fmt.Println(r.Class, "-", r.Checks[1].Reason)
	// Output: CLEAN - updated 2 h ago (within 48 h limit)
}
