package relation_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/seed-78daf238/handoff/lib/relation"
)

func TestTree(t *testing.T) {
	nodes := []relation.Node{
		{"claim", "2026-11-20T13:00:00Z", []string{"two"}},
		{"three", "2026-11-20T12:00:00.5Z", []string{"absent", "first"}}, // a fraction of a second comes after none
		{"two", "2026-11-20T12:00:00Z", []string{"first"}},
		{"back", "2026-11-20T09:00:00Z", []string{"elsewhere", "first"}}, // its clock went back
		{"first", "2026-11-20T10:00:00Z", nil},
		{"absent", "", nil},
	}
	var got []string
	for _, b := range relation.Tree(nodes) {
		got = append(got, fmt.Sprint(b.Depth, " ", nodes[b.Node].ID))
	}
	want := []string{"0 first", "1 back", "1 two", "2 claim", "0 absent", "1 three"}
	if !slices.Equal(got, want) {
		t.Errorf("the tree is %q", got)
	}
}

// A conversation of any length is a tree.
func TestLongThread(t *testing.T) {
	nodes := []relation.Node{{ID: "0"}}
	for i := 1; i < 100_000; i++ {
		nodes = append(nodes, relation.Node{ID: fmt.Sprint(i), Names: []string{fmt.Sprint(i - 1)}})
	}
	if all := relation.Tree(nodes); len(all) != len(nodes) || all[99_999].Depth != 99_999 {
		t.Errorf("%d branches", len(all))
	}
}
