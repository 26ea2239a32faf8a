package relation

import (
	"cmp"
	"slices"
	"strings"
)

// A Node is a handoff of a thread: its id, its time, "" if unknown, and the ids of the handoffs that it names.
type Node struct {
	ID, Time string
	Names    []string
}

// A Branch is the place of a node in the tree of its thread. Node is its index.
type Branch struct{ Node, Depth int }

// Tree returns nodes as a tree, from its top to its bottom: each is below the first of the others that it names. Of
// those below the same node, the oldest comes first, and those without a time come last.
func Tree(nodes []Node) (all []Branch) {
	known := make(map[string]bool, len(nodes))
	for _, n := range nodes {
		known[n.ID] = true
	}
	below := make(map[string][]int, len(nodes))
	for i, n := range nodes {
		above := ""
		if first := slices.IndexFunc(n.Names, func(id string) bool { return known[id] }); first >= 0 {
			above = n.Names[first]
		}
		below[above] = append(below[above], i)
	}
	// a fraction of a second comes after none
	age := func(i int) string { return cmp.Or(strings.TrimSuffix(nodes[i].Time, "Z"), "~") }
	for _, list := range below {
		slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(age(a), age(b)) })
	}
	isPlaced := make([]bool, len(nodes))
	var add func(i, depth int)
	add = func(i, depth int) {
		if !isPlaced[i] {
			isPlaced[i], all = true, append(all, Branch{i, depth})
			for _, next := range below[nodes[i].ID] {
				add(next, depth+1)
			}
		}
	}
	for _, i := range below[""] {
		add(i, 0)
	}
	for i := range nodes {
		add(i, 0) // what is left names itself in a circle, as only a forged log can
	}
	return all
}
