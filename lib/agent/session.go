package agent

import (
	"cmp"
	"fmt"
	"io"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"

	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/roomystack"
)

const (
	deadline  = time.Second            // Session.Patience of who says nothing of it
	stdinWait = 300 * time.Millisecond // for the agent to say where the session is
	maxStdin  = 1 << 20
)

// A Session is one start of a session of an agent.
type Session struct {
	Agent string // one of Names
	To    string // the operator; "" asks settings, then OPERATORS.md and git
	// print bodies too, framed; never where the model would take them for a message of its system or developer
	Bodies bool

	Parent         int    // the process that runs the session, for SaveDraft
	Cwd            string // where the project is, unless standard input says otherwise
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Getenv         func(string) string
	Flags          handoff.ProjectFlags
	Patience       time.Duration          // after which what there is is printed; 0 is a second
	Options        func(*handoff.Options) // edits what the project says; nil changes nothing
	Gather         func(*handoff.Project) // takes over what the main work tree has got: exchange.Gather; nil does not

	agent Agent // the row of the name
}

// SessionStart prints what a starting session should know, or nothing. It returns within little more than
// its patience. The same unread handoffs give the same bytes, but for the frames of bodies. What goes wrong
// is at most one line on Stderr.
func SessionStart(s Session) {
	var err error
	if s.agent, err = running(s.Agent, s.Getenv); err != nil {
		fmt.Fprintln(s.Stderr, "handoff: "+err.Error())
		return
	}
	s.Agent = s.agent.Name
	wait := cmp.Or(s.Patience, deadline)
	until := time.Now().Add(wait)
	late := time.After(wait + 100*time.Millisecond)
	found, printed, recorded := make(chan outcome, 1), make(chan bool, 1), make(chan struct{})
	go func() {
		roomystack.Grow()
		defer close(recorded)
		defer func() { _ = recover() }() // what was printed stands, recorded or not
		o := s.look(until)
		found <- o
		if (<-printed || o.silent) && len(o.offer.IDs) > 0 {
			o.store.Sessions().Offer(o.offer)
		}
	}()
	select {
	case o := <-found:
		if o.err != nil {
			fmt.Fprintln(s.Stderr, "handoff: "+handoff.EscapeLine(fault.Plain(o.err)))
		}
		printed <- s.print(o)
	case <-late:
		fmt.Fprintln(s.Stderr, "handoff: the handoffs could not be read in time")
		return
	}
	select {
	case <-recorded:
	case <-late:
	}
}

// An outcome is what there is to say, and what a session that was told it was offered.
type outcome struct {
	text   string
	notice string // for the person at the terminal
	err    error
	store  *handoff.Store
	offer  handoff.Offer

	silent bool // the session knows it all
}

// look returns what there is to say, also if a bug stands in the way.
func (s Session) look(until time.Time) (o outcome) {
	defer func() {
		if bug := recover(); bug != nil {
			o = outcome{err: fmt.Errorf("internal error: %v", bug)}
		}
	}()
	o.err = s.text(until, &o)
	return o
}

// print reports whether the session was told anything.
func (s Session) print(o outcome) bool {
	if o.text == "" {
		return false
	}
	text, err := o.text, error(nil)
	if s.agent.is("envelope") {
		text, err = form.JSON(s.agent.wrap(o.text, o.notice), "")
	}
	if err == nil {
		_, err = io.WriteString(s.Stdout, text)
	}
	return err == nil // else nobody is left to tell
}

// text finds what there is to say.
func (s Session) text(until time.Time, o *outcome) error {
	in := input{}
	if s.Agent != "plain" {
		in = readInput(s.Stdin)
	}
	p, err := handoff.LoadProject(in.cwd(s.Cwd), s.Getenv, s.Flags)
	if err != nil || !p.Settings.HookEnabled.Value {
		return err
	}
	if s.Options != nil {
		s.Options(&p.Options)
	}
	if p.Beside != nil && p.Beside.Begun && s.Gather != nil {
		s.Gather(&p)
	}
	r := report{operator: s.To, bodies: s.Bodies && !s.agent.is("speaks"),
		maxChars: p.Settings.SurfaceMaxChars.Value, until: until}
	p.Options.Lost = func(err error) { r.lost = err }
	if r.store, err = handoff.Open(p.Options); err != nil {
		return err
	}
	if r.operator == "" {
		r.operator = p.Me()
	}
	unread, err := r.store.Waiting(r.operator, p.Settings.SurfaceMaxAgeDays.Value)
	if err != nil {
		return err
	}
	r.drafts = r.store.Sessions().CountDrafts(s.Agent, in.session())
	o.store = r.store
	o.text, o.offer.IDs = r.text(unread)
	o.notice = r.notice(unread.Count())
	o.offer.Session, o.offer.Agent, o.offer.Operator = in.session(), s.Agent, r.operator
	if s.agent.is("keeps") && r.lost == nil && in.knows(o.store, o.offer) {
		o.text, o.silent = "", true
	}
	if s.To != "" && unread.Stranger != "" {
		return fault.New(nil, "", "%s", fault.Own(unread.Stranger))
	}
	if s.Bodies && s.agent.is("speaks") {
		return fault.New(nil, "",
			"no bodies are shown: %s takes the text for a message of its system or developer", fault.Own(s.agent.Title))
	}
	return nil
}
