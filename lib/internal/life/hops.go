package life

import "slices"

// mostWide is the most handoffs in one step of a chain. Hops gives up at more.
const mostWide = 1000

// Hops returns the length of the chain of handoffs that leads to id since a human wrote one. The chain
// includes id and follows what each handoff answers or supersedes. It is 0 if the sender of id is human. The
// longest way counts. Hops stops after most, and then returns most+1.
func (f *Facts) Hops(id string, human func(operator string) bool, most int) int {
	level := []string{id}
	for n := range most + 1 {
		var next []string
		for _, id := range level {
			if h := f.Of(id); !human(h.From) {
				next = append(append(next, h.Re...), h.Supersedes...)
			}
		}
		slices.Sort(next)
		if level = slices.Compact(next); len(level) == 0 {
			return n
		}
		if len(level) > mostWide {
			break
		}
	}
	return most + 1
}

// Unapproved returns the first parent of id that is too far from a human: most hops or more, without an
// approval. A parent is a handoff that id answers or supersedes. It returns "" if there is none.
func (f *Facts) Unapproved(id string, human func(operator string) bool, most int) (parent string) {
	h := f.Of(id)
	if human(h.From) {
		return ""
	}
	for _, parent := range slices.Concat(h.Re, h.Supersedes) {
		d := f.decision(parent)
		isApproved := d.Approved.IsDone() && !d.Rejected.IsDone()
		if !isApproved && f.Hops(parent, human, most) >= most {
			return parent
		}
	}
	return ""
}
