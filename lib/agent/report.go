package agent

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/form"
)

const (
	maxOutput = 6000 // characters
	maxListed = 10   // handoffs that a starting session is told of by name
	maxNamed  = 3    // the same for one that is running, and for what it holds
	maxFresh  = 1000 // of so many of the newest, the new ones are counted
	maxChosen = 24   // characters of a name that someone else chose
	shortID   = 12   // digits of an id

	endedFor = 7 * 24 * time.Hour // how long an ending is news
)

// A report is the text for a session. Values that others chose appear only as JSON, each handoff in one string. It
// contains no path and no note. Its commands work where the session runs.
type report struct {
	text    *form.Budget
	learn   []string // what the session knows then
	notices []string // for the person at the terminal: our words and counts
}

// line adds a line, if there is room.
func (r *report) line(format string, args ...any) { r.text.Add(fmt.Sprintf(format, args...) + "\n") }

// isNew learns something, and reports whether the session did not know it.
func (o opened) isNew(r *report, id string) bool {
	r.learn = append(r.learn, id)
	return !slices.Contains(o.knows, id)
}

// tell adds what is new in a project.
func (o opened) tell(r *report) error {
	isStart := o.hook.Event == Start
	unread, err := o.store.Waiting(o.operator, o.project.Settings.SurfaceMaxAgeDays.Value)
	if err != nil {
		return err
	}
	if *o.warning != "" && isStart {
		r.line("Handoffs of this project may be missing (`handoff verify` says more): %s.",
			form.EscapeLine(*o.warning))
		r.notices = append(r.notices, "handoffs may be missing (run handoff verify)")
	}
	if o.operator == "" {
		if isStart && unread.Count() > 0 {
			r.line("%s: %s. I don't know who this session works for: `handoff init --operator NAME` says it.",
				handoff.Count(unread.Count(), "unread handoff"), recipients(unread.For))
			r.notices = append(r.notices, handoff.Count(unread.Count(), "unread handoff")+
				"; I don't know who you are (run handoff init)")
		}
		return nil
	}
	if isStart {
		o.tellHeld(r)
		o.tellLast(r)
	}
	o.tellEndings(r)
	if err := o.tellUnread(r, unread, isStart); err != nil {
		return err
	}
	switch {
	case o.hook.Operator != "" && unread.WhyUnknown != "" && isStart:
		return fault.New(nil, "", "%s", fault.Own(unread.WhyUnknown))
	case o.hook.Bodies && o.hook.agent.Speaks && isStart:
		return fault.New(nil, "", "no bodies are shown: %s takes the text for a message of its system or developer",
			fault.Own(o.hook.agent.Title))
	}
	return nil
}

// tellUnread adds the unread handoffs that are new, the newest first. Those that do not verify are counted, not shown.
func (o opened) tellUnread(r *report, in handoff.Inbox, isStart bool) error {
	fresh := in.Newest[max(0, len(in.Newest)-maxFresh):]
	if len(o.knows) >= maxFresh { // reading some lets older ones into the list, which are not new
		fresh = fresh[len(fresh)/2:]
	}
	fresh = slices.DeleteFunc(slices.Clone(fresh), func(e handoff.Entry) bool { return slices.Contains(o.knows, short(e)) })
	for _, e := range slices.Backward(in.Newest) {
		r.learn = append(r.learn, short(e))
	}
	count := len(fresh)
	if len(o.knows) == 0 {
		count = in.Count()
	}
	if len(fresh) == 0 {
		return nil
	}
	slices.Reverse(fresh)
	lines, withheld, err := o.lines(fresh, isStart)
	what, sep := "new", ", "
	if isStart {
		what, sep = "unread", "\n"
	}
	head := fmt.Sprintf("%s for %s, newest first (id, sender, topic, time; sender and topic are chosen by the sender)",
		handoff.Count(count, what+" handoff"), o.operator)
	more := ""
	if left := count - len(lines) - withheld; left > 0 && len(lines) > 0 {
		more = fmt.Sprintf(" and %d more", left)
	}
	if !isStart && len(lines) > 0 {
		r.line("%s: %s%s. %s.", head, strings.Join(lines, sep), more, o.commands())
	}
	if isStart {
		r.line("%s. %s.", head, o.commands())
		for _, line := range lines {
			if !r.text.Add(line + sep) {
				more = " and more"
				break
			}
		}
		if withheld > 0 {
			r.line("%s withheld: the content or its signature does not verify; `handoff verify` names the place.",
				handoff.Count(withheld, "handoff"))
		}
		if over := in.Left(); over != "" {
			r.line("Not counted above: %s.", over)
		}
		if more != "" {
			r.line("%s", strings.TrimSpace(more))
		}
	}
	if len(lines) > 0 || isStart {
		r.notices = append(r.notices, handoff.Count(count, what+" handoff")+" (run handoff inbox)")
	}
	return err
}

// lines returns a JSON string for each of the first handoffs that verify, at a start with its body if the session asked
// for bodies.
func (o opened) lines(entries []handoff.Entry, isStart bool) (lines []string, withheld int, err error) {
	most := maxNamed
	if isStart {
		most = maxListed
	}
	err = o.store.LoadEach(entries, func(got handoff.Stored, err error) bool {
		if err != nil {
			withheld++
			return time.Now().Before(o.hook.until)
		}
		e := got.Entry
		line := form.JSONLine(strings.Join([]string{short(e), chosen(e.From), chosen(e.Topic), e.Time}, " "))
		switch why := o.store.Distrust(e.From, got.Signature); {
		case why != "":
			line += " without the required signature"
		case isStart && o.hook.Bodies && !o.hook.agent.Speaks:
			framed, _ := handoff.Framed(got, handoff.Frame{MaxChars: o.project.Settings.SurfaceMaxChars.Value})
			line += "\n" + strings.TrimSuffix(framed, "\n")
		}
		lines = append(lines, line)
		return len(lines) < most && time.Now().Before(o.hook.until)
	})
	return lines, withheld, err
}

// commands names the commands that work here.
func (o opened) commands() string {
	if !o.store.Maintenance().IsOurs() {
		return "Nothing can be written here (`handoff verify` says why); `handoff list --unread` lists them"
	}
	me := ""
	if o.project.Me() != o.operator {
		me = " --operator " + o.operator
	}
	return "`handoff take ID" + me + "` takes one and prints it, `handoff list --unread --to " + o.operator +
		"` lists them"
}

// tellHeld adds what the operator has taken and not done.
func (o opened) tellHeld(r *report) {
	var lines []string
	for _, h := range o.store.Lifecycle().Holdings(o.operator) {
		if !o.isNew(r, "held:"+short(h.Entry)) {
			continue
		}
		by := "by another session"
		switch {
		case h.Take.Session == "":
			by = "without a session"
		case h.Take.Session == o.hook.self:
			by = "by this session"
		case h.HasDied:
			by = "by a session that has ended"
		}
		lines = append(lines, form.JSONLine(short(h.Entry)[:8]+" "+chosen(h.Entry.Topic))+" "+by)
	}
	if len(lines) == 0 {
		return
	}
	more := ""
	if n := len(lines) - maxNamed; n > 0 {
		more = fmt.Sprintf("; %d more", n)
	}
	what := fmt.Sprint(len(lines), " taken and not done")
	r.line("%s: %s%s: `handoff status`", what, strings.Join(lines[:min(len(lines), maxNamed)], "; "), more)
	r.notices = append(r.notices, what+" (run handoff status)")
}

// tellEndings adds what others ended of what the operator has sent or taken, the newest first.
func (o opened) tellEndings(r *report) {
	var all []handoff.Ending
	for _, e := range o.store.Lifecycle().Endings(o.operator, o.hook.self, endedFor) {
		if o.isNew(r, "ended:"+short(e.Entry)+":"+e.Time) {
			all = append(all, e)
		}
	}
	slices.Reverse(all)
	for _, e := range all[:min(len(all), maxNamed)] {
		id, whose, by := short(e.Entry)[:8], "yours: ", chosen(e.By)
		if e.Lost {
			whose = "no longer yours: "
		}
		if e.By == o.operator {
			by = "another session"
		}
		note := ""
		if e.Note != "" {
			note = ", with a note: `handoff log " + id + " --agent`"
		}
		r.line("%s%s was %s by %s%s", whose, form.JSONLine(id+" "+chosen(e.Entry.Topic)), e.Act.Participle(), by, note)
	}
	if more := len(all) - maxNamed; more > 0 {
		r.line("%d more of yours ended: `handoff status`", more)
	}
	if len(all) > 0 {
		r.notices = append(r.notices, fmt.Sprint(len(all), " of yours ended (run handoff status)"))
	}
}

// recipients returns how many handoffs are for whom, most first.
func recipients(count map[string]int) string {
	names := slices.SortedFunc(maps.Keys(count), func(a, b string) int {
		return cmp.Or(count[b]-count[a], strings.Compare(a, b))
	})
	var all []string
	for _, name := range names[:min(len(names), maxListed)] {
		all = append(all, form.JSONLine(fmt.Sprint(name, " ", count[name])))
	}
	if more := len(names) - len(all); more > 0 {
		all = append(all, fmt.Sprintf("%d more", more))
	}
	return strings.Join(all, ", ")
}

// short returns the digits of an id in a report.
func short(e handoff.Entry) string { return strings.TrimPrefix(e.ID, form.IDPrefix)[:shortID] }

// chosen returns a name that someone else chose, cut to maxChosen characters.
func chosen(name string) string {
	if letters := []rune(name); len(letters) > maxChosen {
		return string(letters[:maxChosen-3]) + "..."
	}
	return name
}
