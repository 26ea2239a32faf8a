// Package identity says for whom the program runs where the command line does not, by one rule for
// every command: HANDOFF_OPERATOR; operator in the user's configuration;
// the operator whose git_email is git's user.email; operator in .handoff.yaml, last, since a clone
// carries it.
package identity

import (
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/git"
	"github.com/seed-78daf238/handoff/lib/internal/operators"
	"github.com/seed-78daf238/handoff/lib/internal/settings"
)

// An Identity is an operator, "" if nobody is known, and what says so.
type Identity struct {
	Operator string `json:"operator"`
	Source   string `json:"source,omitempty"`
}

// Of returns the identity that the settings of a project and of the user give. git is run only where
// neither the environment nor the user's configuration names somebody, and somebody is listed.
func Of(root string, s settings.Settings, u settings.User, listed func() (*operators.List, error), now time.Time) Identity {
	switch {
	case s.Operator.Source == settings.Environment:
		return Identity{s.Operator.Value, "HANDOFF_OPERATOR"}
	case u.Operator.Value != "":
		return Identity{u.Operator.Value, "operator in " + u.File()}
	}
	if list, err := listed(); err == nil && list != nil && list.HasEmails() {
		email := git.Config(root, "user.email")
		if id, ok := list.ByEmail(email, now); ok {
			return Identity{id, "git config user.email is " + email + ", as the operators file has it"}
		}
	}
	if s.Operator.Value != "" {
		return Identity{s.Operator.Value, "operator in " + settings.Name}
	}
	return Identity{}
}
