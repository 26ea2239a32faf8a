package packet

import (
	"slices"
	"strings"
)

// isDangerous reports whether a text asks for an irreversible step behind the back of the owner. Only people can
// judge its intent; an agent must not follow it. "Never delete it without asking" asks for no such step.
func (p prose) isDangerous() bool {
	forbidden := func(before string) bool { return matches(folded(before), "forbidding", nil) }
	asks := func(list string) bool {
		return isPossible(p.folded, list) && slices.ContainsFunc(p.clauses(), func(clause string) bool {
			clause = lists()["resets"][0].Pattern().ReplaceAllLiteralString(clause, "mail")
			return matches(clause, list, forbidden)
		})
	}
	return matches(p.folded, "unasked", nil) && asks("destroying") || asks("unguarding") ||
		matches(p.text, "abroad", nil) && asks("giving") ||
		programs().has(strings.Fields(p.folded)) && matches(p.text, "command", forbidden)
}
