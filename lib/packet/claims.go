package packet

import (
	"slices"
	"strings"
	"sync"

	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// A Claim is text of an artifact that nobody should act upon because it says so.
type Claim struct {
	Pointer string `json:"pointer"`
	About   About  `json:"about"`
	Text    string `json:"text"` // escaped and cut
}

// About says what a claim is about.
type About string

// What claims are about.
const (
	Authority About = "authority" // over the check of the artifact that holds it
	Danger    About = "danger"    // what only the owner of the work may decide; a label, that makes no verdict worse
)

// says is what a text does that is not its to do.
func (a About) says() string {
	if a == Danger {
		return "asks for something dangerous"
	}
	return "claims authority over this check"
}

// What claims authority, in folded text, and in each clause by itself, and orders to the reader. That is a label for
// people, not the defence: the verdict does not depend on it but to get worse.
var (
	claimed       = phrases("claim")
	clauseClaimed = phrases("clause-claim")
	orders        = phrases("order")
)

// claims looks through every text of the artifact, also names of members.
func (c *checking) claims(texts []Passage) {
	for _, t := range texts {
		p := prose{t.Text, folded(t.Text), sync.OnceValue(func() []string { return clauses(t.Text) })}
		switch {
		case p.claimsAuthority():
			c.claim(t.Pointer, t.Text, Authority)
		case p.isDangerous() || slices.Contains(form.Flags(t.Text), form.RoleSwitch):
			c.claim(t.Pointer, t.Text, Danger)
		}
	}
}

// A prose is a text in the forms in which it is searched. Most texts need no more than a look at the words.
type prose struct {
	text, folded string
	clauses      func() []string
}

// claim reports one text. It is quoted for people and followed by nobody.
func (c *checking) claim(pointer, text string, about About) {
	if len(c.report.Claims) < maxListed {
		c.report.Claims = append(c.report.Claims, Claim{cut(show(pointer)), about, quote(text)})
	}
	if about == Danger {
		return // to say whether it is wanted is for people: a rule of words is wrong too often
	}
	c.atLeast(Operational)
	c.step("Read the text that claims authority over this check, with its sender; it was not obeyed.")
}

// claimsAuthority reports whether a text tells its reader what the verdict is, or to drop the checks.
func (p prose) claimsAuthority() bool {
	// "Do not skip the checks" asks not to do it, or it is only spoken of.
	negated := func(before string) bool { return negating()[lastWord(before)] }
	indirect := func(before string) bool { return before != "" && !ordering()[lastWord(before)] }
	return says(p.folded, claimed(), negated) || slices.ContainsFunc(p.clauses(), func(clause string) bool {
		return says(clause, clauseClaimed(), negated) || says(clause, orders(), indirect)
	})
}

// lastWord returns the last word of folded text, "" for none.
func lastWord(folded string) string {
	folded = strings.TrimRight(folded, " ")
	return folded[strings.LastIndexByte(folded, ' ')+1:]
}
