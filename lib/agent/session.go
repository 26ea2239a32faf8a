package agent

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/seed-78daf238/handoff/lib/agent/heard"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"

	"github.com/seed-78daf238/handoff/lib/internal/form"
)

const (
	deadline   = time.Second // the default of Session.Patience
	reportWait = time.Second // the wait for the report about a session
	maxReport  = 16 << 20
)

// A Session describes one start of an agent's session.
type Session struct {
	Agent string // one of Names
	To    string // the operator; "": by the settings, else OPERATORS.md and git
	// Bodies also prints bodies, framed. It has no effect if the model takes the text for a system or developer
	// message.
	Bodies bool

	Parent int // the process that runs the session, for SaveDraft
	// Work returns the reference that records the checked-out commit, "" if unknown, for SaveDraft. It can be nil.
	Work           func(handoff.Project) string
	Cwd            string // the directory of the project, unless standard input names one
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Getenv         func(string) string
	Flags          handoff.ProjectFlags
	Patience       time.Duration          // the time limit: after it the output so far is printed; 0 is a second
	Options        func(*handoff.Options) // edits the project's options; nil changes nothing
	Sync           func(handoff.Project)  // starts a sync in the background once the report is printed; can be nil

	agent Agent  // the row of the name
	given string // the name; the agent may run the hook of another
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
	s.given, s.Agent = s.Agent, s.agent.Name
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
	told := s.print(start, o)
	within(time.Until(late), func() error { // the output counts, recorded or not
		if told && len(o.offer.IDs) > 0 {
			o.store.Sessions().Offer(o.offer)
		}
		o.remember()
		if s.Sync != nil && o.store != nil {
			s.Sync(o.project)
		}
		return nil
	})
}

// An outcome is the report for a session, and the offer to record once it is printed.
type outcome struct {
	text   string
	notice string // for the person at the terminal
	store  *handoff.Store
	offer  handoff.Offer

	ids   []string // what the text names or counts
	known []string // what the session knows of once it has the text

	project handoff.Project
	memory  memory // for the hooks that run while the session does
}

// remember notes what the session knows of. Later hooks announce only what arrives then.
func (o outcome) remember() {
	m := o.memory
	if d := lock(&m); o.store != nil && d != nil {
		defer d.Close()
		m.Cwd, m.Files = o.memory.Cwd, o.memory.Files
		m.Renew, _ = o.store.Sessions().Renew(context.Background(), o.offer.Operator, o.offer.Session)
		m.Learn(o.known)
		_ = m.Save() // without it, the next hook looks again
	}
}

// print prints the outcome and reports whether the session got it.
func (s Session) print(e Event, o outcome) bool {
	if o.text == "" {
		return false
	}
	text, err := o.text, error(nil)
	if s.agent.has("envelope") {
		text, err = form.JSON(s.agent.wrap(e, o), "")
	}
	if err == nil {
		_, err = io.WriteString(s.Stdout, text)
	}
	return err == nil // on an error nobody reads the report
}

// open loads the project of a session and opens its store.
func (s Session) open(cwd string) (handoff.Project, *report, error) {
	p, err := handoff.LoadProject(cwd, s.Getenv, s.Flags)
	if err != nil {
		return p, nil, err
	}
	if s.Options != nil {
		s.Options(&p.Options)
	}
	isSystem := s.agent.has("speaks")
	r := &report{operator: s.To, isSystem: isSystem, bodies: s.Bodies && !isSystem,
		maxChars: p.Settings.SurfaceMaxChars.Value}
	p.Options.Lost = func(err error) { r.lost = err }
	opened, err := handoff.Open(p.Options)
	if err != nil {
		return p, nil, err
	}
	r.store = opened.Glance()
	if r.operator == "" {
		r.operator = p.Me()
	}
	return p, r, nil
}

// tell sets the texts of the report, and what the session knows of then. A session that knew something before is told
// only what is new to it.
func (o *outcome) tell(r *report, unread handoff.Inbox, knows map[string]bool) {
	own := r.own()
	o.known = slices.Concat(own.held, idsOf(unread.Newest))
	if len(knows) > 0 {
		r.knows = knows
		own, unread = r.own(), only(unread, fresh(unread, knows))
	}
	o.ids = slices.Concat(own.held, idsOf(unread.Newest[max(0, len(unread.Newest)-maxFresh):]))
	o.text, o.offer.IDs = r.text(unread, own)
	o.notice = r.notice(unread.Count(), own)
}

// text makes the report.
func (s Session) text(until time.Time, o *outcome) error {
	in := input{}
	if s.Agent != "plain" {
		in.Input = heard.ReadInput(s.Stdin, heard.Wait, heard.MaxInput, true)
	}
	if s.agent.drops(in.Source) { // a printed report would count as told
		return nil
	}
	p, r, err := s.open(in.Directory(s.Cwd))
	if info, statErr := os.Stat(in.Directory(s.Cwd)); err != nil && in.Cwd != "" && (statErr != nil || !info.IsDir()) {
		return fault.Config("", "the directory that the agent names as cwd cannot be used")
	}
	if err != nil || r == nil {
		return err
	}
	r.until = until
	o.memory = s.remember(s.given, in.Session())
	o.memory.Stamp(in.Directory(s.Cwd), arrivals(p))
	unread, err := r.store.Waiting(r.operator, p.Settings.SurfaceMaxAgeDays.Value)
	if err != nil {
		return err
	}
	r.session = in.Session()
	r.left, r.drafts = r.store.Sessions().CountDrafts(s.Agent, in.Session())
	o.store, o.project = r.store, p
	o.tell(r, unread, s.known(in, r))
	o.offer.Session, o.offer.Agent, o.offer.Operator = in.Session(), s.Agent, r.operator
	if s.To != "" && unread.WhyUnknown != "" {
		return fault.New(nil, "", "%s", fault.Own(unread.WhyUnknown))
	}
	if s.Bodies && s.agent.has("speaks") {
		return fault.New(nil, "",
			"no bodies are shown: %s takes the text for a message of its system or developer", fault.Own(s.agent.Title))
	}
	return nil
}
