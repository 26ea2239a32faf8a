package packet

import (
	"strings"

	"github.com/seed-78daf238/handoff/lib/relation"
)

// Standing says which stored handoffs have to do with one: those that have taken its place, and others
// that take the place of the same as it does. The ids are good.
type Standing struct{ Successors, Beside []string }

// own is a reason that quotes nothing but ids and times.
func own(reason string) said { return said{reason, reason} }

// standing looks whether something else is to be resumed from, or nothing any more.
func (c *checking) standing() {
	if set := relation.Of(c.references); set.IsExpired(c.o.Now) {
		c.add(StandingCheck, false, own("expired at "+set.Expires))
		c.step("Ask the sender whether it still holds.")
	}
	if c.o.Standing == nil || c.id == "" {
		return
	}
	s := c.o.Standing(c.id)
	if len(s.Successors) > 0 {
		c.add(StandingCheck, false, own("superseded by "+strings.Join(s.Successors, " and by ")))
		c.step("Check " + strings.Join(s.Successors, " and ") + " instead.")
	}
	if len(s.Beside) > 0 {
		c.note("What it supersedes is superseded by %s too: all of them are current.", strings.Join(s.Beside, " and "))
	}
}
