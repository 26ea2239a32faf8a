package operators

import "slices"

// The states of a signature.
const (
	Good       = "good"        // made by a key of the sender
	Unsigned   = "unsigned"    // there is no signature
	UnknownKey = "unknown-key" // it matches, but the key is not the sender's
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
	Keys        []Key  // in OPERATORS.md
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

// Judge returns the verdict about a key that signed a handoff from an operator.
func (t Trust) Judge(from string, key Key) (f Finding) {
	f.Key = key.Fingerprint()
	author := t.author(from)
	keys, mine := t.allowed(author)
	if !mine {
		keys = author.Keys
		f.Changed, f.FirstSight = t.checkPins(author, key)
	}
	switch {
	case f.Changed:
		f.State, f.Operator = UnknownKey, from
	case !slices.Contains(keys, key):
		f.State, f.Operator = UnknownKey, t.owner(key)
	default:
		f.State, f.Operator = Good, from
	}
	return f
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
func (t Trust) allowed(author Author) (keys []Key, found bool) {
	for _, a := range t.Allowed {
		if matches(a.patterns, author.Name, author.Email) {
			keys, found = append(keys, a.Key), true
		}
	}
	return keys, found
}

// checkPins compares a key in OPERATORS.md with the pinned keys.
func (t Trust) checkPins(author Author, key Key) (changed, firstSight bool) {
	listed := slices.Contains(author.Keys, key)
	pins, known := t.Pins[author.Name]
	return known && listed != slices.Contains(pins, key), !known && listed
}

// owner returns the owner of a key in OPERATORS.md, "" for none.
func (t Trust) owner(key Key) string {
	for _, a := range t.Authors {
		if slices.Contains(a.Keys, key) {
			return a.Name
		}
	}
	return ""
}
