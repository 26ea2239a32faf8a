package jsontree_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// What is changed is set like what stands beside it; the rest keeps every character, white space too.
func TestLayoutIsKept(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{`{"gone":1,"a":"caf\u00e9","list":[1.0,2]}`, `{"a":"caf\u00e9","list":[1.0,2,3],"new":{"x":[true]}}`},
		{`{"gone": 1, "a": 2, "list": [1, 2]}`, `{"a": 2, "list": [1, 2, 3], "new": {"x":[true]}}`},
		{"{\n\t\"gone\": 1,\n\t\"a\": {},\n\t\"list\": [\n\t\t1\n\t]\n}", "{\n\t\"a\": {},\n\t\"list\": [\n\t\t1,\n\t\t3\n\t],\n\t\"new\": {\n\t\t\"x\": [\n\t\t\ttrue\n\t\t]\n\t}\n}"},
		{"{ \"gone\":1,\r\n \"list\":[] }", "{ \"list\":[\r\n   3\r\n ],\"new\":{\"x\":[true]} }"},
		{`{"gone": 1}`, `{"new": {"x":[true]}}`},
	} {
		v, err := jsontree.Parse([]byte(c.src))
		if err != nil {
			t.Fatal(err)
		}
		if got := string(v.OnLines([]byte(c.src))); got != c.src {
			t.Errorf("unchanged: %q, want %q", got, c.src)
		}
		v.Delete("gone")
		if list := v.Get("list"); list != nil {
			list.Items = append(list.Items, jsontree.New(3))
		}
		v.Set("new", jsontree.NewObject(jsontree.Member{Name: "x", Value: jsontree.NewArray(jsontree.New(true))}))
		if got := string(v.OnLines([]byte(c.src))); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// setOnLines is a text with a new value as the last of its object.
func setOnLines(t *testing.T, src string, value string) string {
	t.Helper()
	root, err := jsontree.Scan([]byte(src))
	if err != nil {
		t.Fatalf("%q: %v", src, err)
	}
	if got := string(root.OnLines([]byte(src))); got != src {
		t.Errorf("unchanged: %q, want %q", got, src)
	}
	root.Set("k", made(t, value))
	return string(root.OnLines([]byte(src)))
}

// made is a value that stands in no text.
func made(t *testing.T, text string) *jsontree.Value {
	t.Helper()
	v, err := jsontree.Scan([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v.Unplaced()
}

func TestOnLines(t *testing.T) {
	for src, want := range map[string]string{
		"{}":                                  "{\n  \"k\": {\n    \"b\": [\n      1\n    ]\n  }\n}",
		"{\n}\n":                              "{\n  \"k\": {\n    \"b\": [\n      1\n    ]\n  }\n}\n",
		"{\"a\":1}":                           "{\"a\":1,\"k\":{\"b\":[1]}}",
		"{\"a\": 1}":                          "{\"a\": 1, \"k\": {\"b\":[1]}}",
		"{\n\t\"a\": 1e400\n}":                "{\n\t\"a\": 1e400,\n\t\"k\": {\n\t\t\"b\": [\n\t\t\t1\n\t\t]\n\t}\n}",
		"{\r\n   \"a\": 1\r\n}":               "{\r\n   \"a\": 1,\r\n   \"k\": {\r\n      \"b\": [\r\n         1\r\n      ]\r\n   }\r\n}",
		"{\n\n    \"a\": 1 ,\n\n \"z\": 2\n}": "{\n\n    \"a\": 1 ,\n\n \"z\": 2,\n \"k\": {\n     \"b\": [\n         1\n     ]\n }\n}",
	} {
		if got := setOnLines(t, src, `{"b":[1]}`); got != want {
			t.Errorf("%q:\n%s\nwant\n%s", src, got, want)
		}
	}
}

func TestRemove(t *testing.T) {
	src := []byte("{\n  \"a\": [ 1, {\n    \"x\": 1\n  }, 3 ],\n  \"b\": {}\n}")
	for i, want := range []string{"[ {\n    \"x\": 1\n  }, 3 ]", "[ 1, 3 ]", "[ 1, {\n    \"x\": 1\n  } ]"} {
		root, err := jsontree.Scan(src)
		if err != nil {
			t.Fatal(err)
		}
		list := root.Get("a")
		list.Items = slices.Delete(list.Items, i, i+1)
		if got := root.OnLines(src); !strings.Contains(string(got), want) {
			t.Errorf("without %d:\n%s", i, got)
		}
	}
}

// FuzzOnLines holds for every text: a member that is appended is there, and nothing else has changed; without it the
// text is as it was, but for the space in brackets that were empty.
func FuzzOnLines(f *testing.F) {
	for _, seed := range []string{"{}", "[]", "{\"a\": 1}", "{\r\n\t\"a\": {\"b\": [ ]}\r\n}", "{\"a\":[1,{\"c\":1.50}] , \"d\":\"\\u00e9\"}", "{ }\n", "{\n}", "[1,\n 2]"} {
		f.Add([]byte(seed))
	}
	const key = "k\u2028<"
	f.Fuzz(func(t *testing.T, src []byte) {
		root, err := jsontree.Scan(src)
		if err != nil || root.Kind != jsontree.Object || root.Get(key) != nil {
			return
		}
		before := string(root.OnLines(src))
		if before != string(src) {
			t.Fatalf("%q became %q", src, before)
		}
		n := len(root.Members)
		root.Set(key, made(t, `{"x":[1,{"y":"z"}]}`))
		after := root.OnLines(src)
		again, err := jsontree.Scan(after)
		if err != nil || len(again.Members) != n+1 || string(again.Get(key).Append(nil)) != `{"x":[1,{"y":"z"}]}` {
			t.Fatalf("%q became %q: %v", src, after, err)
		}
		again.Delete(key)
		if back := string(again.OnLines(after)); n > 0 && back != before {
			t.Fatalf("%q became %q and then %q", src, after, back)
		}
	})
}
