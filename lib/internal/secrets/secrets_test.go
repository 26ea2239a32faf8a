package secrets_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/internal/secrets"
)

func token() string { return "ghp_" + "9kQ2mZx7" + "Vb4Tn8Rw" + "1Ys6Ph3D" + "c5Jf0GaLuKeX" }

func TestPlace(t *testing.T) {
	found := secrets.Scan("first\r\nsecond\nä=" + token() + "\n" + token())
	want := []string{"3:3", "4:1"}
	if len(found) != 2 {
		t.Fatalf("found %v", found)
	}
	for i, f := range found {
		if got := fmt.Sprintf("%d:%d", f.Line, f.Column); got != want[i] {
			t.Errorf("finding %d stands at %s, want %s", i, got, want[i])
		}
	}
}

func TestFindingNeverHoldsTheValue(t *testing.T) {
	for _, s := range made(3) {
		for _, f := range secrets.Scan(s.text) {
			shown, err := json.Marshal(f)
			if err != nil {
				t.Fatal(err)
			}
			if value := s.text[f.Start:f.End]; strings.Contains(string(shown)+fmt.Sprint(f), value) {
				t.Errorf("%s: the finding shows its value", f.Rule)
			}
		}
	}
}

func TestRedact(t *testing.T) {
	for seed := range seeds(10) {
		for _, s := range made(seed) {
			for name, frame := range frames {
				text := frame(s.text)
				found := secrets.Scan(text)
				clean := secrets.Redact(text, found)
				if again := secrets.Scan(clean); len(again) != 0 {
					t.Errorf("%s %s: %v stays after redaction", s.rule, name, again)
				}
				if len(found) == 1 && strings.Contains(clean, text[found[0].Start:found[0].End]) {
					t.Errorf("%s %s: the value stays", s.rule, name)
				}
				if name == "in JSON" && !json.Valid([]byte(clean)) {
					t.Errorf("%s: redaction broke the JSON: %s", s.rule, clean)
				}
			}
		}
	}
}

func TestRedactKeepsTheRest(t *testing.T) {
	text := "before " + token() + " between " + token() + " after"
	want := "before [redacted:github-token] between [redacted:github-token] after"
	if got := secrets.Redact(text, secrets.Scan(text)); got != want {
		t.Errorf("got %q", got)
	}
	if got := secrets.Redact("nothing", nil); got != "nothing" {
		t.Errorf("got %q", got)
	}
}

// Repeated keywords must not make the scan quadratic: each of these would then take minutes, where HANDOFF_FAULTS is all.
func TestHostileTextEnds(t *testing.T) {
	if testing.Short() {
		t.Skip("is about time, with much text")
	}
	size := 1 << 14
	if os.Getenv("HANDOFF_FAULTS") == "all" {
		size = 1 << 18
	}
	for _, piece := range []string{
		"eyJ", "eyJ-", " eyJ", "sk-", "://", "a://b:", "bearer ", "-----BEGIN PRIVATE KEY-----", "xoxb-1", "glpat-", "ya29.",
		":AA", "1:AA", "PuTTY-User-Key-File-", "secret_access_key=", "hvs.", "eyJaaaaaaaaaa.", " twilio",
		"xoxe-\u200b", "pypi-AgE\u200b", "sntrys_eyJ=", "mailgun\\_", "\"kty\"", "machine ", "password=", "api_key: \"", "a_secret\\_", "LS0tLS1CRUdJTi", "4b1d",
		"\\u005f", "\\\\", "%25", "%252", "&#38;", "\x1b[", "\x1b]8;;", "\u200b", "AAAA", "1Q~", "mysql -", "key-", "psk=\"", "ops_", "sntrys_", "a:$6$", "root:$y$j", "L1L", "KwKw", "xprv", "django-insecure-", "secret_key='", "firebase ",
	} {
		if found := secrets.Scan(strings.Repeat(piece, size/len(piece))); len(found) > 1 {
			t.Errorf("%q repeated: %d findings", piece, len(found))
		}
	}
}

func FuzzScan(f *testing.F) {
	for _, s := range made(1) {
		f.Add(s.text)
	}
	for _, line := range cleanLines(f) {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, text string) {
		found := secrets.Scan(text)
		end := 0
		for _, x := range found {
			if x.Start < end || x.End <= x.Start || x.End > len(text) {
				t.Fatalf("finding %v is out of order or range", x)
			}
			if x.Line != strings.Count(text[:x.Start], "\n")+1 {
				t.Fatalf("finding %v has the wrong line", x)
			}
			end = x.End
		}
		if again := secrets.Scan(secrets.Redact(text, found)); len(again) != 0 {
			t.Fatalf("%v stays after redaction of %v", again, found)
		}
	})
}

func BenchmarkScanClean(b *testing.B) { benchmarkScan(b, prose(1<<20)) }

func BenchmarkScanJSON(b *testing.B) {
	benchmarkScan(b, strings.NewReplacer("\n", `\n`, "`", `\"`).Replace(prose(1<<20)))
}

func benchmarkScan(b *testing.B, text string) {
	if found := secrets.Scan(text); len(found) != 0 {
		b.Fatal(found)
	}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		secrets.Scan(text)
	}
}

// prose is text with the words, paths, hashes and headings of a handoff.
func prose(n int) string {
	words := strings.Fields("the handoff was published and then Bob checked risks, tasks, basic shell scripts, dashboards; " +
		"https://example.org/a/b hosts/default.go sha256:2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae `go test ./...` # Next - skip")
	random := rand.New(rand.NewPCG(7, 7))
	var b strings.Builder
	for b.Len() < n {
		b.WriteString(words[random.IntN(len(words))])
		b.WriteByte(" \n"[random.IntN(9)/8])
	}
	return b.String()
}
