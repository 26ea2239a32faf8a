package json_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	jsontree "github.com/seed-78daf238/handoff/lib/internal/json"
)

type handoff struct {
	Body, From, SchemaVersion, To, Topic, Time string
	References, Tags                           []string
}

func (h handoff) members() map[string]any {
	return map[string]any{"from": h.From, "to": h.To, "topic": h.Topic, "ts_utc": h.Time, "body": h.Body,
		"schema_version": h.SchemaVersion, "references": append([]string{}, h.References...), "tags": append([]string{}, h.Tags...)}
}

var check = handoff{Body: "# body\nhello\n", From: "alice", SchemaVersion: "1.0", Tags: []string{"x"}, To: "bob",
	Topic: "topic-1", Time: "2026-11-20T10:00:00Z"}

func TestID(t *testing.T) {
	id, err := jsontree.ID(check.members())
	if want := "sha256:bbb1486d31a6e62f393c0a14817c795d71ccc3dee1fe76ba2ec27aec78d2e89a"; id != want || err != nil {
		t.Errorf("got %s (%v), want %s", id, err, want)
	}
}

func TestIDRefusesInvalidUTF8(t *testing.T) {
	for _, change := range []func(*handoff){
		func(h *handoff) { h.Body = "\xff" },
		func(h *handoff) { h.References = []string{"a", "\xed\xa0\x80"} },
		func(h *handoff) { h.Tags = []string{"\xc0\x80"} },
	} {
		h := check
		change(&h)
		if id, err := jsontree.ID(h.members()); err == nil {
			t.Errorf("%q has the id %s", h, id)
		}
	}
}

// quote writes a string as RFC 8785 section 3.2.2.2 says, without any JSON library.
func quote(s string) string {
	short := map[rune]string{'\b': `\b`, '\t': `\t`, '\n': `\n`, '\f': `\f`, '\r': `\r`, '"': `\"`, '\\': `\\`}
	var b strings.Builder
	for _, r := range s {
		switch escaped, ok := short[r]; {
		case ok:
			b.WriteString(escaped)
		case r < 0x20:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return `"` + b.String() + `"`
}

func list(items []string) string {
	quoted := make([]string, len(items))
	for i, item := range items {
		quoted[i] = quote(item)
	}
	return "[" + strings.Join(quoted, ",") + "]"
}

func TestBytesByHand(t *testing.T) {
	text := rapid.OneOf(rapid.String(), rapid.StringOf(rapid.Rune()), rapid.StringOf(rapid.RuneFrom([]rune("\x00\x1f\x7f\u0085\u2028\u2029<>&\"\\/\ufffd\ufffe\U0010ffff"))))
	rapid.Check(t, func(t *rapid.T) {
		h := handoff{Body: text.Draw(t, "body"), From: text.Draw(t, "from"), References: rapid.SliceOf(text).Draw(t, "references"),
			SchemaVersion: "1.0", Tags: rapid.SliceOf(text).Draw(t, "tags"), To: text.Draw(t, "to"), Topic: text.Draw(t, "topic"), Time: text.Draw(t, "time")}
		want := `{"body":` + quote(h.Body) + `,"from":` + quote(h.From) + `,"references":` + list(h.References) + `,"schema_version":"1.0","tags":` +
			list(h.Tags) + `,"to":` + quote(h.To) + `,"topic":` + quote(h.Topic) + `,"ts_utc":` + quote(h.Time) + `}`
		if got, err := jsontree.ID(h.members()); err != nil || got != "sha256:"+jsontree.SHA256Hex([]byte(want)) {
			t.Fatalf("%v: %s is not the id of %s", err, got, want)
		}
	})
}

func TestTransform(t *testing.T) {
	for in, want := range map[string]string{
		`{"b":1,"a":[1e2, 0.50, -0]}`:   `{"a":[100,0.5,0],"b":1}`,
		` {"\u20ac":"\u0000\/"} `:       `{"€":"\u0000/"}`,
		`9007199254740991`:              `9007199254740991`,
		`9007199254740992`:              `9007199254740992`,
		`{"\ud83d\ude00":1,"\ufb33":2}`: "{\"😀\":1,\"\ufb33\":2}",
	} {
		if got, err := jsontree.Canonicalize([]byte(in)); err != nil || string(got) != want {
			t.Errorf("%s: got %s (%v), want %s", in, got, err, want)
		}
	}
	for _, in := range []string{"", "{", "\"\xff\"", `"\ud800"`, `{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, `9007199254740993`, `[-9007199254740993]`,
		`9007199254740993.5`, `1000000000000000000000`, `1e400`, `1e-400`, `01`, `1 2`, `{"a":1}x`, `nul`, strings.Repeat("[", 100000)} {
		if got, err := jsontree.Canonicalize([]byte(in)); err == nil {
			t.Errorf("%.40q has the canonical form %s", in, got)
		}
	}
}

// FuzzTransform: the canonical form is JSON with the same meaning, and its own canonical form.
func FuzzTransform(f *testing.F) {
	f.Add([]byte(`{"b":[1.5e3,null,true],"a":"\u00e9"}`))
	f.Add([]byte("\"\xff\""))
	f.Add([]byte("[1e20,1e300,123456789012345680000]"))
	f.Fuzz(func(t *testing.T, text []byte) {
		once, err := jsontree.Canonicalize(text)
		if err != nil {
			return
		}
		twice, err := jsontree.Canonicalize(once)
		if !bytes.Equal(once, twice) {
			t.Fatalf("%q, then %q (%v)", once, twice, err)
		}
		if !utf8.Valid(once) || !json.Valid(once) {
			t.Fatalf("%q", once)
		}
	})
}

func BenchmarkID(b *testing.B) {
	for _, size := range []int{1 << 10, 100 << 10} {
		h := check
		h.Body = strings.Repeat("One line of a body, as people write it.\n", size/40)
		b.Run(fmt.Sprintf("%dKB", size>>10), func(b *testing.B) {
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := jsontree.ID(h.members()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
