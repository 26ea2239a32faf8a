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
	email, words := config("user.email"), strings.Fields(config("user.name"))
	if name := personal(mailbox(email)); name != "" {
		return Identity{name, "git config user.email is " + email}
	} else if len(words) > 0 && personal(words[0]) != "" {
		return Identity{personal(words[0]), "git config user.name is " + strings.Join(words, " ")}
	}
	return Identity{}
}

// mailbox returns the name in an address: what is before "@", without a part after "+". In the addresses that hosts
// give to people who hide theirs (123+ann@users.noreply.github.com), it is the part after "+".
func mailbox(email string) string {
	local, host, _ := strings.Cut(email, "@")
	name, extra, has := strings.Cut(local, "+")
	if has && strings.HasPrefix(host, "users.noreply.") {
		return extra
	}
	return name
}

// personal returns the operator name for a word, "" for a name that many people have.
func personal(word string) string {
	name := form.Topic(word, document.MaxName)
	switch name {
	case "info", "admin", "home", "root", "mail", "office", "team", "support", "noreply", "no-reply":
		return ""
	}
	return name
}
