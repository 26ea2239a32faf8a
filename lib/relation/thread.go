package relation

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// A Thread is a set of connected handoffs, as a tree: each is below the first one that it
// names, and after all of those. Its texts are untrusted.
type Thread struct {
	Asked string
	Nodes []Node
}

// A Node is a handoff of a thread. If it is not in the store, only its id is known.
type Node struct {
	ID    string
	Path  string
	From  string
	To    string
	Topic string
	Title string // "" if unknown
	Time  string
	State string

	Re         []string // ids of the handoffs that it answers
	Supersedes []string // ids of the handoffs that it supersedes
	Claims     []string // ids of handoffs that it claims to supersede, without effect
	Beside     []string // other handoffs that supersede the same ones; all are current
}

// Absent is the state of a handoff that is named but not in the store.
const Absent = "not here"

// named returns the ids of all handoffs that a node names.
func (n Node) named() []string { return slices.Concat(n.Re, n.Supersedes, n.Claims) }

// NewThread returns the thread of nodes. Each comes after those that it names; otherwise older ones come first. An id
// depends on the ids that the handoff names, so this is the order of writing, whatever the clocks say.
func NewThread(asked string, nodes []Node) Thread {
	left := make(map[string]Node, len(nodes))
	for _, n := range nodes {
		left[n.ID] = n
	}
	t := Thread{Asked: asked, Nodes: make([]Node, 0, len(nodes))}
	var add func(n Node)
	add = func(n Node) {
		if _, is := left[n.ID]; !is {
			return
		}
		delete(left, n.ID)
		for _, id := range n.named() {
			add(left[id])
		}
		t.Nodes = append(t.Nodes, n)
	}
	for _, n := range slices.SortedFunc(slices.Values(nodes), compareAges) {
		add(n)
	}
	return t
}

// compareAges orders nodes by their times. A node that is not in the store has none; it comes last, unless another one
// names it.
func compareAges(a, b Node) int {
	at := func(n Node) string { return cmp.Or(strings.TrimSuffix(n.Time, "Z"), "~") } // a fraction comes after none
	return cmp.Or(cmp.Compare(at(a), at(b)), cmp.Compare(a.ID, b.ID))
}

// A Branch is a node with its depth in the tree. Last reports whether it is the last one below its parent.
type Branch struct {
	Node
	Depth int
	Last  bool
}

// Branches returns the nodes of a thread from the top of the tree to its bottom.
func (t Thread) Branches() (all []Branch) {
	at := make(map[string]int, len(t.Nodes)) // the number of each node, from 1
	for i, n := range t.Nodes {
		at[n.ID] = i + 1
	}
	below := make([][]int, len(t.Nodes)+1) // the nodes below each, by number; 0 is the root
	for i, n := range t.Nodes {
		above := 0
		for _, id := range n.named() {
			if k := at[id]; k > 0 && k <= i {
				above = k
				break
			}
		}
		below[above] = append(below[above], i+1)
	}
	type item struct {
		number, depth int
		last          bool
	}
	var stack []item
	push := func(under, depth int) {
		for k, number := range slices.Backward(below[under]) {
			stack = append(stack, item{number, depth, k == len(below[under])-1})
		}
	}
	push(0, 0)
	for len(stack) > 0 {
		one := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		all = append(all, Branch{t.Nodes[one.number-1], one.depth, one.last})
		push(one.number, one.depth+1)
	}
	return all
}

// deepest is the number of indented levels of a list. Deeper replies are not indented further.
const deepest = 4

// List returns the thread as a nested list. when formats the times, width is that of the terminal, 0 is any width.
func (t Thread) List(width int, when func(ts string) string) string {
	var rows [][]string
	for _, b := range t.Branches() {
		asked := map[bool]string{true: " *"}[b.ID == t.Asked]
		title := strings.Repeat("  ", min(b.Depth, deepest)) + cmp.Or(b.Title, b.Topic)
		if b.Supersedes != nil || b.Claims != nil || b.Beside != nil || len(b.Re) > 1 {
			title += " (" + b.How() + ")"
		}
		rows = append(rows, []string{short(b.ID) + asked, when(b.Time), b.From, b.To, b.State, title})
	}
	return form.Table(width, []string{"ID", "TIME", "FROM", "TO", "STATE", "TITLE"}, rows)
}

// short returns the first digits of an id.
func short(id string) string {
	id = strings.TrimPrefix(id, "sha256:")
	return id[:min(len(id), 8)]
}

// most is the number of named handoffs that How lists.
const most = 3

// How describes in a few words how a node relates to those that it names, and to others that name them.
func (n Node) How() string {
	var parts []string
	for _, list := range []struct {
		word string
		ids  []string
	}{{"answers", n.Re}, {"supersedes", n.Supersedes}, {"claims to supersede", n.Claims}, {"as does", n.Beside}} {
		word := list.word + " "
		for _, id := range list.ids[:min(len(list.ids), most)] {
			parts, word = append(parts, word+short(id)), ""
		}
		if more := len(list.ids) - most; more > 0 {
			parts = append(parts, fmt.Sprint(more, " more"))
		}
	}
	return strings.Join(parts, ", ")
}
