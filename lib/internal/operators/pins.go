package operators

import (
	"encoding/json"
	"errors"
)

// Pins are the keys of operators as first seen, or as trusted since. The file has one JSON object:
//
//	{"ann":["ssh-ed25519 AAAA…"]}
type Pins map[string][]Key

// ParsePins parses the file. An empty text has no pins. An invalid key is an error.
func ParsePins(text []byte) (Pins, error) {
	pins := make(Pins)
	if len(text) == 0 {
		return pins, nil
	}
	if err := json.Unmarshal(text, &pins); err != nil {
		return nil, err
	}
	for _, keys := range pins {
		for _, k := range keys {
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
