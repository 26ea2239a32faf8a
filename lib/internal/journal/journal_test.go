package journal_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/seed-78daf238/handoff/lib/internal/journal"
)

// Identity instead of RFC 8785: encoding/json sorts the keys of a map already.
var chain = journal.Chain{
	Canon: func(b []byte) ([]byte, error) { return b, nil },
	Hash: func(b []byte) string {
		sum := sha256.Sum256(b)
		return hex.EncodeToString(sum[:])
	},
}

func TestChain(t *testing.T) {
	at := time.Date(2026, 5, 7, 12, 0, 0, 123456789, time.UTC)
	line, hash, err := chain.Next(journal.Genesis, "handoff.write", at, map[string]int{"n": 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"event_type":"handoff.write","payload":{"n":1},"prev_hash":"GENESIS","primitive_id":"L6","redaction_applied":null,"schema_version":"1.1.0","ts_utc":"2026-05-07T12:00:00.123456Z"}` + "\n"
	if string(line) != want {
		t.Errorf("got  %swant %s", line, want)
	}
	if got, err := chain.HashLine(bytes.TrimSpace(line)); err != nil || got != hash {
		t.Errorf("HashLine gave %s, %v; Next gave %s", got, err, hash)
	}
	signed := strings.Replace(string(line), `{"event_type"`, `{"signature":"x","signing_key_id":"k","event_type"`, 1)
	if got, err := chain.HashLine([]byte(signed)); err != nil || got != hash {
		t.Errorf("the signature counts in the hash: %s, %v", got, err)
	}
	if _, err := chain.HashLine([]byte("[MARKER]")); err == nil {
		t.Error("a line that is no object has a hash")
	}
}

func TestTail(t *testing.T) {
	long := strings.Repeat("x", 20<<10)
	tests := []struct{ name, log, last, torn string }{
		{"empty", "", "", ""},
		{"one", "a\n", "a", ""},
		{"two", "a\nb\n", "b", ""},
		{"torn", "a\nb\nc", "b", "c"},
		{"only torn", "abc", "", "abc"},
		{"marker last", "a\n[seal]\n", "a", ""},
		{"markers only", "[a]\n[b]\n", "", ""},
		{"empty line last", "a\n\n", "a", ""},
		{"long line", "a\n" + long + "\n", long, ""},
		{"long line before markers", long + "\n" + strings.Repeat("[m]\n", 5000), long, ""},
		{"long torn line", "a\n" + long, "a", long},
	}
	for _, test := range tests {
		last, end, err := journal.Tail(strings.NewReader(test.log), int64(len(test.log)))
		if err != nil || string(last) != test.last || test.log[end:] != test.torn {
			t.Errorf("%s: last %.20q, torn %.20q, %v", test.name, last, test.log[end:], err)
		}
	}
}

// Tail must agree with reading the whole log from its beginning.
func TestTailIsTheLastLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		log := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{"event\n", "[m]\n", "\n", strings.Repeat("y", 5000) + "\n", "torn"})).Draw(t, "log"), "")
		var want string
		var end int64
		for l := range journal.Lines([]byte(log)) {
			if !l.Torn {
				end = l.Offset + int64(len(l.Text)) + 1
				if !l.Marker {
					want = string(l.Text)
				}
			}
		}
		last, gotEnd, err := journal.Tail(strings.NewReader(log), int64(len(log)))
		if err != nil || string(last) != want || gotEnd != end {
			t.Fatalf("Tail(%.40q) gave %.40q and %d, %v; want %.40q and %d", log, last, gotEnd, err, want, end)
		}
	})
}

func sample() journal.Intent {
	return journal.Intent{Op: journal.OpWrite, Index: "INDEX.md", LogOffset: 12, LogLines: "{}\n",
		Bodies: []journal.Body{{File: "2026-05-07-a-b-t.md", SHA256: "00", Inode: 7, ID: "sha256:00", Row: "| … |"}}}
}

// The lines are stored by another way than the rest of the intent, and must come back as they were.
func TestIntentKeepsItsLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := sample()
		want.LogLines = rapid.String().Draw(t, "lines") + rapid.SampledFrom([]string{"", "\n", "{\"a\":\"\\n\"}\n\n<&>\n", "\u2028\r\x00\x7f"}).Draw(t, "end")
		text, err := want.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		if got, err := journal.ParseIntent(text); err != nil || got.LogLines != want.LogLines || got.Bodies[0] != want.Bodies[0] {
			t.Fatalf("%+v, %v; want %+v", got, err, want)
		}
	})
}

// Every flipped bit of an intent must be found, or change nothing.
func TestIntentFlips(t *testing.T) {
	text, err := sample().Bytes()
	if err != nil {
		t.Fatal(err)
	}
	whole, err := journal.ParseIntent(text)
	if err != nil || whole.LogLines != "{}\n" || whole.Bodies[0].Inode != 7 {
		t.Fatalf("ParseIntent gave %+v, %v", whole, err)
	}
	for i := range text {
		for bit := range 8 {
			flipped := bytes.Clone(text)
			flipped[i] ^= 1 << bit
			got, err := journal.ParseIntent(flipped)
			if err == nil && (got.LogLines != whole.LogLines || got.Bodies[0] != whole.Bodies[0] || got.Op != whole.Op || got.LogOffset != whole.LogOffset) {
				t.Fatalf("byte %d bit %d: changed to %+v unnoticed", i, bit, got)
			}
			if err != nil && !errors.Is(err, journal.ErrIntent) {
				t.Fatalf("byte %d bit %d: %v is no ErrIntent", i, bit, err)
			}
		}
	}
	for n := range text[:len(text)-1] {
		if _, err := journal.ParseIntent(text[:n]); !errors.Is(err, journal.ErrIntent) {
			t.Fatalf("cut to %d bytes: %v", n, err)
		}
	}
}

func FuzzIntent(f *testing.F) {
	text, _ := sample().Bytes()
	f.Add(text)
	f.Add([]byte(`{"version":1,"intent":null,"sha256":""}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if _, err := journal.ParseIntent(text); err != nil && !errors.Is(err, journal.ErrIntent) {
			t.Fatalf("%v is no ErrIntent", err)
		}
	})
}

func FuzzTail(f *testing.F) {
	f.Add([]byte("a\nb\n[c]\nd"))
	f.Fuzz(func(t *testing.T, log []byte) {
		last, end, err := journal.Tail(bytes.NewReader(log), int64(len(log)))
		if err != nil || end < 0 || end > int64(len(log)) || !bytes.Contains(log, last) {
			t.Fatalf("last %q, end %d, %v", last, end, err)
		}
	})
}
