package jsonedit_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/jsonedit"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

func mustParse(t *testing.T, src []byte) *jsonedit.Document {
	t.Helper()
	d, err := jsonedit.Parse(src)
	if err != nil {
		t.Fatalf("%q: %v", src, err)
	}
	return d
}

func TestRefused(t *testing.T) {
	for src, want := range map[string]string{
		"":                                "line 1, column 1: the text ends",
		" \n ":                            "line 2, column 2: the text ends",
		"\ufeff{}":                        "line 1, column 1: the text begins with a byte-order mark",
		"{\n  // why\n  \"a\": 1\n}":      "line 2, column 3: a comment",
		"{\"a\": 1 /* why */}":            "line 1, column 9: a comment",
		"# why\n{}":                       "line 1, column 1: a comment",
		"{\n  \"é\": 1, \"é\": 2\n}":      `line 2, column 11: key "é" occurs twice`,
		"{\"a\": 1, \"\\u0061\": 2}":      `line 1, column 10: key "a" occurs twice`,
		"{\"a\": {\"b\": 1, \"b\": 1}}":   `line 1, column 16: key "b" occurs twice`,
		"{\n\"a\": 1,\n}":                 "line 2, column 7: a comma after the last",
		"[1, 2,]":                         "line 1, column 6: a comma after the last",
		"{'a': 1}":                        "line 1, column 2: invalid character",
		"{\"a\": \"\xff\"}":               "line 1, column 8: byte 0xff is not valid UTF-8",
		"{} {}":                           "line 1, column 4: a second value",
		"{\"a\": 01}":                     "line 1, column 8: invalid character",
		"{\"a\": 1":                       "line 1, column 8: the text ends",
		"{\"a\": \"\t\"}":                 "line 1, column 8: invalid character",
		strings.Repeat("[", 20_000) + "1": "line 1, column 201: arrays and objects are nested",
	} {
		_, err := jsonedit.Parse([]byte(src))
		var faults *fault.DocumentError
		if !errors.As(err, &faults) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.30q: %v, want %s", src, err, want)
		}
	}
}

func TestAppendFollowsTheText(t *testing.T) {
	value := []byte(`{"k":{"b":[1]}}`)
	for src, want := range map[string]string{
		"{}":                                  "{\n  \"k\": {\n    \"b\": [\n      1\n    ]\n  }\n}",
		"{\n}\n":                              "{\n  \"k\": {\n    \"b\": [\n      1\n    ]\n  }\n}\n",
		"{\"a\":1}":                           "{\"a\":1,\"k\":{\"b\":[1]}}",
		"{\"a\": 1}":                          "{\"a\": 1, \"k\":{\"b\":[1]}}",
		"{\n\t\"a\": 1e400\n}":                "{\n\t\"a\": 1e400,\n\t\"k\": {\n\t\t\"b\": [\n\t\t\t1\n\t\t]\n\t}\n}",
		"{\r\n   \"a\": 1\r\n}":               "{\r\n   \"a\": 1,\r\n   \"k\": {\r\n      \"b\": [\r\n         1\r\n      ]\r\n   }\r\n}",
		"{\n\n    \"a\": 1 ,\n\n \"z\": 2\n}": "{\n\n    \"a\": 1 ,\n\n \"z\": 2,\n \"k\": {\n     \"b\": [\n         1\n     ]\n }\n}",
	} {
		d := mustParse(t, []byte(src))
		if got := d.AppendMembers(d.Root, value).Apply([]byte(src)); string(got) != want {
			t.Errorf("%q:\n%s\nwant\n%s", src, got, want)
		}
	}
}

func TestReplaceAndRemove(t *testing.T) {
	src := []byte("{\n  \"a\": [ 1, {\n    \"x\": 1\n  }, 3 ],\n  \"b\": {}\n}")
	d := mustParse(t, src)
	list := d.Root.Get("a")
	for i, want := range []string{"[ {\n    \"x\": 1\n  }, 3 ]", "[ 1, 3 ]", "[ 1, {\n    \"x\": 1\n  } ]"} {
		if got := d.Remove(list, i).Apply(src); !strings.Contains(string(got), want) {
			t.Errorf("without %d:\n%s", i, got)
		}
	}
	if got := d.Replace(list.Items[1], []byte(`{"y":[2]}`)).Apply(src); !strings.Contains(string(got), "[ 1, {\n    \"y\": [\n      2\n    ]\n  }, 3 ]") {
		t.Errorf("replaced:\n%s", got)
	}
	if got := d.Replace(list.Items[0], []byte(`{"y": [2]}`)).Apply(src); !strings.Contains(string(got), `[ {"y":[2]}, {`) {
		t.Errorf("replaced:\n%s", got)
	}
}

// FuzzEdit holds for every text: what is read is JSON; an appended member is there, and nothing else has
// changed; taking it out again gives the text back, but for the space in brackets that were empty.
func FuzzEdit(f *testing.F) {
	for _, seed := range []string{"{}", "[]", "{\"a\": 1}", "{\r\n\t\"a\": {\"b\": [ ]}\r\n}", "{\"a\":[1,{\"c\":1.50}] , \"d\":\"\\u00e9\"}", "{ }\n", "{\n}", "[1,\n 2]"} {
		f.Add([]byte(seed))
	}
	const key = "k\u2028<"
	f.Fuzz(func(t *testing.T, src []byte) {
		d, err := jsonedit.Parse(src)
		if err != nil {
			return
		}
		if !json.Valid(src) {
			t.Fatalf("%q is not JSON", src)
		}
		if d.Root.Kind != jsontree.Object || d.Root.Get(key) != nil {
			return
		}
		edit := d.AppendMembers(d.Root, []byte(`{"k\u2028<":{"x":[1,{"y":"z"}]}}`))
		after := edit.Apply(src)
		e := mustParse(t, after)
		if edit.Start != edit.End || len(e.Root.Members) != len(d.Root.Members)+1 {
			t.Fatalf("%q became %q", src, after)
		}
		for i, m := range d.Root.Members {
			if n := e.Root.Members[i]; n.Name != m.Name || !bytes.Equal(d.Raw(m.Value), e.Raw(n.Value)) {
				t.Fatalf("%q became %q", src, after)
			}
		}
		var value struct{ X []any }
		if err := json.Unmarshal(e.Raw(e.Root.Get(key)), &value); err != nil || len(value.X) != 2 {
			t.Fatalf("%q became %q: %v", src, after, err)
		}
		back := e.Remove(e.Root, len(d.Root.Members)).Apply(after)
		if want := string(src); len(d.Root.Members) > 0 && string(back) != want {
			t.Fatalf("%q became %q and then %q", src, after, back)
		}
		mustParse(t, back)
	})
}

func ExampleDocument_AppendItem() {
	src := []byte("{\n    \"list\": [\n        1\n    ]\n}")
	d, _ := jsonedit.Parse(src)
	fmt.Println(string(d.AppendItem(d.Root.Get("list"), []byte(`{"new":true}`)).Apply(src)))
	// Output:
	// {
	//     "list": [
	//         1,
	//         {
	//             "new": true
	//         }
	//     ]
	// }
}
