package agent

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
)

// draftDeadline is longer than that of SessionStart: nobody waits for a session that ends.
const draftDeadline = 3 * time.Second

// SaveDraft is what an agent runs when a session begins and when it ends, with what the agent says on
// Stdin: which session, where, why, and where the transcript is. Nothing of that is run or opened. A
// session that dies, or that its agent ends for an error, without having written a handoff leaves a
// draft of one, and the next sessions are told of it. One that ends well leaves nothing, nor does one
// that goes on when it was compacted. Where the agent does not say what happens, there is a draft at
// once.
//
// Like SessionStart it returns in time, and what goes wrong is at most one line on Stderr. Where there is
// no store it does nothing.
func SaveDraft(s Session) {
	done := make(chan error, 1)
	go func() {
		defer func() {
			if bug := recover(); bug != nil {
				done <- fmt.Errorf("internal error: %v", bug)
			}
		}()
		done <- s.saveDraft()
	}()
	select {
	case err := <-done:
		if err != nil {
			fmt.Fprintln(s.Stderr, "handoff: "+handoff.EscapeLine(fault.Plain(err)))
		}
	case <-time.After(draftDeadline):
		fmt.Fprintln(s.Stderr, "handoff: the draft could not be saved in time")
	}
}

// saveDraft leaves the note from which a draft becomes if the session dies. It prints nothing and runs
// nothing of what the agent says.
func (s Session) saveDraft() error {
	in := readInput(s.Stdin)
	p, err := handoff.LoadProject(in.cwd(s.Cwd), s.Getenv, s.Flags)
	if err != nil || !p.Settings.HookEnabled.Value {
		return err
	}
	if s.Options != nil {
		s.Options(&p.Options)
	}
	store, err := handoff.Open(p.Options)
	if err != nil {
		return err
	}
	a, err := running(s.Agent, s.Getenv)
	if err != nil {
		return err
	}
	agent := a.Name
	d := handoff.Draft{Hook: true, Agent: agent, Session: in.session(), Topic: "recovered-session",
		Text: in.draftText(agent, in.cwd(s.Cwd))}
	if path := in.transcript(); path != "" {
		d.References = []string{path}
	}
	switch in.happens() {
	case begins:
		d.Process = disk.Process(s.Parent)
	case ends:
		left, err := store.Sessions().End(agent, d.Session)
		if err != nil || left.ID == "" || !slices.Contains(unwell, in.Reason) {
			return err
		}
	case goesOn:
		return nil
	}
	_, err = store.Sessions().SaveDraft(context.Background(), d)
	return err
}

// What can happen to a session.
const (
	unsaid = iota
	begins
	ends
	goesOn
)

// unwell are the reasons for which Copilot CLI and Cursor end a session that did not end well.
var unwell = []string{"error", "abort", "aborted", "timeout"}

// happens returns what happens to the session. Agents that name no event say why it starts or ends.
func (in input) happens() int {
	switch strings.ToLower(in.Event) {
	case "sessionstart":
		if in.Source == "compact" {
			return goesOn
		}
		return begins
	case "sessionend":
		return ends
	case "":
		switch {
		case in.Reason != "":
			return ends
		case in.Source != "":
			return begins
		}
		return unsaid
	}
	return goesOn
}

// Wrote says that a handoff was written, to the store of which nothing is expected any more from the
// session of an agent whose shell this is, if it is one.
func Wrote(s *handoff.Store, getenv func(string) string) error {
	for _, a := range agents() {
		session, inside := a.shellOf(getenv)
		if !inside {
			continue
		}
		if _, err := s.Sessions().End(a.Name, session); err != nil {
			return err
		}
	}
	return nil
}

// Inside returns the title of the agent whose shell this is, "" if it is that of none, as far as its
// environment tells.
func Inside(getenv func(string) string) string {
	for _, a := range agents() {
		if _, inside := a.shellOf(getenv); inside {
			return a.Title
		}
	}
	return ""
}

// SessionOf returns the session of the agent whose shell this is, as a name that a take may have, "" if its
// environment names none.
func SessionOf(getenv func(string) string) string {
	for _, a := range agents() {
		if session, _ := a.shellOf(getenv); handoff.IsSession(session) {
			return session
		}
	}
	return ""
}

// shellOf says whether this is a shell of the agent, and of which session, if that is known.
func (a Agent) shellOf(getenv func(string) string) (session string, inside bool) {
	for _, name := range a.words("session") {
		session = cmp.Or(session, getenv(name))
	}
	return session, session != "" || a.is("inside") && getenv(a.get("inside")) != ""
}

// draftText says what is known of the session. Each value stands on a line of its own, escaped.
func (in input) draftText(agent, cwd string) string {
	var b strings.Builder
	b.WriteString("# Recovered session\n\nA session did not end well and left no handoff of its own. " +
		"What its agent said of it last:\n\n")
	for _, known := range []struct{ name, value string }{
		{"agent", agent}, {"session", in.session()}, {"directory", cwd}, {"event", word(in.Event)},
		{"reason", word(in.Reason)}, {"transcript", in.transcript()},
	} {
		if known.value != "" {
			fmt.Fprintf(&b, "* %s: %s\n", known.name, handoff.EscapeLine(known.value))
		}
	}
	return b.String()
}

// transcript returns the path of the transcript if it can be a reference.
func (in input) transcript() string {
	path := in.Transcript
	if !filepath.IsAbs(path) || utf8.RuneCountInString(path) > 1024 || handoff.EscapeLine(path) != path {
		return ""
	}
	return path
}

// word returns text if it can be the name of an event or a reason.
func word(text string) string {
	if len(text) > 64 || strings.Trim(text, sessionLetters) != "" {
		return ""
	}
	return text
}
