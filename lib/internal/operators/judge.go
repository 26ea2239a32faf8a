package operators

import (
	"slices"
	"time"
)

// The states of a signature.
const (
	Good       = "good"        // made by a key of the sender
	Unsigned   = "unsigned"    // there is no signature
	UnknownKey = "unknown-key" // it matches, but the key is not the sender's
	Expired    = "expired"     // the sender's key was not valid when the handoff was first seen
	Bad        = "bad"         // it does not match these bytes
)

// A Verdict is the result of judging a signature.
type Verdict struct {
	State    string `json:"state"`
	Operator string `json:"operator,omitempty"` // the owner of the key
	Key      string `json:"key,omitempty"`      // the fingerprint of the key
	// FirstSight reports that only the operators file names the owner: no key of the operator is pinned.
	FirstSight bool `json:"first_sight,omitempty"`
}

// An Author is the sender of a handoff.
type Author struct {
	Name, Email string // Email may be ""
	Rules       []Rule // the keys in OPERATORS.md
}

// Trust has everything that names the owners of keys.
type Trust struct {
	Allowed []Allowed
	Authors []Author
	Pins    Pins
}

// A Finding is a verdict. Changed means that it must not be trusted.
type Finding struct {
	Verdict
	Changed bool // OPERATORS.md has other keys than those pinned, and the user has not accepted them
}

// Judge returns the verdict about a key that signed a handoff from an operator. seen returns when the handoff was
// first seen; it is called only for keys with limited validity.
func (t Trust) Judge(from string, key Key, seen func() (time.Time, error)) (f Finding, err error) {
	f.Key = key.Fingerprint()
	author := t.author(from)
	rules, mine := t.allowed(author)
	if !mine {
		rules = author.Rules
		f.Changed, f.FirstSight = t.checkPins(author, key)
	}
	at := slices.IndexFunc(rules, func(r Rule) bool { return r.Key == key })
	switch {
	case f.Changed:
		f.State, f.Operator = UnknownKey, from
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

func (t Trust) author(name string) Author {
	for _, a := range t.Authors {
		if a.Name == name {
			return a
		}
	}
	return Author{Name: name}
}

// allowed returns the keys that the user's file has for an author, and whether there are any.
func (t Trust) allowed(author Author) (rules []Rule, found bool) {
	for _, a := range t.Allowed {
		if matches(a.patterns, author.Name, author.Email) {
			rules, found = append(rules, a.Rule), true
		}
	}
	return rules, found
}

// checkPins compares a key in OPERATORS.md with the pinned keys.
func (t Trust) checkPins(author Author, key Key) (changed, firstSight bool) {
	listed := slices.ContainsFunc(author.Rules, func(r Rule) bool { return r.Key == key })
	pins, known := t.Pins[author.Name]
	return known && listed != slices.Contains(pins, key), !known && listed
}

// owner returns the owner of a key in OPERATORS.md, "" for none.
func (t Trust) owner(key Key) string {
	for _, a := range t.Authors {
		if slices.ContainsFunc(a.Rules, func(r Rule) bool { return r.Key == key }) {
			return a.Name
		}
	}
	return ""
}

// Keys returns the keys of an author, whatever their validity.
func (a Author) Keys() []Key {
	keys := []Key{}
	for _, r := range a.Rules {
		keys = append(keys, r.Key)
	}
	return keys
}
