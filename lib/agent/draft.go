package agent

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// draftDeadline is longer than that of SessionStart: nobody waits for a session that ends.
const draftDeadline = 3 * time.Second

// SaveDraft leaves a draft of a handoff for a session that ends or is compacted, from what its agent says
// on Stdin: which session, where, why, and where the transcript is. Nothing of that is run or opened. The
// next sessions are told that there is a draft.
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
	agent := s.Agent
	if _, known := find(agent); !known {
		return unknown(agent)
	}
	d := handoff.Draft{Hook: true, Agent: agent, Session: in.session(), Topic: "recovered-session", Text: in.draftText(agent, in.cwd(s.Cwd))}
	if path := in.transcript(); path != "" {
		d.References = []string{path}
	}
	_, err = store.SaveDraft(context.Background(), d)
	return err
}

// draftText says what is known of the session. Each value stands on a line of its own, escaped.
func (in input) draftText(agent, cwd string) string {
	var b strings.Builder
	b.WriteString("# Recovered session\n\nA session left no handoff of its own. What its agent said when it ended or was compacted:\n\n")
	for _, known := range []struct{ name, value string }{
		{"agent", agent}, {"session", in.session()}, {"directory", cwd}, {"event", word(in.Event)},
		{"reason", word(in.Reason)}, {"trigger", word(in.Trigger)}, {"transcript", in.transcript()},
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
