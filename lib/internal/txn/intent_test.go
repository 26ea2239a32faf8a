//go:build unix

package txn_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/machine"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

// key is that of a state directory with a secret of its own.
var key = txn.KeyOf(machine.Record{Secret: strings.Repeat("5e", 32)})

func sample() txn.Intent {
	row := index.Row{ID: "sha256:" + strings.Repeat("00", 32), File: "2026-05-07-a-b-t.md", From: "a", To: "b", Topic: "t", Time: aTime, ReadBy: "b:" + aTime}
	return txn.Intent{Op: "write", Index: "INDEX.md", LogOffset: 12, LogLines: "{}\n",
		Bodies: []txn.Body{{File: "2026-05-07-a-b-t.md", SHA256: "00", Inode: 7, ID: "sha256:00", Row: txn.Row{Row: row}}}}
}

func printed(i txn.Intent) ([]byte, error) {
	var b bytes.Buffer
	_, err := i.Print(&b, key)
	return b.Bytes(), err
}

// The lines are stored by another way than the rest of the intent, and must come back as they were.
func TestIntentKeepsItsLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := sample()
		want.LogLines = rapid.String().Draw(t, "lines") + rapid.SampledFrom([]string{"", "\n", "{\"a\":\"\\n\"}\n\n<&>\n", "\u2028\r\x00\x7f"}).Draw(t, "end")
		text, err := printed(want)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := txn.ParseIntent(text, key); err != nil || got.LogLines != want.LogLines || got.Bodies[0] != want.Bodies[0] {
			t.Fatalf("%+v, %v; want %+v", got, err, want)
		}
	})
}

// Print writes the fields one by one: none may be forgotten.
func TestIntentKeepsItsFields(t *testing.T) {
	full := txn.Intent{Marks: []txn.IntentMark{{ID: "i", Operator: "o", Time: "t"}}, Signatures: []txn.Signature{{ID: "i", Text: "t", Key: "k"}}}
	full.Bodies = []txn.Body{{File: "f", SHA256: "s", Inode: 1 << 63, ID: "i", Row: sample().Bodies[0].Row}, {File: "g"}}
	full.Removed = full.Bodies
	for v, i := reflect.ValueOf(&full).Elem(), 0; i < v.NumField(); i++ {
		if !v.Type().Field(i).IsExported() {
			continue
		}
		switch f := v.Field(i); f.Kind() {
		case reflect.String:
			f.SetString(v.Type().Field(i).Name)
		case reflect.Int64:
			f.SetInt(int64(i + 1))
		case reflect.Uint64:
			f.SetUint(1<<63 + uint64(i))
		}
		if v.Field(i).IsZero() {
			t.Errorf("the test does not set %s", v.Type().Field(i).Name)
		}
	}
	for _, want := range []txn.Intent{full, {}, {LogLines: "\n", Signatures: full.Signatures}} {
		text, err := printed(want)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := txn.ParseIntent(text, key); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s\n%+v, %v; want %+v", text, got, err, want)
		}
	}
}

// Every flipped bit of an intent must be found, or change nothing.
func TestIntentFlips(t *testing.T) {
	text, err := printed(sample())
	if err != nil {
		t.Fatal(err)
	}
	whole, err := txn.ParseIntent(text, key)
	if err != nil || whole.LogLines != "{}\n" || whole.Bodies[0].Inode != 7 {
		t.Fatalf("ParseIntent gave %+v, %v", whole, err)
	}
	for i := range text {
		for bit := range 8 {
			flipped := bytes.Clone(text)
			flipped[i] ^= 1 << bit
			got, err := txn.ParseIntent(flipped, key)
			if err == nil && (got.LogLines != whole.LogLines || got.Bodies[0] != whole.Bodies[0] || got.Op != whole.Op || got.LogOffset != whole.LogOffset) {
				t.Fatalf("byte %d bit %d: changed to %+v unnoticed", i, bit, got)
			}
			if err != nil && !errors.Is(err, txn.ErrIntent) {
				t.Fatalf("byte %d bit %d: %v is no ErrIntent", i, bit, err)
			}
		}
	}
	for n := range text[:len(text)-1] {
		if _, err := txn.ParseIntent(text[:n], key); !errors.Is(err, txn.ErrIntent) {
			t.Fatalf("cut to %d bytes: %v", n, err)
		}
	}
}

// What another state directory made, or nobody's, proves nothing; a checksum alone counts only where there is no secret.
func TestIntentIsOfItsStateDirectory(t *testing.T) {
	file, err := printed(sample())
	if err != nil {
		t.Fatal(err)
	}
	text := `{"op":"write","log_offset":0,"log_lines":""}`
	older := fmt.Appendf(nil, `{"version":1,"intent":%s,"sha256":"%x"}`, text, sha256.Sum256([]byte(text)))
	another, without := txn.KeyOf(machine.Record{Secret: strings.Repeat("0f", 32)}), txn.KeyOf(machine.Record{})
	for name, test := range map[string]struct {
		file []byte
		key  txn.Key
		good bool
	}{
		"its own": {file, key, true}, "of another": {file, another, false}, "of none": {file, txn.Key{}, false},
		"of a store without secret": {file, without, false}, "older": {older, without, true},
		"older, beside a secret": {older, key, false}, "older, of none": {older, txn.Key{}, false},
	} {
		if _, err := txn.ParseIntent(test.file, test.key); (err == nil) != test.good {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzIntent(f *testing.F) {
	text, _ := printed(sample())
	f.Add(text)
	f.Add([]byte(`{"version":1,"intent":null,"sha256":""}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if _, err := txn.ParseIntent(text, key); err != nil && !errors.Is(err, txn.ErrIntent) {
			t.Fatalf("%v is no ErrIntent", err)
		}
	})
}
