package operators

import (
	"slices"
	"time"
)

// What is known of a signature.
const (
	Good       = "good"
	Unsigned   = "unsigned"
	UnknownKey = "unknown-key" // it is one, by a key that is not the author's
	Expired    = "expired"     // the author's key did not count when the handoff was first seen
	Revoked    = "revoked"     // the author's key was taken away
	Bad        = "bad"         // it is none of these bytes
)

// A Verdict says what is known of a signature.
type Verdict struct {
	State    string `json:"state"`
	Operator string `json:"operator,omitempty"` // whose key it is
	Key      string `json:"key,omitempty"`      // its fingerprint
	// FirstSight says that nothing but the operators file says whose key it is: none of theirs is pinned.
	FirstSight bool `json:"first_sight,omitempty"`
}

// An Author is who a handoff is from.
type Author struct {
	Name, Email string // Email may be ""
	Rules       []Rule // the keys that OPERATORS.md gives
}

// Trust is all that says whose a key is.
type Trust struct {
	Allowed []Allowed
	Authors []Author
	Pins    Pins

	Endorsed func() Key // the key that signed the operators file; nil or "" is none
}

// A Finding is a verdict, and whether it is to be believed.
type Finding struct {
	Verdict
	Changed bool // OPERATORS.md has other keys than were pinned, and nobody has said that this is right
}

// Judge says whose a key is that has signed a handoff of an author. seen says when the handoff was
// first seen; it is asked where that counts.
func (t Trust) Judge(from string, key Key, seen func() (time.Time, error)) (f Finding, err error) {
	f.Key = key.Fingerprint()
	author := t.author(from)
	rules, mine := t.allowed(author)
	if !mine {
		rules = author.Rules
		f.Changed, f.FirstSight = t.pinned(author, key)
	}
	at := slices.IndexFunc(rules, func(r Rule) bool { return r.Key == key })
	switch {
	case f.Changed:
		f.State, f.Operator = UnknownKey, from
	case at < 0 && !mine && slices.Contains(t.Pins[from].Former, key):
		f.State, f.Operator = Revoked, from
	case at < 0:
		f.State, f.Operator = UnknownKey, t.owner(key)
	default:
		f.State, f.Operator = Good, from
		if rules[at].isLimited() {
			var when time.Time
			if when, err = seen(); err == nil && !rules[at].covers(when) {
				f.State = Expired
			}
		}
	}
	return f, err
}

// Knows reports whether anything is said of the keys of somebody.
func (t Trust) Knows(name string) bool {
	author := t.author(name)
	_, mine := t.allowed(author)
	_, pinned := t.Pins[name]
	return mine || pinned || len(author.Rules) > 0
}

func (t Trust) author(name string) Author {
	for _, a := range t.Authors {
		if a.Name == name {
			return a
		}
	}
	return Author{Name: name}
}

// allowed returns what the user's file says of an author, and whether it says anything.
func (t Trust) allowed(author Author) (rules []Rule, found bool) {
	for _, a := range t.Allowed {
		if matches(a.patterns, author.Name, author.Email) {
			rules, found = append(rules, a.Rule), true
		}
	}
	return rules, found
}

// pinned compares what OPERATORS.md says of a key with what is pinned. Keys that a pinned one has
// signed are as good as that.
func (t Trust) pinned(author Author, key Key) (changed, firstSight bool) {
	listed := slices.ContainsFunc(author.Rules, func(r Rule) bool { return r.Key == key })
	pins, known := t.Pins[author.Name]
	switch {
	case !known:
		return false, listed
	case listed == slices.Contains(pins.Keys, key):
		return false, false
	case t.Endorsed != nil && slices.Contains(pins.Keys, t.Endorsed()):
		return false, true
	}
	return true, false
}

// owner is whose key it is according to OPERATORS.md, "" if nobody's.
func (t Trust) owner(key Key) string {
	for _, a := range t.Authors {
		if slices.ContainsFunc(a.Rules, func(r Rule) bool { return r.Key == key }) {
			return a.Name
		}
	}
	return ""
}

// Keys returns the keys that an author may have, at whatever time.
func (a Author) Keys() []Key {
	keys := []Key{}
	for _, r := range a.Rules {
		keys = append(keys, r.Key)
	}
	return keys
}
