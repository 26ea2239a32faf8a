// Package thread shows handoffs that answer and supersede each other: as a tree of lines, and as pictures for
// Mermaid, Graphviz and browsers. In the pictures time goes down, and arrows lead from sender to recipient.
//
// The input is untrusted text. In pictures, every character with a special meaning is escaped.
package thread

import (
	"cmp"
	"slices"
	"strings"
)

// A Thread is a set of connected handoffs. Each comes after those that it names.
type Thread struct {
	Asked string `json:"handoff_id"`
	Nodes []Node `json:"thread"`
	Left  int    `json:"left_out,omitempty"` // the number of omitted handoffs
}

// A Node is a handoff of a thread. If it is not in the store, only its id is known.
type Node struct {
	ID    string `json:"handoff_id"`
	Path  string `json:"file_path,omitempty"`
	From  string `json:"from,omitempty"`
	To    string `json:"to,omitempty"`
	Topic string `json:"topic,omitempty"`
	Title string `json:"title,omitempty"` // "" if unknown
	Time  string `json:"ts_utc,omitempty"`
	State string `json:"state"`

	Tags []string `json:"tags,omitzero"` // nil only if it is not in the store

	Re         []string `json:"re,omitempty"`         // ids of the handoffs that it answers
	Supersedes []string `json:"supersedes,omitempty"` // ids of the handoffs that it supersedes
	Claims     []string `json:"claims,omitempty"`     // ids of handoffs that it claims to supersede, without effect
	Beside     []string `json:"beside,omitempty"`     // other handoffs that supersede the same ones; all are current
}

// Absent is the state of a handoff that is named but not in the store.
const Absent = "not here"

// named returns the ids of all handoffs that a node names.
func (n Node) named() []string { return slices.Concat(n.Re, n.Supersedes, n.Claims) }

// short returns enough digits of an id to identify a handoff.
func short(id string) string {
	id = strings.TrimPrefix(id, "sha256:")
	return id[:min(len(id), 12)]
}

// New returns the thread of nodes. Each comes after those that it names; otherwise older ones come first. An id
// depends on the ids that the handoff names, so this is the order of writing, whatever the clocks say.
func New(asked string, nodes []Node) Thread {
	at := make(map[string]int, len(nodes))
	for i, n := range nodes {
		at[n.ID] = i
	}
	waits := make([]int, len(nodes)) // the number of others that a node waits for
	names := make([][]int, len(nodes))
	for i, n := range nodes {
		for _, id := range n.named() {
			if other, ok := at[id]; ok && other != i {
				names[other] = append(names[other], i)
				waits[i]++
			}
		}
	}
	order, rank := sorted(nodes, names)
	var ready []int // the ranks of those that wait for no others, sorted
	push := func(i int) {
		place, _ := slices.BinarySearch(ready, rank[i])
		ready = slices.Insert(ready, place, rank[i])
	}
	for i := range nodes {
		if waits[i] == 0 {
			push(i)
		}
	}
	t := Thread{Asked: asked, Nodes: make([]Node, 0, len(nodes))}
	taken := make([]bool, len(nodes))
	for len(t.Nodes) < len(nodes) {
		if len(ready) == 0 { // the rest is a circle, impossible with real ids
			push(order[slices.IndexFunc(order, func(i int) bool { return !taken[i] })])
		}
		i := order[ready[0]]
		if ready = ready[1:]; taken[i] {
			continue
		}
		taken[i] = true
		t.Nodes = append(t.Nodes, nodes[i])
		for _, later := range names[i] {
			if waits[later]--; waits[later] == 0 {
				push(later)
			}
		}
	}
	return t
}

// sorted returns the nodes in the order of their times, and the place of each in it.
func sorted(nodes []Node, names [][]int) (order, rank []int) {
	at := times(nodes, names)
	order, rank = make([]int, len(nodes)), make([]int, len(nodes))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		return cmp.Or(cmp.Compare(at[i], at[j]), cmp.Compare(nodes[i].ID, nodes[j].ID))
	})
	for place, i := range order {
		rank[i] = place
	}
	return order, rank
}

// times returns the times by which nodes are ordered. A node that is not in the store has the time of the first
// one that names it.
func times(nodes []Node, names [][]int) []string {
	all := make([]string, len(nodes))
	for i, n := range nodes {
		all[i] = strings.TrimSuffix(n.Time, "Z") // so that a fraction sorts after none
	}
	for i, n := range nodes {
		for _, by := range names[i] {
			if at := strings.TrimSuffix(nodes[by].Time, "Z"); n.Time == "" && (all[i] == "" || at < all[i]) {
				all[i] = at
			}
		}
	}
	return all
}

// Around returns at most most nodes of a thread, around the requested one.
func (t Thread) Around(most int) Thread {
	if len(t.Nodes) <= most {
		return t
	}
	at := slices.IndexFunc(t.Nodes, func(n Node) bool { return n.ID == t.Asked })
	from := max(0, min(at-most/2, len(t.Nodes)-most))
	t.Left += len(t.Nodes) - most
	t.Nodes = t.Nodes[from : from+most]
	return t
}

// numbers returns the number of each node, from 1.
func (t Thread) numbers() map[string]int {
	at := make(map[string]int, len(t.Nodes))
	for i, n := range t.Nodes {
		at[n.ID] = i + 1
	}
	return at
}
