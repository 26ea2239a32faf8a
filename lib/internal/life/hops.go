package life

import "slices"

// mostWide is how many handoffs one step of a chain may name: more are no chain that anybody follows.
const mostWide = 1000

// Hops returns how many handoffs, the one of an id included, lead to it by what they answer or
// supersede, since somebody wrote for whom human holds: 0 if that is its own sender, or if it answers
// nothing. Of several ways the longest counts. It looks no further than most, and then returns one
// more.
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

// Unapproved returns the first of the handoffs that the one of an id answers or supersedes by which it
// comes more than most hops behind what a person wrote, and which nobody has approved; "" if there is
// none.
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
