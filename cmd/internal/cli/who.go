package cli

import (
	"cmp"
	"slices"

	"github.com/spf13/pflag"

	"github.com/seed-78daf238/handoff/lib/agent"
	"github.com/seed-78daf238/handoff/lib/fault"
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

// SessionID returns the session that a command acts for: the given one, otherwise that of the agent that runs it.
func (a *App) SessionID() string { return cmp.Or(a.Session.Session, agent.SessionOf(a.Getenv)) }

// Acting returns the operator that a command acts for: named, otherwise the user. It notes a name that is probably
// mistyped. At a terminal it asks before a command acts on handoffs. If the operator is unknown, an error about the
// handoffs comes first: the user fixes the input before the setup.
func (a *App) Acting(p handoff.Project, s *handoff.Store, named string, handoffs ...string) (string, error) {
	operator := p.MeOr(named)
	if operator == "" {
		operator = a.askWho(s)
	}
	if operator == "" {
		_, err := s.FindEach(handoffs)
		return "", cmp.Or(err, UnknownOperator())
	}
	if named != "" && len(handoffs) > 0 && a.CanAsk() {
		return operator, a.AskName(s, named)
	}
	a.NoteSlips(s, operator)
	return operator, nil
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

// Taken returns the id of the only handoff that an operator has taken: what @ means to commands that end or answer one.
// If a session is given, it is the only one that this session has taken.
func (a *App) Taken(s *handoff.Store, operator, session string) (string, error) {
	if operator == "" {
		return "", UnknownOperator()
	}
	who, all := operator, s.Lifecycle().Holdings(operator)
	if session != "" {
		who = "session " + session + " of " + operator
		all = slices.DeleteFunc(all, func(h handoff.Holding) bool {
			return h.Take.Session != session
		})
	}
	var taken []string
	for _, h := range all {
		about := h.Entry.Topic
		if a.ForPeople() { // a title can be made to influence agents
			about = s.ListedOne(h.Entry).Title
		}
		taken = append(taken, Short(h.Entry.ID, Shortest)+" "+about)
	}
	switch len(all) {
	case 0:
		return "", Invalid("name the handoff; `handoff next --take` takes one",
			"@ is the handoff that you have taken, but %s has taken none", fault.Own(who))
	case 1:
		return all[0].Entry.ID, nil
	}
	return "", Invalid("name one of them", "@ is the handoff that you have taken, but %s has taken %d: %s",
		fault.Own(who), len(all), fault.Some(taken))
}
