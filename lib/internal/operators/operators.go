package operators

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/form"
	strict "github.com/seed-78daf238/handoff/lib/internal/json"
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
	ID           string   `json:"operator,omitempty"`
	DisplayName  string   `json:"display_name,omitempty"`
	GitHubHandle string   `json:"github_handle,omitempty"`
	GitEmail     string   `json:"git_email,omitempty"`
	Capabilities []string `json:"capabilities"`
	ActiveSince  string   `json:"active_since,omitempty"`
	ActiveUntil  string   `json:"active_until,omitempty"` // "" means no end
	SSHKeys      []SSHKey `json:"ssh_keys,omitempty"`
	Require      string   `json:"require_signature,omitempty"` // RequireRefuse, none or ""
}

// An SSHKey is a key that an operator signs with.
type SSHKey struct {
	Key string `json:"key"`
}

// RequireRefuse is the value of require_signature, besides none, that refuses unsigned handoffs of the operator.
const RequireRefuse = "refuse"

// Offboarded reports whether active_until of the operator has passed. A date passes at the end of its day in UTC.
func (o Operator) Offboarded(now time.Time) bool {
	if o.ActiveUntil == "" {
		return false
	}
	_, until, ok := span(o.ActiveUntil)
	return ok && now.After(until)
}

// A List is a valid operators file. A nil List has no operators.
type List struct {
	operators []Operator
	teams     map[string][]string
	byID      map[string]Operator
}

func newList(all []Operator, teams map[string][]string) *List {
	l := &List{all, teams, map[string]Operator{}}
	for _, o := range all {
		l.byID[o.ID] = o
	}
	return l
}

// Of returns the entry of an operator, and whether there is one. It must not be changed.
func (l *List) Of(id string) (o Operator, has bool) {
	if l != nil {
		o, has = l.byID[id]
	}
	return o, has
}

// All returns the entries in the order of the file. They must not be changed.
func (l *List) All() []Operator {
	if l == nil {
		return nil
	}
	return slices.Clone(l.operators)
}

// Has reports whether the file lists an operator.
func (l *List) Has(id string) bool {
	_, has := l.Of(id)
	return has
}

// RequiresKeys reports whether an operator must sign.
func (l *List) RequiresKeys() bool {
	return l != nil && slices.ContainsFunc(l.operators, func(o Operator) bool { return o.Require == RequireRefuse })
}

// IsActive reports whether the file lists an operator that has not left at a time.
func (l *List) IsActive(id string, at time.Time) bool {
	o, has := l.Of(id)
	return has && !o.Offboarded(at)
}

// Active returns the ids of the operators that have not left.
func (l *List) Active(now time.Time) (ids []string) {
	for _, o := range l.All() {
		if !o.Offboarded(now) {
			ids = append(ids, o.ID)
		}
	}
	return ids
}

// Can reports whether an operator that is active at a time has a capability.
func (l *List) Can(id, capability string, at time.Time) bool {
	o, _ := l.Of(id)
	return slices.Contains(o.Capabilities, capability) && !o.Offboarded(at)
}

// Verify returns Verified for an operator in the file that is active at now. It returns Unknown for an operator that is
// not in the file, otherwise Unverified.
func (l *List) Verify(id string, now time.Time) Status {
	o, known := l.Of(id)
	_, isTeam := l.Team(id)
	switch {
	case isTeam:
		return Status{Unknown, fmt.Sprintf("%q is a team, not an operator; give it with --to", id),
			"name one of its operators"}
	case !known:
		return Status{Unknown, fmt.Sprintf("%q is not in the operators file%s", id, l.suggestion(id)),
			"run `handoff operators add " + id + "`"}
	case o.Offboarded(now):
		return Status{Unverified, fmt.Sprintf("%q is offboarded: active_until is %s", id, o.ActiveUntil),
			"correct the entry of " + id + " in OPERATORS.md"}
	}
	return Status{State: Verified}
}

// suggestion returns a question about the operator with the most similar id, "" if there is none.
func (l *List) suggestion(id string) string {
	if near := form.Nearest(id, slices.Sorted(maps.Keys(l.byID))); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}

// ByEmail returns the id of the only active operator with a git_email, ignoring case. ok is false if there is none,
// or more than one.
func (l *List) ByEmail(email string, now time.Time) (id string, ok bool) {
	for _, o := range l.All() {
		if email != "" && strings.EqualFold(o.GitEmail, email) && !o.Offboarded(now) {
			if ok {
				return "", false
			}
			id, ok = o.ID, true
		}
	}
	return id, ok
}

// Team returns the members of a team, and whether there is one. They must not be changed.
func (l *List) Team(id string) (members []string, has bool) {
	if l == nil {
		return nil, false
	}
	members, has = l.teams[id]
	return members, has
}

// Teams returns the ids of the teams, sorted.
func (l *List) Teams() []string {
	if l == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(l.teams))
}

// Recipients returns the operators to whom a handoff from a sender to a team goes: the members that have not left,
// without the sender. A team of the sender alone returns the sender. If id is no team, it is returned alone.
func (l *List) Recipients(id, from string, now time.Time) []string {
	members, isTeam := l.Team(id)
	if !isTeam {
		return []string{id}
	}
	var others, mine []string
	for _, member := range members {
		switch {
		case !l.IsActive(member, now):
		case member == from:
			mine = []string{from}
		default:
			others = append(others, member)
		}
	}
	if others == nil {
		return mine
	}
	return others
}

// A frontmatter is that of the file as JSON.
type frontmatter struct {
	Operators []listed            `json:"operators"`
	Version   string              `json:"schema_version"`
	Teams     map[string][]string `json:"teams,omitempty"`
}

type listed struct {
	ID string `json:"id"`
	Operator
}

// JSON returns the frontmatter as JSON in RFC 8785 form: null for a nil List.
func (l *List) JSON() json.RawMessage {
	if l == nil {
		return json.RawMessage("null")
	}
	f := frontmatter{[]listed{}, "1.0", l.teams}
	for _, o := range l.operators {
		id := o.ID
		o.ID = ""
		f.Operators = append(f.Operators, listed{id, o})
	}
	text, _ := strict.CanonicalOf(f) // a valid file has only valid strings
	return text
}

// FromJSON is the inverse of JSON. An empty text counts as null. It fails if the text has another form.
func FromJSON(text json.RawMessage) (*List, error) {
	if len(text) == 0 {
		return nil, nil
	}
	var f *frontmatter
	if err := strict.Decode(text, &f); err != nil || f == nil {
		return nil, err
	}
	all := make([]Operator, len(f.Operators))
	for i, e := range f.Operators {
		all[i] = e.Operator
		all[i].ID = e.ID
	}
	return newList(all, f.Teams), nil
}
