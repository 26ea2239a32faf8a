package packet

import (
	"cmp"
	"fmt"

	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/secrets"
)

// What a token has, in characters.
const minToken, maxToken = 8, 128

func (c *checking) token(f Facts) {
	token := f.ResumeToken
	found := secrets.Scan(token)
	switch {
	case c.resumedBefore(token, len(found) == 0):
	case f.cannot("resume_token"):
		c.refuseToken("none, a handoff of kind " + show(f.Kind) + " has no resume token and therefore cannot be CLEAN")
	case blank(token):
		c.refuseToken("missing or empty")
	case len(found) > 0:
		c.refuseToken(fmt.Sprintf("looks like a credential (%s) and is not shown", found[0].Rule))
		c.step("Revoke the credential that stands in resume_token.")
	case len(token) < minToken || !form.IsSlug(token, maxToken):
		c.refuseToken(quote(token) + " is not 8 to 128 letters, digits, _ and -")
	case c.o.Consumed == nil:
		c.add(Token, true, token+", valid format; no ledger of consumed tokens was asked")
	case c.gap:
		c.add(Token, false, token+", valid format, but nobody can tell whether it was consumed before")
	default:
		c.add(Token, true, token+", valid format, not previously consumed")
	}
}

func (c *checking) refuseToken(reason string) {
	c.add(Token, false, reason)
	c.step("Write a packet with a new resume_token before going on.")
}

// resumedBefore asks the ledger, also for a handoff without a token or with a bad one: it may have been
// resumed all the same. What was resumed once is no state to resume from again. It says true when it has
// added the result of the check.
func (c *checking) resumedBefore(token string, showable bool) bool {
	if c.o.Consumed == nil || token == "" && c.id == "" {
		return false
	}
	use, err := c.o.Consumed(token, c.id)
	name := "this handoff"
	if token != "" && showable {
		name = show(token)
	}
	switch {
	case err != nil:
		c.add(Token, false, name+" cannot be looked up in the ledger of consumed tokens: "+show(err.Error()))
		c.step("Mend the ledger of consumed tokens, as `handoff doctor` says, and check again.")
		return true
	case use.Consumed:
		c.atLeast(Critical)
		c.report.Consumed = &use
		c.refuseToken(fmt.Sprintf("%s was consumed before, by %s at %s, from %s", name, legible(use.Operator), legible(use.Time), legible(use.HandoffID)))
		c.step("Find out what " + legible(use.Operator) + " did since.")
		return true
	case use.Gap != "":
		c.gap = true
		c.atLeast(Operational)
		c.note("%s", show(use.Gap))
		c.step("Find out from the sender, from read_by and from the work itself whether the work was resumed already. If it was not, resume and accept it as operational, with that reason.")
	}
	return false
}

// legible is show for what a damaged line of the ledger may lack.
func legible(text string) string {
	return show(cmp.Or(text, "?"))
}
