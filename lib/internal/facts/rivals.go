package facts

import (
	"slices"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/log"
)

// Rivals returns the takes that count by some rules, and that neither their own session nor a turn that counts here has
// ended. The last of some planned turns is a take or resume that does not name them. Those whose lease is over are
// apart: it can name them.
func (v View) Rivals(h *Handoff, planned []Turn) (open, lapsed []*Turn) {
	made := planned[len(planned)-1]
	bare, here, everywhere := View{Facts: v.Facts}, &Life{}, &Life{}
	order, takes := v.Turns(h), []*Turn(nil)
	countsHere, counts := map[*Turn]bool{}, map[*Turn]bool{}
	for _, t := range order {
		_, countsHere[t] = v.Apply(here, h, t)
		if _, counts[t] = bare.Apply(everywhere, h, t); counts[t] && everywhere.Taken == t {
			takes = append(takes, t)
		}
	}
	for i := range planned[:len(planned)-1] {
		order = append(order, &planned[i])
		countsHere[&planned[i]] = true
	}
	for _, take := range takes {
		isEnded := slices.ContainsFunc(order, func(t *Turn) bool {
			isOwnEnd := counts[t] && t.isBy(take) && (t.Type == log.Release || t.Type == log.Done)
			return slices.Contains(t.Of, take.ID) && (isOwnEnd || countsHere[t] && t.Type != log.Renew)
		})
		switch until := endOf(take, order); {
		case isEnded || take.isBy(&made) || slices.Contains(made.Of, take.ID):
		case !until.IsZero() && made.At.After(until.Add(Ahead)):
			lapsed = append(lapsed, take)
		default:
			open = append(open, take)
		}
	}
	return open, lapsed
}

// isBy reports whether two turns are by the same operator and session.
func (t *Turn) isBy(other *Turn) bool {
	return t.Operator == other.Operator && t.Session == other.Session
}

// endOf returns the end of the lease of a take, with all that its session did to make it later.
func endOf(take *Turn, order []*Turn) time.Time {
	until := take.Until
	for _, t := range order {
		if t.isBy(take) && (t.Type == log.Take || t.Type == log.Resume ||
			t.Type == log.Renew && slices.Contains(t.Of, take.ID)) {
			until = later(until, t.Until)
		}
	}
	return until
}
