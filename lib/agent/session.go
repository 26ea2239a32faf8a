// Package agent is what coding agents run: the hook that tells a starting session which handoffs it has
// not read (spec 3-surface, "Session hooks").
//
// A hook must never harm the session: it does not fail, does not wait, says nothing when there is nothing
// to say, and what it prints are facts in the form that the agent expects. Nothing of a body is printed
// unless that is asked for, and then inside a frame.
package agent

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/render"
)

const (
	deadline  = time.Second            // after which what there is is printed
	stdinWait = 300 * time.Millisecond // for the agent to say where the session is
	maxStdin  = 1 << 20
	maxOutput = 6000 // characters
)

// A Session is one start of a session of an agent.
type Session struct {
	Agent  string // one of Agents
	To     string // the operator; "" asks settings, then OPERATORS.md and git
	Bodies bool   // print bodies too, framed

	Cwd            string // where the project is, unless standard input says otherwise
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Getenv         func(string) string
	Flags          handoff.ProjectFlags
}

// envelopes gives each agent its own form around the text. One output never serves two.
var envelopes = map[string]func(text string) any{
	"plain":   nil,
	"claude":  sessionStartOutput,
	"codex":   sessionStartOutput,
	"gemini":  sessionStartOutput,
	"cursor":  func(text string) any { return map[string]string{"additional_context": text} },
	"copilot": func(text string) any { return map[string]string{"additionalContext": text} },
}

func sessionStartOutput(text string) any {
	return map[string]any{"hookSpecificOutput": map[string]string{"hookEventName": "SessionStart", "additionalContext": text}}
}

// Agents returns the names that Session.Agent can have.
func Agents() []string { return []string{"plain", "claude", "codex", "gemini", "cursor", "copilot"} }

// SessionStart prints what a starting session should know, or nothing. It returns within little more than
// a second. The same unread handoffs give the same bytes, but for the frames of bodies. What goes wrong
// is at most one line on Stderr.
func SessionStart(s Session) {
	until := time.Now().Add(deadline)
	type outcome struct {
		text string
		err  error
	}
	done := make(chan outcome, 1)
	go func() {
		defer func() {
			if bug := recover(); bug != nil {
				done <- outcome{err: fmt.Errorf("internal error: %v", bug)}
			}
		}()
		text, err := s.text(until)
		done <- outcome{text, err}
	}()
	select {
	case o := <-done:
		if o.err != nil {
			fmt.Fprintln(s.Stderr, "handoff: "+handoff.EscapeLine(o.err.Error()))
		}
		s.print(o.text)
	case <-time.After(time.Until(until) + 100*time.Millisecond):
		fmt.Fprintln(s.Stderr, "handoff: the handoffs could not be read in time")
	}
}

func (s Session) print(text string) {
	wrap, known := envelopes[s.Agent]
	switch {
	case text == "":
	case !known:
		fmt.Fprintf(s.Stderr, "handoff: unknown agent %s; known are %s\n", handoff.EscapeLine(s.Agent), strings.Join(Agents(), ", "))
	case wrap == nil:
		io.WriteString(s.Stdout, text)
	default:
		enc := json.NewEncoder(s.Stdout)
		enc.SetEscapeHTML(false)
		_ = enc.Encode(wrap(text)) // nobody is left to tell
	}
}

// text returns what there is to say.
func (s Session) text(until time.Time) (string, error) {
	p, err := handoff.LoadProject(s.where(), s.Getenv, s.Flags)
	if err != nil || !p.Settings.HookEnabled.Value {
		return "", err
	}
	store, err := handoff.Open(p.Options)
	if err != nil {
		return "", err
	}
	operator := s.To
	if operator == "" {
		operator = p.Me()
	}
	entries, err := store.Unread(operator, p.Settings.SurfaceMaxAgeDays.Value)
	if err != nil || len(entries) == 0 {
		return "", err
	}
	if operator == "" {
		return fmt.Sprintf("%s in %s. To whom this session belongs is not known: "+
			"--to OPERATOR, HANDOFF_OPERATOR, or operator in .handoff.yaml says who you are.\n", count(len(entries), "unread handoff"), handoff.EscapeLine(store.Dir())), nil
	}
	r := report{store: store, operator: operator, bodies: s.Bodies, maxChars: p.Settings.SurfaceMaxChars.Value, until: until}
	return r.text(entries)
}

// where returns the directory of the session: cwd in the object on standard input, else Cwd.
func (s Session) where() string {
	if s.Stdin == nil || s.Agent == "plain" {
		return s.Cwd
	}
	said := make(chan string, 1)
	go func() {
		var input struct {
			Cwd string `json:"cwd"`
		}
		if json.NewDecoder(io.LimitReader(s.Stdin, maxStdin)).Decode(&input) != nil {
			input.Cwd = ""
		}
		said <- input.Cwd
	}()
	select {
	case cwd := <-said:
		if filepath.IsAbs(cwd) {
			return filepath.Clean(cwd)
		}
	case <-time.After(stdinWait):
	}
	return s.Cwd
}

// A report is the text about the unread handoffs of one operator.
type report struct {
	store    *handoff.Store
	operator string
	bodies   bool
	maxChars int
	until    time.Time
}

// text says how many there are, then each as far as there is room and time. What does not verify is
// counted, not shown.
func (r report) text(entries []handoff.Entry) (string, error) {
	out := render.NewBudget(maxOutput)
	out.Add(fmt.Sprintf("%s for %s in %s. `handoff read ID --agent` prints one, `handoff mark-read ID %s` marks it as read. "+
		"Each line below is its id, sender, topic and time.\n", count(len(entries), "unread handoff"), r.operator, handoff.EscapeLine(r.store.Dir()), r.operator))
	withheld, left := 0, len(entries)
	for _, e := range entries {
		if time.Now().After(r.until) {
			break
		}
		block, err := r.entry(e)
		if err != nil {
			withheld++
			left--
			continue
		}
		if !out.Add(block) {
			break
		}
		left--
	}
	if withheld > 0 {
		out.Add(count(withheld, "handoff") + " withheld: the content is not what was written; `handoff verify` names the place.\n")
	}
	out.Omit(left)
	return out.String(), nil
}

// entry is one line about a handoff, and its framed body if that is wanted.
func (r report) entry(e handoff.Entry) (string, error) {
	got, err := r.store.Load(e)
	if err != nil {
		return "", err
	}
	line, err := render.JSONLine(strings.Join([]string{e.ID, e.From, e.Topic, e.Time}, " "))
	if err != nil || !r.bodies {
		return line + "\n", err
	}
	framed, _, err := handoff.Framed(got, r.maxChars, false)
	return line + "\n" + framed, err
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
