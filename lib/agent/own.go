package agent

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// endedFor is how long an ending of a handoff is news for its sender.
const endedFor = 7 * 24 * time.Hour

// An own is what concerns the operator's own work: what is taken, what others ended, and drafts.
type own struct {
	text   string
	told   []string // ids of what is told only once to an operator
	held   []string // ids of what is taken, for sessions that go on
	notice []string // for the person at the terminal
}

func (r report) own() (o own) {
	known := r.known()
	if r.operator != "" {
		o.addHeld(r)
		o.addEndings(r, r.fresh(known))
	}
	left := 0
	for _, id := range r.left {
		if _, isTold := known[draftPrefix+id]; !isTold {
			left, o.told = left+1, append(o.told, draftPrefix+id)
		}
	}
	switch {
	case left == 1:
		o.text += "the last session here ended without a handoff: `handoff draft show`\n"
	case left > 1:
		o.text += handoff.Count(left, "session") + " here ended without a handoff: `handoff draft list`\n"
	}
	if r.drafts > 0 && len(r.knows) == 0 {
		o.text += handoff.Count(r.drafts, "saved draft") + ": `handoff draft list`\n"
	}
	if n := len(r.left) + r.drafts; n > 0 && len(r.knows) == 0 {
		o.notice = append(o.notice, handoff.Count(n, "draft")+" (run handoff draft list)")
	}
	return o
}

// heldPrefix is the beginning of the id of a handoff that the operator has taken.
const heldPrefix = "held:"

// addHeld adds what the operator has taken and not done, as far as the session does not know it.
func (o *own) addHeld(r report) {
	all := slices.DeleteFunc(r.store.Lifecycle().Holdings(r.operator), func(h handoff.Holding) bool {
		return r.knows[heldPrefix+short(h.Entry)]
	})
	for _, h := range all {
		o.held = append(o.held, heldPrefix+short(h.Entry))
	}
	if len(all) == 0 {
		return
	}
	var parts []string
	for _, h := range all[:min(len(all), maxNamed)] {
		by := "without a session"
		switch {
		case h.Take.Session == "":
		case h.Take.Session == r.session:
			by = "by this session"
		case h.HasDied:
			by = "by a session that has ended"
		default:
			by = "by another session"
		}
		parts = append(parts, short(h.Entry)[:8]+" "+chosen(h.Entry.Topic)+", "+by)
	}
	if more := len(all) - len(parts); more > 0 {
		parts = append(parts, fmt.Sprint(more, " more"))
	}
	what := fmt.Sprint(len(all), " taken and not done")
	o.text += what + " (topic chosen by the sender): " + strings.Join(parts, "; ") + ": `handoff next`\n"
	o.notice = append(o.notice, what+" (run handoff next)")
}

// addEndings adds what others ended of what the operator has sent.
func (o *own) addEndings(r report, fresh []handoff.Ending) {
	for i, e := range fresh {
		if o.told = append(o.told, e.Entry.ID); i < maxNamed {
			o.text += r.ending(e)
		}
	}
	if more := len(fresh) - maxNamed; more > 0 {
		o.text += fmt.Sprintf("%d more of yours ended: `handoff status`\n", more)
	}
	if len(fresh) > 0 {
		o.notice = append(o.notice, fmt.Sprint(len(fresh), " of yours ended (run handoff status)"))
	}
}

// draftPrefix is the beginning of the id of a draft in an offer.
const draftPrefix = "draft:"

// known returns when a session of the operator was last told of a handoff or a draft, by id.
func (r report) known() map[string]time.Time {
	known := make(map[string]time.Time)
	for _, o := range r.store.Sessions().Offers() {
		at, err := time.Parse(time.RFC3339, o.Time)
		if err != nil || o.Operator != r.operator {
			continue
		}
		for _, id := range o.IDs {
			known[id] = at
		}
	}
	return known
}

// fresh returns what others ended since the operator was last told, newest first.
func (r report) fresh(known map[string]time.Time) []handoff.Ending {
	all := r.store.Lifecycle().Endings(r.operator, r.session, endedFor)
	all = slices.DeleteFunc(all, func(e handoff.Ending) bool {
		at, err := time.Parse(time.RFC3339, e.Time)
		return err != nil || !known[e.Entry.ID].Before(at)
	})
	slices.Reverse(all)
	return all
}

const maxNote = 80 // characters of a note in a report

// ending returns the line about one ending. A note is the text of another: agents that take the line for a message of
// their system get only the command that shows it.
func (r report) ending(e handoff.Ending) string {
	id := short(e.Entry)[:8]
	what, by := "yours "+id+" "+chosen(e.Entry.Topic), chosen(e.By)
	if e.Lost {
		what = "no longer yours: " + id + " " + chosen(e.Entry.Topic) + " (topic chosen by the sender)"
	}
	if e.By == r.operator {
		by = "another session"
	}
	line := what + " was " + e.Act.Participle() + " by " + by
	switch {
	case e.Note == "":
	case r.isSystem:
		line += ", with a note: `handoff log " + id + "`"
	default:
		line += ", with the note " + form.JSONLine(cut(e.Note, maxNote))
	}
	return line + "\n"
}
