package cli

import (
	"cmp"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/lib/agent"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// OperatorFlag adds the flag that says for whom a command acts.
func (a *App) OperatorFlag(cmd *cobra.Command, operator *string) {
	a.asked = operator
	cmd.Flags().StringVar(operator, "operator", "", "for whom it is (`operator`; default you, as `handoff whoami` says)")
}

// SessionFlag adds the flag that says for which session of an agent a command acts.
func (a *App) SessionFlag(cmd *cobra.Command, session *string) {
	cmd.Flags().StringVar(session, "session", "", "for this `session` of an agent alone (default that of the agent whose shell this is)")
}

// Session returns the session for which a command acts: the one that is named, else that of the agent that runs it.
func (a *App) Session(named string) string { return cmp.Or(named, agent.SessionOf(a.Getenv)) }

// Acting returns for whom a command acts: who is named, else who runs it. A name that is probably a slip is noted.
// Where nobody is known, the handoffs with which it acts are looked for first: what is wrong with the input comes before
// what is to be set up.
func (a *App) Acting(p handoff.Project, s *handoff.Store, named string, handoffs ...string) (string, error) {
	operator := cmp.Or(named, p.Me())
	if operator == "" {
		if _, err := WholeIDs(s, handoffs); err != nil {
			return "", err
		}
		return "", Nobody("it is not known for whom this is", "--operator")
	}
	a.NoteSlips(s, operator)
	return operator, nil
}

// NoteSlips notes which of the names are probably slips.
func (a *App) NoteSlips(s *handoff.Store, names ...string) {
	for _, name := range names {
		if name == "" {
			continue
		}
		if why, sure := s.Registry().Stranger(name); sure {
			a.Note(why)
		}
	}
}

// Nobody is the error where it is not known for whom a command is; flag, "" for none, says it.
func Nobody(problem, flag string) error {
	first := "set"
	if flag != "" {
		first = "use " + flag + " NAME, set"
	}
	return Invalid(first+" HANDOFF_OPERATOR, or run `handoff init`, which asks who you are", "%s", fault.Own(problem))
}
