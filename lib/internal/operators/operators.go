package operators

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// A State is what is known of an operator. Its text is what the audit log records.
type State string

// The states. Verify returns Verified, Unverified or Unknown; Disabled is for a project that has
// turned verification off, BootstrapPending for one that has no operators file yet.
const (
	Disabled         State = "disabled"
	Verified         State = "verified"
	Unverified       State = "unverified"
	Unknown          State = "unknown"
	BootstrapPending State = "bootstrap-pending"
)

// A Status is the answer of Verify.
type Status struct {
	State  State  `json:"state"`
	Reason string `json:"reason,omitempty"` // why the operator is not verified, "" when verified
}

// An Operator is one entry of the file. Times are kept as they were written.
type Operator struct {
	ID             string   `json:"operator"`
	DisplayName    string   `json:"display_name,omitempty"`
	GitHubHandle   string   `json:"github_handle,omitempty"`
	GitEmail       string   `json:"git_email,omitempty"`
	Capabilities   []string `json:"capabilities"`
	ActiveSince    string   `json:"active_since"`
	ActiveUntil    string   `json:"active_until,omitempty"`        // "" for no end
	GPGFingerprint string   `json:"gpg_key_fingerprint,omitempty"` // "" when not given
	SSHKeys        []SSHKey `json:"ssh_keys,omitempty"`
	Require        string   `json:"require_signature,omitempty"` // RequireFlag or RequireRefuse; "" is none
}

// An SSHKey is a key that an operator signs with.
type SSHKey struct {
	Key         string `json:"key"`
	ValidAfter  string `json:"valid_after,omitempty"`
	ValidBefore string `json:"valid_before,omitempty"`
}

// A Policy says what is asked of the handoffs from one operator to another.
type Policy struct {
	From, To string // ids, or [Everybody]
	Approve  bool   // each needs an approval
}

// Everybody stands for any operator in a policy.
const Everybody = "*"

func (p Policy) isAbout(from, to string) bool {
	return (p.From == Everybody || p.From == from) && (p.To == Everybody || p.To == to)
}

// AsksApproval reports whether a handoff needs an approval by the first policy that is about it.
func (l *List) AsksApproval(from, to string) bool {
	at := slices.IndexFunc(l.policies, func(p Policy) bool { return p.isAbout(from, to) })
	return at >= 0 && l.policies[at].Approve
}

// What an operator without a good signature comes to, if not nothing.
const (
	RequireFlag   = "flag"   // it is said wherever handoffs of the operator are shown
	RequireRefuse = "refuse" // and none is stored
)

// Authors returns what the file says of the keys of its operators.
func (l *List) Authors() []Author {
	all := make([]Author, len(l.operators))
	for i, o := range l.operators {
		all[i] = Author{Name: o.ID, Email: o.GitEmail}
		for _, k := range o.SSHKeys {
			key, _ := ParseKey(k.Key) // its form was checked, as those of the times
			after, _, _ := span(k.ValidAfter)
			before, _, _ := span(k.ValidBefore)
			all[i].Rules = append(all[i].Rules, Rule{Key: key, After: after, Before: before})
		}
	}
	return all
}

// Require returns what require_signature says of an operator: "", RequireFlag or RequireRefuse.
func (l *List) Require(id string) string {
	o, _ := l.of(id)
	return o.Require
}

// of returns the entry of an operator, and whether there is one.
func (l *List) of(id string) (Operator, bool) {
	i := slices.IndexFunc(l.operators, func(o Operator) bool { return o.ID == id })
	if i < 0 {
		return Operator{}, false
	}
	return l.operators[i], true
}

// Can reports whether an operator who is active at now has a capability.
func (l *List) Can(id, capability string, now time.Time) bool {
	return l.IsCapable(id, capability) && l.Verify(id, now, Evidence{}).State == Verified
}

// IsCapable reports whether an operator has a capability, whether active or not.
func (l *List) IsCapable(id, capability string) bool {
	o, _ := l.of(id)
	return slices.Contains(o.Capabilities, capability)
}

// Left returns the operators whose time is over at now. A nil list has none.
func (l *List) Left(now time.Time) map[string]bool {
	left := make(map[string]bool)
	if l != nil {
		for _, o := range l.operators {
			left[o.ID] = o.Offboarded(now)
		}
	}
	return left
}

// Offboarded reports whether the operator's active_until has passed. A date passes at the end of
// its day in UTC.
func (o Operator) Offboarded(now time.Time) bool {
	_, until, ok := span(o.ActiveUntil)
	return ok && now.After(until)
}

// Evidence is what the caller knows about who runs the program. The zero value asks for nothing, so
// that an operator who is only addressed can be verified too.
type Evidence struct {
	MatchEmail bool   // compare Email with git_email (setting verify_git_match)
	Email      string // git config user.email, "" when not set
	MatchKey   bool   // compare Key with gpg_key_fingerprint (setting verify_gpg)
	Key        string // git config user.signingkey: a fingerprint or its last 16 digits or more
}

// A List is a valid operators file.
type List struct {
	operators []Operator
	policies  []Policy
}

// All returns the entries in the order of the file.
func (l *List) All() []Operator {
	list := slices.Clone(l.operators)
	for i := range list {
		list[i].Capabilities, list[i].SSHKeys = slices.Clone(list[i].Capabilities), slices.Clone(list[i].SSHKeys)
	}
	return list
}

// Verify returns Verified for an operator who is in the file, still active at now, and whom the
// evidence asked for does not contradict; Unknown for one who is not in the file; else Unverified.
func (l *List) Verify(id string, now time.Time, e Evidence) Status {
	o, known := l.of(id)
	if !known {
		return Status{Unknown, fmt.Sprintf("%q is not in the operators file%s", id, l.meant(id))}
	}
	reason := ""
	switch {
	case o.Offboarded(now):
		reason = fmt.Sprintf("%q is offboarded: active_until is %s", id, o.ActiveUntil)
	case e.MatchEmail && e.Email == "":
		reason = fmt.Sprintf("git config user.email is not set, but %q is to match %q", id, o.GitEmail)
	case e.MatchEmail && !strings.EqualFold(e.Email, o.GitEmail):
		reason = fmt.Sprintf("git config user.email is %q, but %q has git_email %q", e.Email, id, o.GitEmail)
	case e.MatchKey && o.GPGFingerprint == "":
		reason = fmt.Sprintf("%q has no gpg_key_fingerprint in the operators file", id)
	case e.MatchKey && e.Key == "":
		reason = fmt.Sprintf("git config user.signingkey is not set, but %q is to match %s", id, o.GPGFingerprint)
	case e.MatchKey && !sameKey(e.Key, o.GPGFingerprint):
		reason = fmt.Sprintf("git config user.signingkey is %q, but %q has gpg_key_fingerprint %s", e.Key, id, o.GPGFingerprint)
	default:
		return Status{State: Verified}
	}
	return Status{Unverified, reason}
}

// Has reports whether the file lists an operator.
func (l *List) Has(id string) bool {
	_, known := l.of(id)
	return known
}

// meant asks whether the operator was meant whose id is nearest to one that nobody has, "" if none is near.
func (l *List) meant(id string) string {
	ids := make([]string, len(l.operators))
	for i, o := range l.operators {
		ids[i] = o.ID
	}
	if near := form.Nearest(id, ids); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}

// HasEmails reports whether ByEmail can find anybody.
func (l *List) HasEmails() bool {
	return slices.ContainsFunc(l.operators, func(o Operator) bool { return o.GitEmail != "" })
}

// ByEmail returns the id of the one operator with that git_email, case ignored, who is not
// offboarded at now. It is not ok when there is none or more than one.
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
