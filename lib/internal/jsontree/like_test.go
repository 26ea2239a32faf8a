package jsontree_test

import (
	"testing"

	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// What is changed is set like what stands beside it; the rest keeps every character, white space too.
func TestAppendLike(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{`{"gone":1,"a":"caf\u00e9","list":[1.0,2]}`, `{"a":"caf\u00e9","list":[1.0,2,3],"new":{"x":[true]}}`},
		{`{"gone": 1, "a": 2, "list": [1, 2]}`, `{"a": 2, "list": [1, 2, 3], "new": {"x": [true]}}`},
		{"{\n\t\"gone\": 1,\n\t\"a\": {},\n\t\"list\": [\n\t\t1\n\t]\n}", "{\n\t\"a\": {},\n\t\"list\": [\n\t\t1,\n\t\t3\n\t],\n\t\"new\": {\"x\": [true]}\n}"},
		{"{ \"gone\":1,\r\n \"list\":[] }", "{ \"list\":[3],\"new\":{\"x\":[true]} }"},
		{`{"gone": 1}`, `{"new": {"x": [true]}}`},
	} {
		v, err := jsontree.Parse([]byte(c.src))
		if err != nil {
			t.Fatal(err)
		}
		if got := string(v.AppendLike(nil, []byte(c.src))); got != c.src {
			t.Errorf("unchanged: %q, want %q", got, c.src)
		}
		v.Delete("gone")
		if list := v.Get("list"); list != nil {
			list.Items = append(list.Items, jsontree.NewInt(3))
		}
		v.Set("new", jsontree.NewObject(jsontree.Member{Name: "x", Value: jsontree.NewArray(jsontree.NewBool(true))}))
		if got := string(v.AppendLike(nil, []byte(c.src))); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
