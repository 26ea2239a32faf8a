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

// An own is what concerns the operator's own work: what is taken, and what others ended.
type own struct {
	text   string
	learn  []string // ids of all of that, for a session that goes on
	notice []string // for the person at the terminal
}

func (r report) own() (o own) {
	if r.operator != "" {
		o.addHeld(r)
		o.addEndings(r)
	}
	return o
}

// addHeld adds what the operator has taken and not done, as far as the session does not know it.
func (o *own) addHeld(r report) {
	var all []handoff.Holding
	for _, h := range r.store.Lifecycle().Holdings(r.operator) {
		id := "held:" + short(h.Entry)
		if o.learn = append(o.learn, id); !r.knows[id] {
			all = append(all, h)
		}
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

// addEndings adds what others ended of what the operator has sent, newest first, as far as the session does not know
// it.
func (o *own) addEndings(r report) {
	var all []handoff.Ending
	for _, e := range r.store.Lifecycle().Endings(r.operator, r.session, endedFor) {
		id := "ended:" + short(e.Entry) + ":" + e.Time
		if o.learn = append(o.learn, id); !r.knows[id] {
			all = append(all, e)
		}
	}
	slices.Reverse(all)
	for _, e := range all[:min(len(all), maxNamed)] {
		o.text += r.ending(e)
	}
	if more := len(all) - maxNamed; more > 0 {
		o.text += fmt.Sprintf("%d more of yours ended: `handoff status`\n", more)
	}
	if len(all) > 0 {
		o.notice = append(o.notice, fmt.Sprint(len(all), " of yours ended (run handoff status)"))
	}
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
