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

// The minimum and maximum length of a token, in characters.
const minToken, maxToken = 8, 128

// NewToken returns a new unique token: 128 random bits.
func NewToken() string {
	bits := make([]byte, 16)
	_, _ = rand.Read(bits) // never fails
	return hex.EncodeToString(bits)
}

// token checks the form of the token, and looks it up in the audit log. The log is first: a resumed handoff is
// worse than a malformed token.
func (c *checking) token(f Facts) {
	token := f.ResumeToken
	found, shown := secrets.Scan(token), aside(show(token+", "), "")
	switch {
	case c.resumedBefore(f, len(found) == 0):
	case slices.Contains(f.Cannot, "resume_token"):
		if c.ID != "" {
			id := strings.TrimPrefix(c.ID, form.IDPrefix)
			id = id[:min(12, len(id))]
			c.step("To work from it as it is: `handoff read " + id + "`, then `handoff take " + id + "`.")
		}
		c.refuseToken("none; a " + show(f.Kind) + " handoff has no resume token, so it is never CLEAN")
	case blank(token):
		c.refuseToken("missing or empty")
	case len(found) > 0:
		c.refuseToken("looks like a credential (" + found[0].Rule + ") and is not shown")
		c.step("Revoke the credential in resume_token.")
	case len(token) < minToken || !form.IsSlug(token, maxToken):
		c.refuseToken(quoted(token) + " is not 8 to 128 letters, digits, _ and -")
	case c.sharedToken(token):
	case c.o.Consumed == nil:
		c.add(Token, true, shown+"valid format; no audit log was asked")
	case c.gap:
		c.add(Token, false, shown+"valid format, but it is unknown whether it was consumed before")
	default:
		c.add(Token, true, shown+"valid format, not previously consumed")
	}
}

// refuseToken fails the check, and adds the only remedy.
func (c *checking) refuseToken(reason string) {
	c.add(Token, false, reason)
	c.step("Write a packet with a new resume_token before going on.")
}

// resumedBefore asks the audit log whether the handoff was resumed. A handoff without a token, or with a bad one,
// can have been resumed too. It returns true if it has added the result of the check.
func (c *checking) resumedBefore(f Facts, showable bool) bool {
	token := f.ResumeToken
	if c.o.Consumed == nil || token == "" && c.ID == "" {
		return false
	}
	use, err := c.o.Consumed(token, c.ID)
	if updated, ok := form.ISO(f.UpdatedAt); use.Gap == "" && !use.Since.IsZero() && !(ok && updated.After(use.Since)) {
		use.Gap = "the packet is older than the audit log of this store: earlier uses are unknown"
	}
	name := "this handoff"
	if token != "" && showable {
		name = aside(show(token), "the token")
	}
	switch {
	case err != nil:
		c.add(Token, false, name+" cannot be looked up in the audit log: "+causeOf(err))
		c.step("Run `handoff verify`, and check again.")
		return true
	case use.Consumed:
		c.atLeast(Critical)
		c.report.Consumed = &use
		c.refuseToken(fmt.Sprintf("%s was consumed before, by %s at %s, from %s",
			name, showOr(use.Operator), showOr(use.Time), showOr(use.HandoffID)))
		c.step("Find out what " + showOr(use.Operator) + " did since.")
		return true
	case use.Gap != "":
		c.gap = true
		c.atLeast(Operational)
		c.note("%s", show(use.Gap))
		c.step("Find out from the sender, from read_by and from the work itself whether the work was resumed " +
			"already. " +
			"If it was not, resume and accept it as operational, with that reason.")
	}
	return false
}

// sharedToken searches for other stored packets with the token: resuming one would consume it for all. It returns
// true if it has added the result of the check.
func (c *checking) sharedToken(token string) bool {
	if c.o.Holders == nil {
		return false
	}
	all, err := c.o.Holders(token)
	others := Without(all, c.ID)
	switch {
	case err != nil:
		c.add(Token, false, "the store cannot be searched for it: "+causeOf(err))
		return true
	case len(others) > 0 && len(all) > 1:
		c.refuseToken(aside(show(token+", "), "") + "valid format, but " + fault.Count(len(all), "stored packet") +
			" have it: " + strings.Join(all[:min(len(all), maxListed)], ", "))
		return true
	case len(others) > 0:
		c.note("%s is stored with this token", others[0])
	}
	return false
}

// Without returns ids without id.
func Without(ids []string, id string) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(other string) bool { return other == id })
}

// showOr returns text like show, or "?" for a value that a damaged log lacks.
func showOr(text string) string {
	return show(cmp.Or(text, "?"))
}
