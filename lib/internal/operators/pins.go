package operators

import (
	"encoding/json"
	"errors"
	"slices"
)

// Pins are the keys of operators as they were first seen, or trusted since: a file of one JSON object,
//
//	{"ann":{"keys":["ssh-ed25519 AAAA…"],"former":[…]}}
//
// A former key counted once, and was taken away: what it signs is revoked.
type Pins map[string]Pinned

// Pinned is what is pinned of one operator.
type Pinned struct {
	Keys   []Key `json:"keys"`
	Former []Key `json:"former"`
}

// ParsePins reads the file; a missing one has no pins.
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
				return nil, errors.New("it has a key that is none")
			}
		}
	}
	return pins, nil
}

// Bytes is the inverse of ParsePins.
func (p Pins) Bytes() []byte {
	text, _ := json.Marshal(p) // of texts alone, which cannot fail
	return append(text, '\n')
}

// Trust makes keys those of an operator. Others that were pinned are former ones.
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
