package jsontree_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// What a Printer prints is what encoding/json reads, and would have printed.
func TestPrinter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type object struct {
			Text  string   `json:"text"`
			Some  string   `json:"some,omitempty"`
			List  []string `json:"list"`
			N     uint64   `json:"n"`
			Items []int    `json:"items,omitempty"`
		}
		texts := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"a\xff\xfeb", "<&>\u2028\"\\\x01", "\xed\xa0\x80"}))
		in := object{texts.Draw(t, "text"), texts.Draw(t, "some"), rapid.SliceOf(texts).Draw(t, "list"), rapid.Uint64().Draw(t, "n"), rapid.SliceOf(rapid.Int()).Draw(t, "items")}
		if rapid.Bool().Draw(t, "no list") {
			in.List = nil
		}
		var p jsontree.Printer
		p.Text("text", in.Text)
		p.Some("some", in.Some)
		p.Texts("list", in.List)
		p.Number("n", in.N)
		jsontree.List(&p, "items", in.Items)
		var got, want object
		text, _ := json.Marshal(in)
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatal(err)
		}
		printed := p.End()
		if err := json.Unmarshal(printed, &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%s: %+v, %v; want %+v", printed, got, err, want)
		}
	})
	var none jsontree.Printer
	if got := string(none.End()); got != "{}" {
		t.Errorf("no member: %s", got)
	}
}
