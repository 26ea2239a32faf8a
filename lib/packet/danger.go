package packet

import (
	"regexp"
	"slices"
)

// A danger is text that asks for what cannot be undone, behind the back of the owner. Whether it was
// meant so is for people to say: an agent that reads it is not to do it because it says so.
// The lists in words.txt say what each of them matches: clauses, all of the folded text, or the text as it stands.
var (
	destroying, unguarding, giving = pattern("destroying"), pattern("unguarding"), pattern("giving")
	unasked, resets, abroad        = pattern("unasked"), pattern("resets"), pattern("abroad")
	commands, forbidding           = pattern("command"), pattern("forbidding")
)

// isDangerous reports whether a text asks for something of the kind. "Never delete it without asking"
// does not.
func (p prose) isDangerous() bool {
	asks := func(form func() *regexp.Regexp) bool {
		return slices.ContainsFunc(p.clauses(), func(clause string) bool {
			clause = resets().ReplaceAllLiteralString(clause, "mail")
			at := form().FindStringIndex(clause)
			return at != nil && !forbidding().MatchString(clause[:at[0]])
		})
	}
	at := commands().FindStringIndex(p.text)
	return unasked().MatchString(p.folded) && asks(destroying) || asks(unguarding) || abroad().MatchString(p.text) && asks(giving) ||
		at != nil && !forbidding().MatchString(folded(p.text[:at[0]]))
}
