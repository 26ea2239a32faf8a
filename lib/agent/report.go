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
	maxKnown  = 1000 // handoffs that a session remembers
	maxNamed  = 3    // the same for one that is running, and for what it holds
	maxChosen = 24   // characters of a name that someone else chose
	shortID   = 12   // digits of an id

	endedFor = 7 * 24 * time.Hour // how long an ending is news
)

// A report is the text for a session. Values that others chose appear only as JSON, each handoff in one string. It
// contains no path and no note. Its commands work where the session runs.
type report struct {
	text    *form.Budget
	learn   []string // what the session did not know
	notices []string // for the person at the terminal: our words and counts
}

// line adds a line, if there is room, and a notice with the command that shows more.
func (r *report) line(text, notice, command string) {
	r.text.Add(text + "\n")
	if notice != "" {
		r.notices = append(r.notices, notice+" (run handoff "+command+")")
	}
}

// list adds a line with the first of some texts.
func (r *report) list(what string, texts []string) {
	if len(texts) == 0 {
		return
	}
	count := fmt.Sprint(len(texts), " ", what)
	r.line(count+": "+first(texts, maxNamed, "; ")+": `handoff status`", count, "status")
}

// first joins the first of some texts, and counts the others.
func first(texts []string, most int, sep string) string {
	if more := len(texts) - most; more > 0 {
		texts = append(slices.Clone(texts[:most]), fmt.Sprint(more, " more"))
	}
	return strings.Join(texts, sep)
}

// isNew reports whether the session did not know something, and learns it.
func (o opened) isNew(r *report, id string) bool {
	isNew := !slices.Contains(o.knows, id)
	if isNew {
		r.learn = append(r.learn, id)
	}
	return isNew
}

// tell adds what is new in a project.
func (o opened) tell(r *report) error {
	isStart := o.hook.Event == Start
	unread, err := o.store.Waiting(o.operator, o.project.Settings.SurfaceMaxAgeDays.Value)
	count := handoff.Count(unread.Count(), "unread handoff")
	switch {
	case err != nil:
		return err
	case *o.warning != "" && isStart:
		r.line("Handoffs of this project may be missing (`handoff verify` says more): "+form.EscapeLine(*o.warning)+".",
			"handoffs may be missing", "verify")
	}
	switch {
	case o.operator == "" && (!isStart || unread.Count() == 0):
		return nil
	case o.operator == "":
		r.line(count+": "+recipients(unread.For())+". I don't know who this session works for: "+
			"`handoff init --operator NAME` says it.", count+"; I don't know who you are", "init")
		return nil
	case isStart:
		o.tellHeld(r)
		o.tellLast(r)
	}
	o.tellEndings(r)
	err = o.tellUnread(r, unread, isStart)
	switch {
	case o.hook.Operator != "" && unread.WhyUnknown != "" && isStart:
		err = cmp.Or(err, fault.New(nil, "", "%s", fault.Own(unread.WhyUnknown)))
	case o.hook.Bodies && o.hook.agent.Speaks && isStart:
		err = cmp.Or(err, fault.New(nil, "", "no bodies are shown: %s takes the text for a message of its system or "+
			"developer", fault.Own(o.hook.agent.Title)))
	}
	return err
}

// tellUnread adds the unread handoffs that are new, the newest first. Those that do not verify are counted, not shown.
func (o opened) tellUnread(r *report, in handoff.Inbox, isStart bool) error {
	var fresh []handoff.Entry
	for _, e := range slices.Backward(in.Newest[max(0, in.Count()-maxKnown):]) {
		if o.isNew(r, short(e)) {
			fresh = append(fresh, e)
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	lines, withheld, err := o.lines(fresh, isStart)
	what, sep, count := "new handoff", ", ", len(fresh)
	if isStart {
		what, sep = "unread handoff", "\n"
	}
	if len(o.knows) == 0 {
		count = in.Count() // the newest are not all
	}
	what = handoff.Count(count, what)
	if more := count - len(lines) - withheld; more > 0 {
		lines = append(lines, fmt.Sprint("and ", more, " more"))
	}
	if len(lines) > 0 {
		r.line(fmt.Sprintf("%s for %s. %s. Newest first (id, sender, topic, time; sender and topic are chosen by the "+
			"sender):%s%s", what, o.operator, o.commands(), sep[len(sep)-1:], strings.Join(lines, sep)), what, "inbox")
	}
	if withheld > 0 && isStart {
		r.line(handoff.Count(withheld, "handoff")+" withheld: the content or its signature does not verify; "+
			"`handoff verify` names the place.", "", "")
	}
	if over := in.Left(); over != "" && isStart {
		r.line("Not counted above: "+over+".", "", "")
	}
	return err
}

// lines returns a JSON string for each of the first handoffs that verify, at a start with its body if the session asked
// for bodies.
func (o opened) lines(entries []handoff.Entry, isStart bool) (lines []string, withheld int, err error) {
	most, room := maxNamed, maxOutput-1000
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
		if room -= len([]rune(line)); room < 0 {
			return false
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
	var texts []string
	for _, h := range o.store.Lifecycle().Holdings(o.operator) {
		by := "by another session"
		switch {
		case h.Take.Session == "":
			by = "without a session"
		case h.Take.Session == o.hook.self:
			by = "by this session"
		case h.HasDied:
			by = "by a session that has ended"
		}
		if o.isNew(r, "held:"+short(h.Entry)) {
			texts = append(texts, titled(h.Entry)+" "+by)
		}
	}
	r.list("taken and not done", texts)
}

// tellEndings adds what others ended of what the operator has sent or taken, the newest first.
func (o opened) tellEndings(r *report) {
	var texts []string
	for _, e := range slices.Backward(o.store.Lifecycle().Endings(o.operator, o.hook.self, endedFor)) {
		by, note := chosen(e.By), ""
		if e.By == o.operator {
			by = "another session"
		}
		if e.Lost {
			by += ", no longer yours"
		}
		if e.Note != "" {
			note = " (a note: `handoff log " + short(e.Entry)[:8] + " --agent`)"
		}
		if o.isNew(r, "ended:"+short(e.Entry)+":"+e.Time) {
			texts = append(texts, titled(e.Entry)+" was "+e.Act.Participle()+" by "+by+note)
		}
	}
	r.list("of yours ended", texts)
}

// recipients returns how many handoffs are for whom, most first.
func recipients(count map[string]int) string {
	names := slices.SortedFunc(maps.Keys(count), func(a, b string) int {
		return cmp.Or(count[b]-count[a], strings.Compare(a, b))
	})
	for i, name := range names {
		names[i] = form.JSONLine(fmt.Sprint(name, " ", count[name]))
	}
	return first(names, maxListed, ", ")
}

// short returns the digits of an id in a report.
func short(e handoff.Entry) string { return strings.TrimPrefix(e.ID, form.IDPrefix)[:shortID] }

// titled returns the short id and the topic of a handoff as JSON.
func titled(e handoff.Entry) string { return form.JSONLine(short(e)[:8] + " " + chosen(e.Topic)) }

// chosen returns a name that someone else chose, cut to maxChosen characters.
func chosen(name string) string {
	if letters := []rune(name); len(letters) > maxChosen {
		return string(letters[:maxChosen-3]) + "..."
	}
	return name
}
