package packet

import (
	"slices"
	"strings"
)

// A danger is text that asks for what cannot be undone, behind the back of the owner. Whether it was
// meant so is for people to say: an agent that reads it is not to do it because it says so.
// The lists in words.txt say what each of them matches: clauses, all of the folded text, or the text as it stands.
var (
	destroying, unguarding, giving = phrases("destroying"), phrases("unguarding"), phrases("giving")
	unasked, resets, abroad        = phrases("unasked"), phrases("resets"), phrases("abroad")
	commands, forbidding           = phrases("command"), phrases("forbidding")
)

// isDangerous reports whether a text asks for something of the kind. "Never delete it without asking"
// does not.
func (p prose) isDangerous() bool {
	forbidden := func(before string) bool { return says(folded(before), forbidding(), nil) }
	asks := func(what []phrase) bool {
		isPossible := func(one phrase) bool { return one.isPossible(p.folded) }
		return slices.ContainsFunc(what, isPossible) && slices.ContainsFunc(p.clauses(), func(clause string) bool {
			clause = resets()[0].form().ReplaceAllLiteralString(clause, "mail")
			return says(clause, what, forbidden)
		})
	}
	return says(p.folded, unasked(), nil) && asks(destroying()) || asks(unguarding()) ||
		says(p.text, abroad(), nil) && asks(giving()) || programs().has(strings.Fields(p.folded)) && says(p.text, commands(), forbidden)
}
