package thread

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// deepest is the number of indented levels of a tree. Deeper replies are not indented further.
const deepest = 4

// Tree returns the thread as lines. A handoff is indented below the first one that it names. width is that of the
// terminal; with a width, ids have 8 digits, the tree is drawn at the titles, the last column, and an answer below
// what it answers is not explained. 0 means no limit. when formats the times.
func (t Thread) Tree(width int, when func(ts string) string) string {
	at := t.numbers()
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
		indent        string
		last          bool
	}
	var stack []item
	push := func(under, depth int, indent string) {
		for k, number := range slices.Backward(below[under]) {
			stack = append(stack, item{number, depth, indent, k == len(below[under])-1})
		}
	}
	push(0, 0, "")
	var rows [][]string
	for len(stack) > 0 {
		one := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		mark, indent := "", one.indent
		switch {
		case one.depth == 0:
		case one.depth > deepest:
			mark = "┆ "
		case one.last:
			mark, indent = "└ ", indent+"  "
		default:
			mark, indent = "├ ", indent+"│ "
		}
		rows = append(rows, t.row(one.indent+mark, t.Nodes[one.number-1], width > 0, when))
		push(one.number, one.depth+1, indent)
	}
	header := []string{"ID", "TIME", "FROM", "TO", "TITLE", "STATE", "HOW"}
	if width > 0 {
		header = []string{"ID", "TIME", "FROM", "TO", "STATE", "TITLE"}
	}
	return form.Table(width, header, rows)
}

// row returns the cells of a node.
func (t Thread) row(mark string, n Node, narrow bool, when func(ts string) string) []string {
	asked := map[bool]string{true: " *"}[n.ID == t.Asked]
	title := cmp.Or(n.Title, n.Topic)
	if !narrow {
		return []string{mark + short(n.ID) + asked, when(n.Time), n.From, n.To, title, n.State, n.how(short)}
	}
	if n.Supersedes != nil || n.Claims != nil || n.Beside != nil || len(n.Re) > 1 {
		title += " (" + n.How() + ")"
	}
	return []string{short8(n.ID) + asked, when(n.Time), n.From, n.To, n.State, mark + title}
}

// How describes in a few words how a node relates to those that it names.
func (n Node) How() string { return n.how(short8) }

func short8(id string) string { return short(id)[:min(len(short(id)), 8)] }

// how describes how a node relates to those that it names, and to others that name them.
func (n Node) how(name func(id string) string) string {
	var parts []string
	for _, list := range n.relations() {
		for i, id := range list.IDs {
			if i == most {
				parts = append(parts, fmt.Sprint(len(list.IDs)-most, " more"))
				break
			}
			if i == 0 {
				parts = append(parts, list.Word+" "+name(id))
			} else {
				parts = append(parts, name(id))
			}
		}
	}
	return strings.Join(parts, ", ")
}

// most is the number of named handoffs that how lists.
const most = 3
