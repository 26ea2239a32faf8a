package packet

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/relation"
)

// skew is how far the writer's clock can be ahead of ours.
const skew = 5 * time.Minute

// freshness checks the age of the last update, and the expiry.
func (c *checking) freshness(f Facts) {
	pass, reason := c.age(f)
	if pass && f.ExpiresAt != "" {
		pass, reason = c.expiry(f.ExpiresAt, reason)
	}
	c.add(Freshness, pass, reason)
	if !pass {
		c.step("Confirm with the owner that the packet still describes the work, then set updated_at to that time.")
	}
}

// work compares the artifact with the work as it is now, if the artifact describes its work.
func (c *checking) work(f Facts) {
	if c.o.Work == nil {
		return
	}
	w := c.o.Work(c.References, f)
	if w.Reason == "" {
		return
	}
	reason := w.Reason
	if len(w.Files) > 0 {
		files := make([]string, len(w.Files))
		for i, name := range w.Files {
			files[i] = quote(name)
		}
		reason += aside(": "+asides().ReplaceAllString(sayAll(files), "$1"), "")
	}
	c.add(WorkCheck, w.Pass, reason)
	if !w.Pass {
		c.step(w.Advice)
	}
}

// age checks the time of the last update. A time in the future is not fresh: beyond the skew of clocks it fails.
func (c *checking) age(f Facts) (bool, string) {
	updated, ok := form.ISO(f.UpdatedAt)
	switch {
	case slices.Contains(f.Cannot, "updated_at"):
		return false, "unknown age, " + show(f.Kind) + " has no time of the last update"
	case !ok:
		return false, "unknown age, updated_at is not a time with a zone"
	}
	age := c.o.Now.Sub(updated)
	seconds := int64(age / time.Second)
	c.report.AgeSeconds = &seconds
	limit := FormatLimit(c.o.MaxAge)
	switch {
	case age < -skew:
		return false, fmt.Sprintf("updated %s in the future (exceeds %s of clock difference)", formatAgo(-age),
			FormatLimit(skew))
	case age > c.o.MaxAge:
		return false, fmt.Sprintf("updated %s ago (exceeds %s limit)", formatAgo(age), limit)
	}
	return true, fmt.Sprintf("updated %s ago (within %s limit)", form.Rough(max(age, 0)), limit)
}

// expiry checks expires_at. A malformed time fails. Otherwise a typing error would disable the expiry.
func (c *checking) expiry(text, reason string) (bool, string) {
	expires, ok := form.ISO(text)
	switch {
	case !ok:
		return false, "unknown expiry, expires_at is not a time with a zone"
	case expires.Before(c.o.Now):
		return false, fmt.Sprintf("%s, but expired %s ago", reason, formatAgo(c.o.Now.Sub(expires)))
	}
	return true, fmt.Sprintf("%s, expires in %s", reason, form.Rough(expires.Sub(c.o.Now)))
}

// formatAgo formats a duration like form.Rough, and adds the days of a long one.
func formatAgo(d time.Duration) string {
	const many = 4 * 24 * time.Hour
	if d <= many {
		return form.Rough(d)
	}
	return fmt.Sprintf("%s (%d days)", form.Rough(d), d/(24*time.Hour))
}

// FormatLimit formats a limit without rounding, such as 48 h, 30 min or 1h30m0s.
func FormatLimit(d time.Duration) string {
	if d >= time.Minute && (d%time.Hour == 0 || d < time.Hour && d%time.Minute == 0) {
		return form.Rough(d)
	}
	return d.String()
}

// Relations describes a stored handoff: the ids of its successors, and of other handoffs that supersede the same
// one. Taken and Done are times, or "".
type Relations struct {
	Successors, Beside []string
	Taken, Done        string
}

// relations reports whether the artifact has expired, and whether it was superseded, taken or done.
func (c *checking) relations() {
	if set := relation.Of(c.References); set.IsExpired(c.o.Now) {
		c.add(StandingCheck, false, "expired at "+set.Expires)
		c.step("Ask the sender whether it is still valid.")
	}
	if c.o.Standing == nil || c.ID == "" {
		return
	}
	s := c.o.Standing(c.ID)
	if len(s.Successors) > 0 {
		c.add(StandingCheck, false, "superseded by "+strings.Join(s.Successors, " and by "))
		c.step("Check " + strings.Join(s.Successors, " and ") + " instead.")
	}
	switch {
	case s.Done != "":
		c.note("It was done at %s.", s.Done)
	case s.Taken != "":
		c.note("It is taken since %s: only its holder can resume it.", s.Taken)
	}
	if len(s.Beside) > 0 {
		c.note("The handoff that it supersedes is also superseded by %s: all of them are current.",
			strings.Join(s.Beside, " and "))
	}
}
