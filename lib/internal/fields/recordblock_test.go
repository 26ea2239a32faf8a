package fields_test

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-78daf238/handoff/lib/internal/fields"
)

const block = "```json handoff-record=packet/1\n{}\n```\n"

func TestExtract(t *testing.T) {
	for _, c := range []struct{ name, body, view string }{
		{"view and record", "# A\n\n- b\n\n" + block, "# A\n\n- b\n"},
		{"record alone", block, ""},
		{"longer fence, fence inside", "````json handoff-record=run/1\n{\n```\n}\n````\n", ""},
	} {
		if got, ok := fields.Extract(c.body); !ok || got.View != c.view {
			t.Errorf("%s: %+v, %t", c.name, got, ok)
		}
	}
}

func TestPlainBodiesCarryNothing(t *testing.T) {
	for _, body := range []string{
		"", "# Notes\n", "```json\n{}\n```\n", "~~~~\n" + block + "~~~~\n", "````markdown\n" + block + "````\n",
		"    " + block, "> " + block, "- " + block, "inline `handoff-record=packet/1`\n", "```json ` handoff-record=packet/1\n",
		block + block, "x\n\n```json handoff-record=packet/1\n{}\n", "````json handoff-record=packet/1\n{}\n```\n", block + "and more\n", strings.TrimSuffix(block, "\n"),
		"~~~json handoff-record=packet/1\n{}\n~~~\n", " ```json handoff-record=packet/1\n{}\n```\n", "```json handoff-record=Packet/1\n{}\n```\n",
		"```json handoff-record=packet\n{}\n```\n", "```json handoff-record=packet/1\r\n{}\r\n```\r\n",
	} {
		if got, ok := fields.Extract(body); ok {
			t.Errorf("%q: %+v", body, got)
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
		got, ok := fields.Extract(body)
		if !ok || string(got.JSON) != string(record) || got.Kind != "run" || got.Version != "1" {
			t.Fatalf("body %q gave %+v, %t", body, got, ok)
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
		got, ok := fields.Extract(body)
		if ok && fields.Build(got.View, got.Kind, got.Version, got.JSON) != body {
			t.Fatalf("%q is not what is made of %+v", body, got)
		}
	})
}
