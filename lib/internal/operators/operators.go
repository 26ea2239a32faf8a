package operators

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// A State is the result of verifying an operator, as the audit log records it.
type State string

// The states. Verify returns Verified, Unverified or Unknown. Disabled means that the project does not verify
// operators, BootstrapPending that it has no operators file yet.
const (
	Disabled         State = "disabled"
	Verified         State = "verified"
	Unverified       State = "unverified"
	Unknown          State = "unknown"
	BootstrapPending State = "bootstrap-pending"
)

// A Status is the result of Verify.
type Status struct {
	State  State  `json:"state"`
	Reason string `json:"reason,omitempty"` // why the operator is not verified, "" if it is
	Advice string `json:"-"`                // how that changes, "" if it is verified
}

// An Operator is an entry of the file. Times are as written.
type Operator struct {
	ID           string   `json:"operator"`
	DisplayName  string   `json:"display_name,omitempty"`
	GitHubHandle string   `json:"github_handle,omitempty"`
	GitEmail     string   `json:"git_email,omitempty"`
	Capabilities []string `json:"capabilities"`
	ActiveSince  string   `json:"active_since"`
	ActiveUntil  string   `json:"active_until,omitempty"` // "" means no end
	SSHKeys      []SSHKey `json:"ssh_keys,omitempty"`
	Require      string   `json:"require_signature,omitempty"` // RequireRefuse or ""
}

// An SSHKey is a key that an operator signs with.
type SSHKey struct {
	Key string `json:"key"`
}

// RequireRefuse is the value of require_signature, besides none, that refuses unsigned handoffs of the operator.
const RequireRefuse = "refuse"

// Authors returns the operators with their keys.
func (l *List) Authors() []Author {
	all := make([]Author, len(l.operators))
	for i, o := range l.operators {
		all[i] = Author{Name: o.ID, Email: o.GitEmail, Keys: []Key{}}
		for _, k := range o.SSHKeys {
			key, _ := ParseKey(k.Key) // its form was checked
			all[i].Keys = append(all[i].Keys, key)
		}
	}
	return all
}

// MustSign reports whether require_signature refuses unsigned handoffs of an operator.
func (l *List) MustSign(id string) bool {
	o, _ := l.of(id)
	return o.Require == RequireRefuse
}

// of returns the entry of an operator, and whether there is one.
func (l *List) of(id string) (Operator, bool) {
	i := slices.IndexFunc(l.operators, func(o Operator) bool { return o.ID == id })
	if i < 0 {
		return Operator{}, false
	}
	return l.operators[i], true
}

// Can reports whether an operator that is active at now has a capability.
func (l *List) Can(id, capability string, now time.Time) bool {
	return l.IsCapable(id, capability) && l.Verify(id, now).State == Verified
}

// IsCapable reports whether an operator has a capability, active or not.
func (l *List) IsCapable(id, capability string) bool {
	o, _ := l.of(id)
	return slices.Contains(o.Capabilities, capability)
}

// Offboarded reports whether active_until of the operator has passed. A date passes at the end of its day in UTC.
func (o Operator) Offboarded(now time.Time) bool {
	_, until, ok := span(o.ActiveUntil)
	return ok && now.After(until)
}

// A List is a valid operators file.
type List struct {
	operators []Operator
	teams     []Team
}

// All returns a copy of the entries in the order of the file.
func (l *List) All() []Operator {
	list := slices.Clone(l.operators)
	for i := range list {
		list[i].Capabilities, list[i].SSHKeys = slices.Clone(list[i].Capabilities), slices.Clone(list[i].SSHKeys)
	}
	return list
}

// Verify returns Verified for an operator in the file that is active at now. It returns Unknown for an operator that is
// not in the file, otherwise Unverified.
func (l *List) Verify(id string, now time.Time) Status {
	o, known := l.of(id)
	if _, isTeam := l.Team(id); isTeam {
		return Status{Unknown, fmt.Sprintf("%q is a team, not an operator; give it with --to", id),
			"name one of its operators"}
	}
	if !known {
		return Status{Unknown, fmt.Sprintf("%q is not in the operators file%s", id, l.suggestion(id)),
			"run `handoff operators add " + id + "`"}
	}
	if !o.Offboarded(now) {
		return Status{State: Verified}
	}
	return Status{Unverified, fmt.Sprintf("%q is offboarded: active_until is %s", id, o.ActiveUntil),
		"correct the entry of " + id + " in OPERATORS.md"}
}

// VerifyRecipient is like Verify for an operator that is only addressed. document.Next is always verified.
func (l *List) VerifyRecipient(id string, now time.Time) Status {
	if id == document.Next {
		return Status{State: Verified}
	}
	return l.Verify(id, now)
}

// Active returns the ids of the operators that have not left.
func (l *List) Active(now time.Time) (ids []string) {
	for _, o := range l.operators {
		if !o.Offboarded(now) {
			ids = append(ids, o.ID)
		}
	}
	return ids
}

// Has reports whether the file lists an operator.
func (l *List) Has(id string) bool {
	_, known := l.of(id)
	return known
}

// suggestion returns a question about the operator with the most similar id, "" if there is none.
func (l *List) suggestion(id string) string {
	ids := make([]string, len(l.operators))
	for i, o := range l.operators {
		ids[i] = o.ID
	}
	if near := form.Nearest(id, ids); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}

// HasEmails reports whether an entry has a git_email.
func (l *List) HasEmails() bool {
	return slices.ContainsFunc(l.operators, func(o Operator) bool { return o.GitEmail != "" })
}

// ByEmail returns the id of the only active operator with a git_email, ignoring case. ok is false if there is none,
// or more than one.
func (l *List) ByEmail(email string, now time.Time) (id string, ok bool) {
	for _, o := range l.operators {
		if email == "" || !strings.EqualFold(o.GitEmail, email) || o.Offboarded(now) {
			continue
		}
		if ok {
			return "", false
		}
		id, ok = o.ID, true
	}
	return id, ok
}
