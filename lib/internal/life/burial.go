package life

import "time"

// A Burial is how long a tombstone of another replica waits, by the clock of this machine.
type Burial struct {
	Seen    string `json:"seen,omitempty"`    // since when
	Counted string `json:"counted,omitempty"` // until when that was counted, of a tombstone from the future
}

const (
	// hiddenFor is how long the file of a handoff stays after another replica pruned it. Until then the handoff is
	// archived here, and `handoff prune` can remove it earlier.
	hiddenFor = 90 * 24 * time.Hour
	maxAhead  = 24 * time.Hour     // the clocks of two machines can differ by so much
	maxStep   = 7 * 24 * time.Hour // after a longer time, this clock may have been set in between
)

// Count adds the time since the last call, for the tombstone of a time. If that time is in the future, the clock of its
// writer is ahead, or this clock is behind. Until this clock reaches it, only the time between calls counts, and only
// if this clock cannot have been set in between.
func (b *Burial) Count(tombstone string, now time.Time) {
	now = now.UTC().Truncate(time.Second)
	text, at := now.Format(time.RFC3339), instant(tombstone)
	switch {
	case b.Seen == "" && at.Sub(now) > maxAhead:
		b.Seen, b.Counted = text, text
	case b.Seen == "":
		b.Seen = max(tombstone, text)
	case b.Counted != "":
		step, isThere := now.Sub(instant(b.Counted)), !now.Before(at)
		if step < 0 || step > maxStep || isThere {
			b.Seen = instant(b.Seen).Add(step).Format(time.RFC3339)
		}
		if b.Counted = text; isThere {
			b.Counted = ""
		}
	}
}

// IsOver reports whether the file of the handoff can go.
func (b Burial) IsOver(now time.Time) bool {
	return b.Seen != "" && now.Sub(instant(b.Seen)) >= hiddenFor
}

// instant returns a time in RFC 3339, the zero time if it is malformed.
func instant(text string) time.Time {
	at, _ := time.Parse(time.RFC3339, text)
	return at
}
