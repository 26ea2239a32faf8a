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

// draftDeadline is longer than that of SessionStart: no person waits for a session that ends.
const draftDeadline = 3 * time.Second

// SaveDraft is the hook that an agent runs when a session begins and when it ends. Stdin describes the session:
// its id, directory, reason and transcript. Nothing of that is run or opened.
//
// If a session dies, or ends with an error, without having written a handoff, it leaves a draft. Later sessions
// report the draft. A session that ends well, or continues after a compaction, leaves none. If the agent does not
// name the event, SaveDraft saves the draft at once.
//
// Like SessionStart it returns in time, and prints at most one line on Stderr if something fails. Without a store
// it does nothing.
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

// saveDraft saves the note that becomes a draft if the session dies. It prints nothing, and runs nothing of the
// agent's input.
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
		if err != nil || left.ID == "" || !slices.Contains(badReasons, in.Reason) {
			return err
		}
	case goesOn:
		return nil
	}
	_, err = store.Sessions().SaveDraft(context.Background(), d)
	return err
}

// The events of a session.
const (
	unknownEvent = iota
	begins
	ends
	goesOn
)

// badReasons lists the reasons that Copilot CLI and Cursor give for a session that ended with an error.
var badReasons = []string{"error", "abort", "aborted", "timeout"}

// happens returns the event. If the agent names none, it follows from the reason or the source.
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
		return unknownEvent
	}
	return goesOn
}

// EndDraft drops the pending draft of the agent's session that owns this shell, if there is one. Call it after a
// handoff was written to the store.
func EndDraft(s *handoff.Store, getenv func(string) string) error {
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

// draftText returns the facts about the session, one on each line, escaped.
func (in input) draftText(agent, cwd string) string {
	var b strings.Builder
	b.WriteString("# Recovered session\n\nA session ended with an error and left no handoff. " +
		"The last facts from its agent:\n\n")
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

// transcript returns the path of the transcript, or "" if it cannot be a reference.
func (in input) transcript() string {
	path := in.Transcript
	if !filepath.IsAbs(path) || utf8.RuneCountInString(path) > 1024 || handoff.EscapeLine(path) != path {
		return ""
	}
	return path
}

// word returns text if it can name an event or a reason.
func word(text string) string {
	if len(text) > 64 || strings.Trim(text, sessionLetters) != "" {
		return ""
	}
	return text
}
