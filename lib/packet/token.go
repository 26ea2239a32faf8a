package packet

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/secrets"
)

// What a token has, in characters.
const minToken, maxToken = 8, 128

// NewToken returns a token that nobody else has: 128 random bits.
func NewToken() string {
	bits := make([]byte, 16)
	_, _ = rand.Read(bits) // never fails
	return hex.EncodeToString(bits)
}

// token judges the form of the token and what the ledger knows of it. The ledger comes first: a
// handoff that was resumed is worse than one whose token is badly written.
func (c *checking) token(f Facts) {
	token := f.ResumeToken
	found, shown := secrets.Scan(token), aside(show(token+", "), "")
	switch {
	case c.resumedBefore(f, len(found) == 0):
	case slices.Contains(f.Cannot, "resume_token"):
		c.refuseToken("none, a handoff of kind " + show(f.Kind) + " has no resume token and therefore cannot be CLEAN")
	case blank(token):
		c.refuseToken("missing or empty")
	case len(found) > 0:
		c.refuseToken("looks like a credential (" + found[0].Rule + ") and is not shown")
		c.step("Revoke the credential that stands in resume_token.")
	case len(token) < minToken || !form.IsSlug(token, maxToken):
		c.refuseToken(quoted(token) + " is not 8 to 128 letters, digits, _ and -")
	case c.sharedToken(token):
	case c.o.Consumed == nil:
		c.add(Token, true, shown+"valid format; no ledger of consumed tokens was asked")
	case c.gap:
		c.add(Token, false, shown+"valid format, but nobody can tell whether it was consumed before")
	default:
		c.add(Token, true, shown+"valid format, not previously consumed")
	}
}

// refuseToken notes that the check fails, and the one way out.
func (c *checking) refuseToken(reason string) {
	c.add(Token, false, reason)
	c.step("Write a packet with a new resume_token before going on.")
}

// resumedBefore asks the ledger, also for a handoff without a token or with a bad one: it may have been
// resumed all the same. What was resumed once is no state to resume from again. It says true when it has
// added the result of the check.
func (c *checking) resumedBefore(f Facts, showable bool) bool {
	token := f.ResumeToken
	if c.o.Consumed == nil || token == "" && c.id == "" {
		return false
	}
	use, err := c.o.Consumed(token, c.id)
	if updated, ok := form.ISO(f.UpdatedAt); use.Gap == "" && (!ok || updated.Before(use.Since)) && !use.Since.IsZero() {
		use.Gap = "the packet is older than the audit log of this store, which was begun anew: what was consumed before is not known"
	}
	name := "this handoff"
	if token != "" && showable {
		name = aside(show(token), "the token")
	}
	switch {
	case err != nil:
		c.add(Token, false, name+" cannot be looked up in the ledger of consumed tokens: "+because(err))
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

// sharedToken looks for other stored packets with the token: to resume from one would consume it for
// all. It says true when it has added the result of the check.
func (c *checking) sharedToken(token string) bool {
	if c.o.Holders == nil {
		return false
	}
	all, err := c.o.Holders(token)
	others := Beside(all, c.id)
	switch {
	case err != nil:
		c.add(Token, false, "the store cannot be searched for it: "+because(err))
		return true
	case len(others) > 0 && len(all) > 1:
		c.refuseToken(aside(show(token+", "), "") + "valid format, but " + fault.Count(len(all), "stored packet") + " have it: " + strings.Join(all[:min(len(all), maxListed)], ", "))
		return true
	case len(others) > 0:
		c.note("%s is stored with this token", others[0])
	}
	return false
}

// Beside returns the ids other than one.
func Beside(ids []string, id string) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(other string) bool { return other == id })
}

// legible is show for what a damaged line of the ledger may lack.
func legible(text string) string {
	return show(cmp.Or(text, "?"))
}
