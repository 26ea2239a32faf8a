package operators

import (
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// An Identity is an operator, "" if unknown, with the source that names it.
type Identity struct {
	Operator string `json:"operator"`
	Source   string `json:"source,omitempty"`
}

// IdentityOf returns the operator that the program runs for, if environment, clone and user name none: the one whose
// git_email is that of git, else project, of .handoff.yaml, else a name that git's configuration suggests. list returns
// the operators file, nil if there is none, and config a value of git's configuration.
func IdentityOf(list func() (*List, error), project Identity, config func(key string) string,
	now time.Time) Identity {
	if listed, err := list(); err == nil && listed != nil {
		email := config("user.email")
		if id, ok := listed.ByEmail(email, now); ok {
			return Identity{id, "git config user.email is " + email + ", as the operators file has it"}
		}
	}
	if project.Operator != "" {
		return project
	}
	for _, known := range [][2]string{{"user.email", "@"}, {"user.name", " "}} {
		value := config(known[0])
		first, _, _ := strings.Cut(value, known[1])
		if name := form.Topic(first, document.MaxName); name != "" {
			return Identity{name, "git config " + known[0] + " is " + value}
		}
	}
	return Identity{}
}
