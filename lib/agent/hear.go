package agent

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/agent/heard"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/log"
)

// The events at which a running session can hear of a new handoff.
const (
	Prompt Event = "prompt" // a person sends a prompt
	Tool   Event = "tool"   // a tool has run
	start  Event = "session-start"

	End    Event = "session-end" // the session ends
	server Event = "mcp"         // no event: the server for the Model Context Protocol
)

// An Event is a moment in a session at which its agent runs a hook of ours.
type Event string

const (
	maxNamed = 3    // handoffs in an announcement
	maxFresh = 1000 // of so many of the newest, the new ones are counted
)

// Hear announces to a running session, in one line, what has arrived since the session was last told, and which of the
// handoffs of its operator others have ended. It prints nothing if there is nothing new, if the session has no id, or
// if the last announcement is less than a minute old. Without news it opens no store. Each handoff is announced once to
// a session. Hear also renews the leases of the session, when half of their time has passed.
//
// The line is added to what the model reads. Hear never ends a turn and never blocks a prompt or a tool.
func Hear(s Session, e Event) {
	m, session, cwd, must := heard.Listen(s.Stdin, heard.Wait, s.Getenv, s.Agent, s.Cwd)
	if !must {
		return
	}
	wait := cmp.Or(s.Patience, deadline)
	// the start of the session reports what is wrong
	within(wait+100*time.Millisecond, func() error { return s.hear(e, m, session, cwd, time.Now().Add(wait)) })
}

// hear looks for new handoffs and announces them.
func (s Session) hear(e Event, m memory, session, cwd string, until time.Time) (err error) {
	if s.agent, err = running(s.Agent, s.Getenv); err != nil {
		return err
	}
	unlock := lock(&m)
	if unlock == nil { // without a memory, every event would announce the same
		return nil
	}
	defer unlock()
	if !m.MustLook(cwd) { // another hook was faster
		return nil
	}
	p, r, err := s.open(cwd, session)
	if err != nil {
		return err
	}
	m.Session = session
	m.Renew, _ = r.store.Lifecycle().Renew(context.Background(), r.operator, session) // the lease may end
	if m.IsQuiet() || m.IsUnchanged(cwd) {
		return m.Save()
	}
	before := m.Told
	if m.Told = time.Now(); m.Save() != nil { // a look that takes too long is repeated in a minute
		return nil
	}
	m.Told = before
	m.Stamp(cwd, arrivals(p))
	line, notice, err := r.arrived(&m, p.Settings.SurfaceMaxAgeDays.Value)
	if err != nil || time.Now().After(until) { // the agent may have gone on without the output
		return err
	}
	if line != "" {
		m.Told = time.Now()
	}
	if err := m.Save(); err != nil { // what cannot be remembered would be announced again and again
		return err
	}
	s.print(e, line, notice)
	return nil
}

// arrived returns the announcement of what a session was not told, "" if there is nothing, and adds it to its memory.
func (r *report) arrived(m *memory, maxAge int) (line, notice string, err error) {
	unread, err := r.store.Waiting(r.operator, maxAge)
	if err != nil || r.operator == "" {
		return "", "", err
	}
	r.knows = setOf(strings.Fields(m.Known))
	fresh := fresh(unread, r.knows)
	m.Learn(idsOf(unread.Newest))
	var ended own
	if line = r.line(fresh); line != "" {
		ended.notice = append(ended.notice, handoff.Count(len(fresh), "new handoff")+" (run handoff inbox)")
	}
	ended.addEndings(*r)
	m.Learn(ended.learn)
	return line + ended.text, strings.Join(ended.notice, ", "), nil
}

// fresh returns the handoffs that are not known, the newest last.
func fresh(in handoff.Inbox, known map[string]bool) []handoff.Entry {
	unread := in.Newest[max(0, len(in.Newest)-maxFresh):]
	if len(known) >= maxFresh { // reading some lets older ones into the list, which are not new
		unread = unread[len(unread)/2:]
	}
	return without(unread, known)
}

// without returns the handoffs that are not known.
func without(entries []handoff.Entry, known map[string]bool) []handoff.Entry {
	return slices.DeleteFunc(slices.Clone(entries), func(e handoff.Entry) bool { return known[short(e)] })
}

// only returns an inbox in which nothing but these entries is unread.
func only(in handoff.Inbox, entries []handoff.Entry) handoff.Inbox {
	in.Newest, in.For, in.Over = entries, make(map[string]int), nil
	for _, e := range entries {
		in.For[e.To]++
	}
	return in
}

func setOf(ids []string) map[string]bool {
	set := make(map[string]bool, len(ids))
	for _, id := range ids {
		set[id] = true
	}
	return set
}

// line returns the announcement of new handoffs. It names the newest that verify. It is "" if none does.
func (r report) line(fresh []handoff.Entry) string {
	slices.Reverse(fresh)
	var named []string
	first := ""
	_ = r.store.LoadEach(fresh, func(got handoff.Stored, err error) bool {
		if err != nil {
			return true
		}
		named, first = append(named, form.JSONLine(about(got.Entry, ""))), cmp.Or(first, short(got.Entry))
		return len(named) < maxNamed
	})
	if len(named) == 0 {
		return ""
	}
	read := "`handoff read ID --agent` prints one"
	if len(named) == 1 {
		read = "`handoff read " + first + " --agent` prints it"
	}
	text := handoff.Count(len(fresh), "new handoff") + " for " + r.operator +
		", with id, sender and topic (chosen by the sender): " + strings.Join(named, ", ")
	if more := len(fresh) - len(named); more > 0 {
		text += fmt.Sprintf(" and %d more: `handoff list --unread --to %s`", more, r.operator)
	}
	return text + ". " + read + ".\n"
}

const maxChosen = 24 // characters of a name that someone else chose

// about returns what identifies a handoff: id, sender, topic and time. Sender and topic were chosen by others, and
// agents may read them as a message of their system: long ones are cut.
func about(e handoff.Entry, at string) string {
	parts := []string{short(e), chosen(e.From), chosen(e.Topic), at}
	return strings.TrimRight(strings.Join(parts, " "), " ")
}

// chosen returns a name that someone else chose, cut to maxChosen characters.
func chosen(name string) string { return cut(name, maxChosen) }

// cut returns text, cut to n characters.
func cut(text string, n int) string {
	if letters := []rune(text); len(letters) > n {
		return string(letters[:n-3]) + "..."
	}
	return text
}

// A memory is what one session has heard.
type memory = heard.Memory

// remember returns the memory of a session.
func (s Session) remember(id string) memory {
	return heard.Remember(heard.UserState(s.Getenv), s.Agent, id)
}

// lock makes the directory of a memory and locks it, so that two hooks at once announce once. It then reads the memory
// again. It returns nil if that fails.
func lock(m *memory) (unlock func()) {
	if !m.HasPlace() || m.Make() != nil {
		return nil
	}
	d, err := disk.Open(m.Dir)
	if err != nil {
		return nil
	}
	defer d.Close()
	if unlock, err = d.Lock(context.Background(), "lock", 200*time.Millisecond); err == nil {
		m.Read()
	}
	return unlock
}

// arrivals returns what changes when a handoff arrives: the log, the directory into which git puts one, and the files
// that decide whose it is.
func arrivals(p handoff.Project) []string {
	o := p.Options
	return []string{filepath.Join(o.StateDir, log.FileName), o.Dir, o.OperatorsFile,
		filepath.Join(o.Root, handoff.SettingsName)}
}

// idsOf returns the short ids of handoffs, whose newest comes last, newest first.
func idsOf(entries []handoff.Entry) (ids []string) {
	for _, e := range slices.Backward(entries) {
		ids = append(ids, short(e))
	}
	return ids
}
