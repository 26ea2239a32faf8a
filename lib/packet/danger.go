package packet

import (
	"slices"
	"strings"
)

// Lists of words.txt for text that asks for an irreversible step behind the back of the owner. Only people can
// judge its intent; an agent must not follow it. The comments in words.txt name what each list matches: clauses,
// the folded text, or the text as written.
var (
	destroying, unguarding, giving = phrases("destroying"), phrases("unguarding"), phrases("giving")
	unasked, resets, abroad        = phrases("unasked"), phrases("resets"), phrases("abroad")
	commands, forbidding           = phrases("command"), phrases("forbidding")
)

// isDangerous reports whether a text asks for such a step. "Never delete it without asking" does not.
func (p prose) isDangerous() bool {
	forbidden := func(before string) bool { return matchesPhrase(folded(before), forbidding(), nil) }
	asks := func(what []phrase) bool {
		isPossible := func(one phrase) bool { return one.isPossible(p.folded) }
		return slices.ContainsFunc(what, isPossible) && slices.ContainsFunc(p.clauses(), func(clause string) bool {
			clause = resets()[0].form().ReplaceAllLiteralString(clause, "mail")
			return matchesPhrase(clause, what, forbidden)
		})
	}
	return matchesPhrase(p.folded, unasked(), nil) && asks(destroying()) || asks(unguarding()) ||
		matchesPhrase(p.text, abroad(), nil) && asks(giving()) ||
		programs().has(strings.Fields(p.folded)) && matchesPhrase(p.text, commands(), forbidden)
}
