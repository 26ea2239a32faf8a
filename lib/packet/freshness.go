package packet

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/relation"
)

// skew is how far ahead of ours the clock of the writer may be.
const skew = 5 * time.Minute

// freshness compares the age with the limit, and the expiry with now.
func (c *checking) freshness(f Facts) {
	pass, reason := c.age(f)
	if pass && f.ExpiresAt != "" {
		pass, reason = c.expiry(f.ExpiresAt, reason)
	}
	c.add(Freshness, pass, reason)
	if !pass {
		c.step("Confirm with the owner that the packet still describes the work, then set updated_at to the time of that.")
	}
}

// work compares with the work as it is now, if the artifact says anything about that.
func (c *checking) work(f Facts) {
	if c.o.Work == nil {
		return
	}
	w := c.o.Work(c.references, f)
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

// age judges the time of the last update. A time in the future is no sign of freshness: beyond the
// skew of clocks it fails.
func (c *checking) age(f Facts) (bool, string) {
	updated, ok := form.ISO(f.UpdatedAt)
	switch {
	case slices.Contains(f.Cannot, "updated_at"):
		return false, "unknown age, " + show(f.Kind) + " does not say when it was updated"
	case !ok:
		return false, "unknown age, updated_at is not a time with a zone"
	}
	age := c.o.Now.Sub(updated)
	seconds := int64(age / time.Second)
	c.report.AgeSeconds = &seconds
	limit := exact(c.o.MaxAge)
	switch {
	case age < -skew:
		return false, fmt.Sprintf("updated %s in the future (exceeds %s of clock difference)", beyond(-age, skew), exact(skew))
	case age > c.o.MaxAge:
		return false, fmt.Sprintf("updated %s ago (exceeds %s limit)", beyond(age, c.o.MaxAge), limit)
	}
	return true, fmt.Sprintf("updated %s ago (within %s limit)", rough(max(age, 0)), limit)
}

// expiry judges expires_at. One that cannot be read fails: to take it for none would be the wish of
// who wrote it badly.
func (c *checking) expiry(text, reason string) (bool, string) {
	expires, ok := form.ISO(text)
	switch {
	case !ok:
		return false, "unknown expiry, expires_at is not a time with a zone"
	case expires.Before(c.o.Now):
		return false, fmt.Sprintf("%s, but expired %s ago", reason, ago(c.o.Now.Sub(expires)))
	}
	return true, fmt.Sprintf("%s, expires in %s", reason, rough(expires.Sub(c.o.Now)))
}

// rough writes a duration in its greatest unit, rounded down.
func rough(d time.Duration) string {
	switch {
	case d >= time.Hour:
		return fmt.Sprintf("%d h", d/time.Hour)
	case d >= time.Minute:
		return fmt.Sprintf("%d min", d/time.Minute)
	}
	return fmt.Sprintf("%d s", d/time.Second)
}

// ago is rough, with the days of what was long ago.
func ago(d time.Duration) string {
	const many = 4 * 24 * time.Hour
	if d <= many {
		return rough(d)
	}
	return fmt.Sprintf("%s (%d days)", rough(d), d/(24*time.Hour))
}

// exact writes a limit without rounding.
func exact(d time.Duration) string {
	if d >= time.Minute && (d%time.Hour == 0 || d < time.Hour && d%time.Minute == 0) {
		return rough(d)
	}
	return d.String()
}

// beyond is rough, unless that would hide that d exceeds the limit.
func beyond(d, limit time.Duration) string {
	if text := ago(d); text != ago(limit) {
		return text
	}
	rest := d % time.Hour
	if d < time.Hour {
		rest = d % time.Minute
	}
	return rough(d-rest) + " " + rough(max(rest, time.Second))
}

// Standing says which stored handoffs have to do with one: those that have taken its place, and others
// that take the place of the same as it does. The ids are good. Taken and Done are when somebody took and
// ended it, "" if nobody has.
type Standing struct {
	Successors, Beside []string
	Taken, Done        string
}

// standing looks whether something else is to be resumed from, or nothing any more.
func (c *checking) standing() {
	if set := relation.Of(c.references); set.IsExpired(c.o.Now) {
		c.add(StandingCheck, false, "expired at "+set.Expires)
		c.step("Ask the sender whether it still holds.")
	}
	if c.o.Standing == nil || c.id == "" {
		return
	}
	s := c.o.Standing(c.id)
	if len(s.Successors) > 0 {
		c.add(StandingCheck, false, "superseded by "+strings.Join(s.Successors, " and by "))
		c.step("Check " + strings.Join(s.Successors, " and ") + " instead.")
	}
	switch {
	case s.Done != "":
		c.note("It was done at %s: nobody resumes from it any more.", s.Done)
	case s.Taken != "":
		c.note("It is taken since %s: nobody else resumes from it.", s.Taken)
	}
	if len(s.Beside) > 0 {
		c.note("What it supersedes is superseded by %s too: all of them are current.", strings.Join(s.Beside, " and "))
	}
}
