package agent

import (
	"fmt"
	"io"
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
	Agent  string // one of Names
	To     string // the operator; "" asks settings, then OPERATORS.md and git
	Bodies bool   // print bodies too, framed; never where the model would take them for a message of its system or developer

	Cwd            string // where the project is, unless standard input says otherwise
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Getenv         func(string) string
	Flags          handoff.ProjectFlags
	Options        func(*handoff.Options) // edits what the project says; nil changes nothing

	agent Agent // the row of the name
}

// SessionStart prints what a starting session should know, or nothing. It returns within little more than
// a second. The same unread handoffs give the same bytes, but for the frames of bodies. What goes wrong
// is at most one line on Stderr.
func SessionStart(s Session) {
	var known bool
	if s.agent, known = find(s.Agent); !known {
		fmt.Fprintln(s.Stderr, "handoff: "+unknown(s.Agent))
		return
	}
	until := time.Now().Add(deadline)
	late := time.After(deadline + 100*time.Millisecond)
	found, printed, recorded := make(chan outcome, 1), make(chan bool, 1), make(chan struct{})
	go func() {
		defer close(recorded)
		defer func() { _ = recover() }() // what was printed stands, recorded or not
		o := s.look(until)
		found <- o
		if <-printed && len(o.offer.IDs) > 0 {
			o.store.Offer(o.offer)
		}
	}()
	select {
	case o := <-found:
		if o.err != nil {
			fmt.Fprintln(s.Stderr, "handoff: "+handoff.EscapeLine(o.err.Error()))
		}
		printed <- s.print(o.text)
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
	text  string
	err   error
	store *handoff.Store
	offer handoff.Offer
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
func (s Session) print(text string) bool {
	if text == "" {
		return false
	}
	var err error
	if wrap := s.agent.envelope.wrap; wrap == nil {
		_, err = io.WriteString(s.Stdout, text)
	} else {
		if text, err = render.JSON(wrap(text), ""); err == nil {
			_, err = io.WriteString(s.Stdout, text)
		}
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
	if o.store, err = handoff.Open(p.Options); err != nil {
		return err
	}
	operator := s.To
	if operator == "" {
		operator = p.Me()
	}
	entries, err := o.store.UnreadQuickly(operator, p.Settings.SurfaceMaxAgeDays.Value)
	if err != nil {
		return err
	}
	drafts := recovered(o.store.CountDrafts(s.Agent, in.session()))
	if len(entries) == 0 {
		o.text = drafts
		return nil
	}
	if operator == "" {
		o.text = fmt.Sprintf("%s in %s. To whom this session belongs is not known: "+
			"--to OPERATOR, HANDOFF_OPERATOR, or operator in .handoff.yaml says who you are.\n", count(len(entries), "unread handoff"), handoff.EscapeLine(o.store.Dir())) + drafts
		return nil
	}
	r := report{store: o.store, operator: operator, bodies: s.Bodies && !s.agent.speaks, maxChars: p.Settings.SurfaceMaxChars.Value, until: until}
	o.text, o.offer.IDs = r.text(entries, drafts)
	o.offer.Session, o.offer.Agent, o.offer.Operator = in.session(), s.Agent, operator
	return nil
}

// A report is the text about the unread handoffs of one operator.
type report struct {
	store    *handoff.Store
	operator string
	bodies   bool
	maxChars int
	until    time.Time
}

// text says how many there are, then each as far as there is room and time, and returns the ids of those.
// What does not verify is counted, not shown.
func (r report) text(entries []handoff.Entry, drafts string) (text string, told []string) {
	out := render.NewBudget(maxOutput)
	out.Add(fmt.Sprintf("%s for %s in %s. `handoff read ID --agent` prints one, `handoff mark-read ID %s` marks it as read. "+
		"Each line below is its id, sender, topic and time.\n", count(len(entries), "unread handoff"), r.operator, handoff.EscapeLine(r.store.Dir()), r.operator))
	out.Add(drafts)
	withheld, left := 0, len(entries)
	err := r.store.LoadEach(entries, func(got handoff.Stored, err error) bool {
		var block string
		if err == nil {
			block, err = r.entry(got)
		}
		switch {
		case err != nil:
			withheld++
		case out.Add(block):
			told = append(told, got.Entry.ID)
		default:
			return false
		}
		left--
		return time.Now().Before(r.until)
	})
	if err != nil {
		left = len(entries)
	}
	if withheld > 0 {
		out.Add(count(withheld, "handoff") + " withheld: the content is not what was written; `handoff verify` names the place.\n")
	}
	out.Omit(left)
	return out.String(), told
}

// entry is one line about a handoff, and its framed body if that is wanted.
func (r report) entry(got handoff.Stored) (string, error) {
	e := got.Entry
	line, err := render.JSONLine(strings.Join([]string{e.ID, e.From, e.Topic, e.Time}, " "))
	if err != nil || !r.bodies {
		return line + "\n", err
	}
	framed, _, err := handoff.Framed(got, r.maxChars, false)
	return line + "\n" + framed, err
}

// recovered is the line about the drafts of other sessions.
func recovered(n int) string {
	if n == 0 {
		return ""
	}
	return count(n, "recovered draft") + " of earlier sessions: `handoff draft list` lists them, `handoff draft show ID --agent` prints one, " +
		"`handoff draft publish ID` hands one over, `handoff draft discard ID` removes one.\n"
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
