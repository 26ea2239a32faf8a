package fields_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-78daf238/handoff/lib/internal/fields"
)

const block = "```json handoff-record=packet/1\n{}\n```\n"

func TestExtract(t *testing.T) {
	for _, c := range []struct{ name, body, view, fault string }{
		{"view and record", "# A\n\n- b\n\n" + block, "# A\n\n- b\n", ""},
		{"record alone", block, "", ""},
		{"no final newline", "# A\n\n" + strings.TrimSuffix(block, "\n"), "# A\n", ""},
		{"blank lines behind", "# A\n\n" + block + "\n \n", "# A\n", ""},
		{"closed example before", "```\ncode\n```\n\n" + block, "```\ncode\n```\n", ""},
		{"longer fence, fence inside", "````json handoff-record=run/1\n{\n```\n}\n````\n", "", ""},
		{"quoted as text", "the line ```json handoff-record=packet/1 opens it\n\n" + block, "the line ```json handoff-record=packet/1 opens it\n", ""},
		{"two records", block + block, "", "line 4 of the body: a second record"},
		{"open", "x\n\n```json handoff-record=packet/1\n{}\n", "", "line 3 of the body: the record's fence is not closed"},
		{"closed too short", "````json handoff-record=packet/1\n{}\n```\n", "", "not closed"},
		{"text behind", block + "and more\n", "", "there is text after the record"},
		{"tildes", "~~~json handoff-record=packet/1\n{}\n~~~\n", "", "not in the form"},
		{"indented", " ```json handoff-record=packet/1\n{}\n```\n", "", "not in the form"},
		{"upper case kind", "```json handoff-record=Packet/1\n{}\n```\n", "", "not in the form"},
		{"no version", "```json handoff-record=packet\n{}\n```\n", "", "not in the form"},
		{"carriage return", "```json handoff-record=packet/1\r\n{}\r\n```\r\n", "", "not in the form"},
	} {
		got, ok, err := fields.Extract(c.body)
		switch {
		case c.fault == "" && (err != nil || !ok || got.View != c.view):
			t.Errorf("%s: %+v, %t, %v", c.name, got, ok, err)
		case c.fault != "" && (err == nil || ok || !strings.Contains(err.Error(), c.fault)):
			t.Errorf("%s: got %v, want %q", c.name, err, c.fault)
		}
		var broken *fields.BlockError
		if err != nil && !errors.As(err, &broken) {
			t.Errorf("%s: %T", c.name, err)
		}
	}
}

func TestPlainBodiesCarryNothing(t *testing.T) {
	for _, body := range []string{
		"", "# Notes\n", "```json\n{}\n```\n", "~~~~\n" + block + "~~~~\n", "````markdown\n" + block + "````\n",
		"    " + block, "> " + block, "- " + block, "inline `handoff-record=packet/1`\n", "```json ` handoff-record=packet/1\n",
	} {
		if got, ok, err := fields.Extract(body); ok || err != nil {
			t.Errorf("%q: %+v, %v", body, got, err)
		}
	}
}

// hostile draws text from the pieces that matter to fences and Markdown.
func hostile() *rapid.Generator[string] {
	piece := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
		"`", "```", "````", "~~~", "\n", "\r\n", " ", "   ", "json handoff-record=packet/1", block, "- ", "# ", "> ", "1. ", "{}", "<br>", "\\", "\u202e", "\u2028", "_", "|",
	}))
	return rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, "pieces"), "") })
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		record, err := json.MarshalIndent(map[string]string{hostile().Draw(t, "key"): hostile().Draw(t, "value")}, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		view := "# " + fields.Text(hostile().Draw(t, "title")) + "\n\n- " + fields.Text(hostile().Draw(t, "item")) + "\n" + fields.Text(hostile().Draw(t, "line"))
		body := fields.Build(view, "run", "1", record)
		got, ok, err := fields.Extract(body)
		if err != nil || !ok || string(got.JSON) != string(record) || got.Kind != "run" || got.Version != "1" {
			t.Fatalf("body %q gave %+v, %t, %v", body, got, ok, err)
		}
		if again := fields.Build(got.View, got.Kind, got.Version, got.JSON); again != body {
			t.Fatalf("body %q became %q", body, again)
		}
	})
}

func TestText(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"plain text_with_underscores v1.2", "plain text_with_underscores v1.2"},
		{"a\nb\r\nc", "a<br>b<br>c"},
		{"```json", "\\`\\`\\`json"},
		{"- item", `\- item`},
		{"1. item", `1\. item`},
		{"# head", `\# head`},
		{"_em_ and <b> ~~x~~ *y*", `\_em\_ and \<b> \~\~x\~\~ \*y\*`},
		{"R&D, ~/a, -race, 1.5 GB, #4 &lt; &", `R&D, ~/a, -race, 1.5 GB, #4 \&lt; &`},
		{"-race", "-race"},
		{"---", `\---`},
		{"  spaces\t", "spaces"},
		{"[link](x)", `\[link](x)`},
		{"a\x1b[2J\u202e", `a\\u{1b}\[2J\\u{202e}`},
		{"日本語 العربية 👩‍💻", "日本語 العربية 👩‍💻"},
	} {
		if got := fields.Text(c.text); got != c.want {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
}

func FuzzExtract(f *testing.F) {
	f.Add("# A\n\n" + block)
	f.Add(block + block)
	f.Add("````\n" + block + "````\n" + block)
	f.Add("~~~json handoff-record=packet/1\n")
	f.Fuzz(func(t *testing.T, body string) {
		got, ok, err := fields.Extract(body)
		if ok && err != nil || !ok && got.JSON != nil {
			t.Fatalf("%+v, %t, %v", got, ok, err)
		}
		if !ok {
			return
		}
		if !json.Valid(got.JSON) || bytes.ContainsRune(got.JSON, '\r') {
			return
		}
		built := fields.Build(got.View, got.Kind, got.Version, got.JSON)
		again, ok, err := fields.Extract(built)
		if err != nil || !ok || string(again.JSON) != string(got.JSON) || again.View != got.View {
			t.Fatalf("%q became %q: %v", body, built, err)
		}
	})
}
