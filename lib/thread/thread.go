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
