package txn_test

import (
	"bytes"
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

func sample() txn.Intent {
	return txn.Intent{Op: txn.OpWrite, Index: "INDEX.md", LogOffset: 12, LogLines: "{}\n",
		Bodies: []txn.Body{{File: "2026-05-07-a-b-t.md", SHA256: "00", Inode: 7, ID: "sha256:00", Row: "| … |"}}}
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
		if got, err := txn.ParseIntent(text); err != nil || got.LogLines != want.LogLines || got.Bodies[0] != want.Bodies[0] {
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
	whole, err := txn.ParseIntent(text)
	if err != nil || whole.LogLines != "{}\n" || whole.Bodies[0].Inode != 7 {
		t.Fatalf("ParseIntent gave %+v, %v", whole, err)
	}
	for i := range text {
		for bit := range 8 {
			flipped := bytes.Clone(text)
			flipped[i] ^= 1 << bit
			got, err := txn.ParseIntent(flipped)
			if err == nil && (got.LogLines != whole.LogLines || got.Bodies[0] != whole.Bodies[0] || got.Op != whole.Op || got.LogOffset != whole.LogOffset) {
				t.Fatalf("byte %d bit %d: changed to %+v unnoticed", i, bit, got)
			}
			if err != nil && !errors.Is(err, txn.ErrIntent) {
				t.Fatalf("byte %d bit %d: %v is no ErrIntent", i, bit, err)
			}
		}
	}
	for n := range text[:len(text)-1] {
		if _, err := txn.ParseIntent(text[:n]); !errors.Is(err, txn.ErrIntent) {
			t.Fatalf("cut to %d bytes: %v", n, err)
		}
	}
}

func FuzzIntent(f *testing.F) {
	text, _ := sample().Bytes()
	f.Add(text)
	f.Add([]byte(`{"version":1,"intent":null,"sha256":""}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if _, err := txn.ParseIntent(text); err != nil && !errors.Is(err, txn.ErrIntent) {
			t.Fatalf("%v is no ErrIntent", err)
		}
	})
}
