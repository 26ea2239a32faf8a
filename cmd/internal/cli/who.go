package cli

import (
	"cmp"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/seed-78daf238/handoff/lib/agent"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// Who holds the operator that a command acts for, as --operator names it.
type Who struct{ Operator string }

// Session holds the agent session that a command acts for.
type Session struct {
	Session string
	Offline bool // the remote is not asked
}

// Declare adds the flags.
func (s *Session) Declare(flags *pflag.FlagSet) {
	flags.StringVar(&s.Session, "session", "", "act for this agent `session` (default: the current one)")
	flags.BoolVar(&s.Offline, "offline", false, "do not ask the remote; the next sync says whether it counts")
}

// SessionID returns the session that a command acts for: the given one, otherwise that of the agent that runs it. If a
// person's shell has variables of an agent, it notes once that they can be unset.
func (a *App) SessionID() string {
	if a.Session.Session != "" {
		return a.Session.Session
	}
	self := a.Identity()
	if self.MustTell(a.Getenv) {
		a.Note(self.Leak)
	}
	return self.Session
}

// Identity returns for whom the command runs. It looks once.
func (a *App) Identity() agent.Identity {
	if a.self == nil {
		self := agent.Identify(agent.Caller{Getenv: a.Getenv, Parent: os.Getppid()})
		a.self = &self
	}
	return *a.self
}

// Acting returns the operator that a command acts for: named, otherwise the user. It notes a name that is probably
// mistyped. At a terminal it asks before a command acts on handoffs, which are nil if it only reads. If the operator is
// unknown, an error about the handoffs comes first: the user fixes the input before the setup.
func (a *App) Acting(p handoff.Project, s *handoff.Store, named string, handoffs ...string) (string, error) {
	operator := p.MeOr(named)
	if operator == "" {
		operator = a.askWho(s)
	}
	if operator == "" {
		_, err := s.FindEach(handoffs)
		return "", cmp.Or(err, UnknownOperator())
	}
	if named != "" && handoffs != nil {
		if err := a.CheckName(s, named, "Act as "+named+"?"); err != nil || a.CanAsk() {
			return operator, err
		}
	}
	a.NoteSlips(s, operator)
	return operator, nil
}

// CheckName returns an error if a name that the user gave is probably another one. A name that differs in case alone,
// or means several people, is refused. On a terminal, a new name that is similar to a known one is asked about with a
// question.
func (a *App) CheckName(s *handoff.Store, name, question string) error {
	near, err := s.Registry().Meant(name)
	if name == "" || err != nil || near == "" || a.Quiet || !a.CanAsk() {
		return err // a note comes with the receipt
	}
	if !a.Confirm(name + " is new here; did you mean " + near + "? " + question) {
		return Invalid("use "+near, "%s is new here; nothing was done", name)
	}
	s.Registry().Confirm(name)
	return nil
}

// askWho asks a person at a terminal for a name, and keeps it for this clone. It returns "" without one.
func (a *App) askWho(s *handoff.Store) string {
	if !a.CanAsk() || a.Quiet {
		return ""
	}
	name, err := a.Ask("Who are you? A short name, as others write it in --to: ")
	if err != nil || handoff.CheckOperator(name) != nil || s.Registry().SetOperator(name) != nil {
		return ""
	}
	return name
}

// NoteSlips notes names that are probably mistyped.
func (a *App) NoteSlips(s *handoff.Store, names ...string) {
	for _, name := range names {
		if name == "" {
			continue
		}
		if why, sure := s.Registry().WhyUnknown(name); sure {
			a.Note(why)
		}
	}
}

// UnknownOperator returns the error if the operator is unknown.
func UnknownOperator() error {
	return Invalid("run `handoff init --operator NAME`, or set HANDOFF_OPERATOR", "I don't know who you are")
}

// Taken returns the id of the handoff that @ means to commands that end or answer one: the only one that an operator
// and session hold, otherwise the one that they have read here last.
func (a *App) Taken(s *handoff.Store, operator, session string) (string, error) {
	if operator == "" {
		return "", UnknownOperator()
	}
	held := a.Held(s, operator, session)
	if len(held) == 1 {
		return held[0].ID, nil
	}
	if len(held) == 0 {
		return a.ReadLast(s, operator)
	}
	return "", Invalid("name one of them", "@: you hold %d: %s", len(held), strings.Join(a.Names(s, held), ", "))
}

// ReadLast returns the id of the handoff that was read here last.
func (a *App) ReadLast(s *handoff.Store, operator string) (string, error) {
	if last, ok := s.Seen().Last(); ok {
		return last.ID, nil
	}
	waiting, err := s.List(handoff.Filter{To: operator, Unread: true})
	if err != nil {
		return "", err
	}
	if len(waiting) == 0 {
		return "", Invalid("name the handoff; `handoff list` shows them", "@: you have read nothing here")
	}
	return "", Invalid("name one of them, or run `handoff read @` first", "@: you have read nothing here; unread: %s",
		strings.Join(a.Names(s, waiting), ", "))
}

// Held returns what an operator holds in a session, the oldest take first.
func (a *App) Held(s *handoff.Store, operator, session string) (held []handoff.Entry) {
	for _, h := range s.Lifecycle().Holdings(operator) {
		if h.Take.Session == session {
			held = append(held, h.Entry)
		}
	}
	return held
}

// Names returns the short ids of handoffs, for people with the titles: agents could take a title for an instruction.
// Of many, the newest are named and the others counted.
func (a *App) Names(s *handoff.Store, entries []handoff.Entry) (names []string) {
	const most = 5
	for _, e := range entries[max(0, len(entries)-most):] {
		names = append(names, strings.TrimSpace(Short(e.ID, Shortest)+" "+a.TitleOf(s, e.ID)))
	}
	if more := len(entries) - most; more > 0 {
		names = append(names, fmt.Sprint(more, " more"))
	}
	return names
}

// NoteNewer names the handoff that @ stood for, and what came in after it and was not shown. did is what was done.
func (a *App) NoteNewer(s *handoff.Store, operator, did, id string) {
	e, err := s.Find(id)
	if err != nil {
		return
	}
	seen := s.Seen()
	if newer := seen.Newer(operator, e); len(newer) > 0 {
		names := a.Names(s, []handoff.Entry{e})
		a.Note(did + " " + names[0] + "; newer: " + strings.Join(a.Names(s, newer), ", "))
		for _, e := range newer {
			seen.Add(e.ID)
		}
	}
}
