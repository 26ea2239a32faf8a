package operators

import (
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/git"

	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/settings"
)

// An Identity is an operator, "" if unknown, with the source that names it.
type Identity struct {
	Operator string `json:"operator"`
	Source   string `json:"source,omitempty"`
}

// IdentityOf returns the identity from the settings of the project, of this clone and of the user. here is that of
// this clone, or "". git runs only if environment and user's configuration name no operator, and the file has an
// email.
func IdentityOf(root, here string, s settings.Settings, u settings.User, listed func() (*List, error),
	now time.Time) Identity {
	switch {
	case s.Operator.Source == settings.Environment:
		return Identity{s.Operator.Value, "HANDOFF_OPERATOR"}
	case here != "":
		return Identity{here, "handoff init has set it for this clone"}
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
	return ofGit(root)
}

// ofGit returns the identity from git's configuration.
func ofGit(root string) Identity {
	email := git.Config(root, "user.email")
	local, _, _ := strings.Cut(email, "@")
	if name := form.Topic(local, document.MaxName); name != "" {
		return Identity{name, "git config user.email is " + email}
	}
	whole := git.Config(root, "user.name")
	if names := strings.Fields(whole); len(names) > 0 {
		if name := form.Topic(names[0], document.MaxName); name != "" {
			return Identity{name, "git config user.name is " + whole}
		}
	}
	return Identity{}
}
