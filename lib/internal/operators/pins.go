package operators

import (
	"encoding/json"
	"errors"
	"slices"
)

// Pins are the keys of operators as first seen, or as trusted since. The file has one JSON object:
//
//	{"ann":{"keys":["ssh-ed25519 AAAA…"],"former":[…]}}
//
// A former key was valid once. Its signatures are revoked.
type Pins map[string]Pinned

// Pinned has the pinned keys of one operator.
type Pinned struct {
	Keys   []Key `json:"keys"`
	Former []Key `json:"former"`
}

// ParsePins parses the file. An empty text has no pins. An invalid key is an error.
func ParsePins(text []byte) (Pins, error) {
	pins := make(Pins)
	if len(text) == 0 {
		return pins, nil
	}
	if err := json.Unmarshal(text, &pins); err != nil {
		return nil, err
	}
	for _, p := range pins {
		for _, k := range append(slices.Clone(p.Keys), p.Former...) {
			if again, ok := ParseKey(string(k)); !ok || again != k {
				return nil, errors.New("it contains an invalid key")
			}
		}
	}
	return pins, nil
}

// Bytes returns the text of the file. It is the inverse of ParsePins.
func (p Pins) Bytes() []byte {
	text, _ := json.Marshal(p) // strings cannot fail
	return append(text, '\n')
}

// Trust replaces the keys of an operator. Other pinned keys become former keys.
func (p Pins) Trust(operator string, keys []Key) Pinned {
	old, now := p[operator], Pinned{Keys: slices.Clone(keys), Former: []Key{}}
	for _, k := range append(old.Former, old.Keys...) {
		if !slices.Contains(keys, k) && !slices.Contains(now.Former, k) {
			now.Former = append(now.Former, k)
		}
	}
	p[operator] = now
	return now
}
