package agent

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/seed-78daf238/handoff/lib/agent/heard"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
)

// draftDeadline is longer than that of SessionStart: no person waits for a session that ends.
const draftDeadline = 3 * time.Second

// SaveDraft is the hook that an agent runs when a session begins, when a turn ends, after a compaction, and when the
// session ends. Stdin describes the event: the session, its directory and transcript, and what the agent said.
//
// The setting capture chooses what is kept of that: with summary, the summary of a compaction and the last message of
// the agent; with extract, also an extract of the transcript; with none, neither. Credentials are redacted. Nothing
// of the input is run.
//
// If a session dies, or ends, without having written a handoff, it leaves a draft, and later sessions are told. A
// session that ends well and of which nothing is kept leaves none. If the agent does not name the event, SaveDraft
// saves the draft at once.
//
// Like SessionStart it returns in time, and prints at most one line on Stderr if something fails. Without a project
// it does nothing.
func SaveDraft(s Session) {
	switch err, inTime := within(max(draftDeadline, s.Patience), s.saveDraft); {
	case !inTime:
		fmt.Fprintln(s.Stderr, "handoff: the draft could not be saved in time")
	case err != nil:
		fmt.Fprintln(s.Stderr, "handoff: "+handoff.EscapeLine(fault.Plain(err)))
	}
}

// within calls do, and waits for it no longer than a time. A panic becomes its error: a hook never harms the session.
func within(wait time.Duration, do func() error) (err error, inTime bool) {
	done := make(chan error, 1)
	go func() {
		defer func() {
			if bug := recover(); bug != nil {
				done <- fmt.Errorf("internal error: %v", bug)
			}
		}()
		done <- do()
	}()
	select {
	case err := <-done:
		return err, true
	case <-time.After(wait):
		return nil, false
	}
}

// saveDraft saves what the agent reports about a session. It prints nothing, and runs nothing of the agent's input.
func (s Session) saveDraft() error {
	in := input{heard.ReadInput(s.Stdin, max(reportWait, s.Patience), maxReport, true)}
	if in.IsCut {
		return fault.New(nil, "", "the report of the agent has more than %d bytes; nothing of it is kept", maxReport)
	}
	p, err := handoff.LoadProject(in.Directory(s.Cwd), s.Getenv, s.Flags)
	if err != nil {
		return err
	}
	if s.Options != nil {
		s.Options(&p.Options)
	}
	store, err := handoff.Open(p.Options)
	if err != nil {
		return err
	}
	if s.agent, err = running(s.Agent, s.Getenv); err != nil {
		return err
	}
	s.Agent = s.agent.Name
	return s.keep(leaving{Session: s, in: in, project: p, store: store, cwd: in.Directory(s.Cwd), event: in.happens()})
}

// keep stores what is known after an event.
func (s Session) keep(l leaving) error {
	session := l.in.Session()
	switch {
	case l.event == goesOn:
		return nil
	case l.event == unknownEvent, l.event == begins && session == "":
		d := l.draft(handoff.Draft{})
		if d.Process = ""; l.event == begins {
			d.Process = disk.Process(disk.BehindShell(s.Parent))
		}
		_, err := l.store.Sessions().SaveDraft(context.Background(), d)
		return err
	}
	s.To = "" // the session ends for all operators
	isEnd := l.event == ends
	if m := s.remember(s.Agent, session); m.Ended != isEnd && (isEnd || l.event == begins) {
		if d := lock(&m); d != nil { // what waits for the session ends with it
			m.Ended = isEnd
			_ = m.Save() // without it, the session may count as told of what came later
			d.Close()
		}
	}
	kept := l.kept()
	if l.event == turnEnds && kept == (handoff.Kept{}) {
		return nil
	}
	return l.store.Sessions().Keep(s.Agent, session, l.project.Exists() == nil, func(old handoff.Draft) handoff.Draft {
		return l.after(old, kept)
	})
}

// The events of a session.
const (
	unknownEvent = iota
	begins
	turnEnds // or a compaction: the agent reports what it said
	ends
	goesOn
)

// badReasons lists the reasons that Copilot CLI and Cursor give for a session that ended with an error.
var badReasons = []string{"error", "abort", "aborted", "timeout"}

// events has the names of the events, as the agents call them.
var events = map[string]int{
	"sessionstart": begins, "sessionend": ends,
	"stop": turnEnds, "stopfailure": turnEnds, "agentstop": turnEnds, "afteragent": turnEnds,
	"afteragentresponse": turnEnds, "postcompact": turnEnds,
}

// happens returns the event. If the agent names none, it follows from the other fields.
func (in input) happens() int {
	event := strings.ToLower(in.Event)
	switch known, ok := events[event]; {
	case known == begins && in.Source == "compact":
		return goesOn
	case ok:
		return known
	case event != "":
		return goesOn
	case in.Summary != "", in.Last != "", in.Response != "", in.StopReason != "":
		return turnEnds
	case in.Reason != "":
		return ends
	case in.Source != "":
		return begins
	}
	return unknownEvent
}

// EndDraft records that the agent's session that owns this shell has written a handoff, so that it leaves no draft.
// Call it after a handoff was written to the store.
func EndDraft(s *handoff.Store, getenv func(string) string) error {
	for _, a := range agents() {
		session, inside := a.shellOf(getenv)
		if !inside {
			continue
		}
		if err := s.Sessions().Written(a.Name, session); err != nil {
			return err
		}
	}
	return nil
}

// Inside returns the title of the agent whose shell this is, or "" if the environment names none.
func Inside(getenv func(string) string) string {
	for _, a := range agents() {
		if _, inside := a.shellOf(getenv); inside {
			return a.Title
		}
	}
	return ""
}

// SessionOf returns the session of the agent whose shell this is, in the form that a take accepts. It is "" if
// the environment names none.
func SessionOf(getenv func(string) string) string {
	for _, a := range agents() {
		if session, _ := a.shellOf(getenv); handoff.IsSession(session) {
			return session
		}
	}
	return ""
}

// shellOf reports whether this is a shell of the agent, and returns its session if that is known.
func (a Agent) shellOf(getenv func(string) string) (session string, inside bool) {
	for _, name := range a.words("session") {
		session = cmp.Or(session, getenv(name))
	}
	return session, session != "" || a.has("inside") && getenv(a.get("inside")) != ""
}

// transcript returns the path of the transcript, or "" if it cannot be a reference.
func (in input) transcript() string {
	path := cmp.Or(in.Transcript, in.Transcript2)
	if !filepath.IsAbs(path) || utf8.RuneCountInString(path) > 1024 || handoff.EscapeLine(path) != path {
		return ""
	}
	return path
}

// word returns text if it can name an event or a reason.
func word(text string) string {
	if len(text) > 64 || strings.Trim(text, heard.Letters) != "" {
		return ""
	}
	return text
}
