package agent

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/agent/heard"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// deadline is the default of Session.Patience.
const deadline = time.Second

// A Session describes one start of an agent's session.
type Session struct {
	Agent string // one of Names; the agent may run the hook of another
	To    string // the operator; "": by the settings, else OPERATORS.md and git
	// Bodies also prints bodies, framed. It has no effect if the model takes the text for a system or developer
	// message.
	Bodies bool

	Parent         int    // the process that runs the session
	Cwd            string // the directory of the project, unless standard input names one
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Getenv         func(string) string
	Flags          handoff.ProjectFlags
	Patience       time.Duration          // the time limit: after it the output so far is printed; 0 is a second
	Options        func(*handoff.Options) // edits the project's options; nil changes nothing

	agent Agent // the row of the agent that runs the hook
}

// SessionStart prints a report for a starting session, or nothing. It returns shortly after its patience. The
// same unread handoffs give the same bytes, except the frames of bodies. If something fails, it prints at most
// one line on Stderr.
func SessionStart(s Session) {
	var err error
	if s.agent, err = running(s.Agent, s.Getenv); err != nil {
		fmt.Fprintln(s.Stderr, "handoff: "+err.Error())
		return
	}
	until := time.Now().Add(cmp.Or(s.Patience, deadline))
	late := until.Add(100 * time.Millisecond)
	var o outcome
	switch err, inTime := within(time.Until(late), func() error { return s.text(until, &o) }); {
	case !inTime:
		fmt.Fprintln(s.Stderr, "handoff: the handoffs could not be read in time")
		return
	case err != nil:
		fmt.Fprintln(s.Stderr, "handoff: "+handoff.EscapeLine(fault.Plain(err)))
	}
	if o.report == nil || !s.print(start, o.text, o.notice) {
		return
	}
	within(time.Until(late), func() error { // the output counts, remembered or not
		o.remember(s.Parent)
		return nil
	})
}

// SessionEnd notes that a session has ended: others can take over what it holds.
func SessionEnd(s Session) {
	s.note(heard.ReadInput(s.Stdin, heard.Wait, true).Session(), disk.Ended)
}

// Began notes that this process runs a session that no hook knows. Once the process is gone, others can take over what
// the session holds.
func Began(session string, getenv func(string) string) {
	Session{Getenv: getenv}.note(session, disk.Process(os.Getpid()))
}

// note keeps the process of a session in its memory. Without it the session counts as running.
func (s Session) note(session, process string) {
	m := s.remember(session)
	if unlock := lock(&m); unlock != nil {
		defer unlock()
		m.Session, m.Process = session, process
		_ = m.Save()
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

// An outcome is the text for a session, and what the session knows of once it has the text.
type outcome struct {
	text   string
	notice string  // for the person at the terminal
	report *report // nil if there is none
	learn  []string

	project handoff.Project
	memory  memory // for the hooks that run while the session does
}

// remember notes what the session knows of, and the process that runs it. Later hooks announce only what arrives then.
func (o outcome) remember(parent int) {
	m := o.memory
	if unlock := lock(&m); unlock != nil {
		defer unlock()
		m.Cwd, m.Files, m.Session = o.memory.Cwd, o.memory.Files, o.memory.Session
		m.Process = disk.Process(disk.BehindShell(parent))
		m.Renew, _ = o.report.store.Lifecycle().Renew(context.Background(), o.report.operator, o.report.session)
		m.Learn(o.learn)
		_ = m.Save() // without it, the next hook looks again
	}
}

// print prints a text, if there is one, and reports whether the session got it.
func (s Session) print(e Event, text, notice string) bool {
	if text == "" {
		return true
	}
	err := error(nil)
	if s.agent.has("envelope") {
		text, err = form.JSON(s.agent.wrap(e, text, notice), "")
	}
	if err == nil {
		_, err = io.WriteString(s.Stdout, text)
	}
	return err == nil // on an error nobody reads the report
}

// open loads the project of a session and opens its store.
func (s Session) open(cwd, session string) (handoff.Project, *report, error) {
	p, err := handoff.LoadProject(cwd, s.Getenv, s.Flags)
	if err != nil {
		return p, nil, err
	}
	if s.Options != nil {
		s.Options(&p.Options)
	}
	isSystem := s.agent.has("speaks")
	r := &report{operator: cmp.Or(s.To, p.Me()), session: session, isSystem: isSystem, bodies: s.Bodies && !isSystem,
		maxChars: p.Settings.SurfaceMaxChars.Value}
	p.Options.Warn = func(text string) { r.warning = text }
	r.store, err = handoff.Open(p.Options)
	return p, r, err
}

// text makes the report.
func (s Session) text(until time.Time, o *outcome) error {
	in := heard.Input{}
	if s.agent.Name != "plain" {
		in = heard.ReadInput(s.Stdin, heard.Wait, true)
	}
	if s.agent.drops(in.Source) { // a printed report would count as told
		return nil
	}
	cwd := in.Directory(s.Cwd)
	p, r, err := s.open(cwd, in.Session())
	if info, statErr := os.Stat(cwd); err != nil && in.Cwd != "" && (statErr != nil || !info.IsDir()) {
		return fault.Config("", "the directory that the agent names as cwd cannot be used")
	}
	if err != nil {
		return err
	}
	r.until = until
	o.memory = s.remember(in.Session())
	o.memory.Stamp(cwd, arrivals(p))
	unread, err := r.store.Waiting(r.operator, p.Settings.SurfaceMaxAgeDays.Value)
	if err != nil {
		return err
	}
	if slices.Contains(s.agent.words("keeps"), in.Source) { // the model still has what it was told
		r.knows = setOf(strings.Fields(o.memory.Known))
	}
	o.report, o.project = r, p
	o.tell(unread)
	if s.To != "" && unread.WhyUnknown != "" {
		return fault.New(nil, "", "%s", fault.Own(unread.WhyUnknown))
	}
	if s.Bodies && r.isSystem {
		return fault.New(nil, "",
			"no bodies are shown: %s takes the text for a message of its system or developer", fault.Own(s.agent.Title))
	}
	return nil
}

// tell sets the texts, and what the session knows of then. A session that knows something is told only what is new to
// it.
func (o *outcome) tell(unread handoff.Inbox) {
	r := o.report
	own := r.own()
	o.learn = slices.Concat(own.learn, idsOf(unread.Newest))
	if len(r.knows) > 0 {
		unread = only(unread, fresh(unread, r.knows))
	}
	o.text, o.notice = r.text(unread, own), r.notice(unread.Count(), own)
}
