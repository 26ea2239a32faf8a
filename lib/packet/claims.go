package packet

import (
	"slices"
	"strings"
	"sync"

	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// A Claim is text of an artifact that must not be followed merely because the artifact contains it.
type Claim struct {
	Pointer string `json:"pointer"`
	About   About  `json:"about"`
	Text    string `json:"text"` // escaped and shortened
}

// About is the subject of a claim.
type About string

// The subjects of claims.
const (
	Authority About = "authority" // it claims authority over the check of its own artifact
	Danger    About = "danger"    // it asks for something that only the owner can decide; does not affect the verdict
)

// text describes the claim, after the name of its place.
func (a About) text() string {
	if a == Danger {
		return "asks for something dangerous"
	}
	return "claims authority over this check"
}

// claims searches all texts of the artifact, including names of members. Its findings are a label for people. They
// are no defense: the verdict depends on them only to get worse.
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

// A prose is a text in the forms that are searched. Most texts are decided by their words alone.
type prose struct {
	text, folded string
	clauses      func() []string
}

// claim reports one text. The text is quoted for people and never followed.
func (c *checking) claim(pointer, text string, about About) {
	if len(c.report.Claims) < maxListed {
		c.report.Claims = append(c.report.Claims, Claim{cut(show(pointer)), about, quote(text)})
	}
	if about == Danger {
		return // a person decides whether it is wanted: words alone are wrong too often
	}
	c.atLeast(Operational)
	c.step("Ask the sender about the text that claims authority over this check; it was ignored.")
}

// claimsAuthority reports whether a text dictates the verdict to its reader, or asks to skip the checks.
func (p prose) claimsAuthority() bool {
	// "Do not skip the checks" asks for the opposite, and "whether to skip" only mentions it.
	negated := func(before string) bool { return negating()[lastWord(before)] }
	indirect := func(before string) bool { return before != "" && !ordering()[lastWord(before)] }
	return matches(p.folded, "claim", negated) || slices.ContainsFunc(p.clauses(), func(clause string) bool {
		return matches(clause, "clause-claim", negated) || matches(clause, "order", indirect)
	})
}

// lastWord returns the last word of folded text, or "".
func lastWord(folded string) string {
	folded = strings.TrimRight(folded, " ")
	return folded[strings.LastIndexByte(folded, ' ')+1:]
}
