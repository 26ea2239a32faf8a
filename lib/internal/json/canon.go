package json

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	strict "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// ID returns the handoff_id of an object with these members, strings and lists of strings with ASCII keys: sha256: and
// the lower-case hexadecimal SHA-256 of its canonical form. It fails if a string is not valid UTF-8: encoding/json
// would replace the invalid bytes, and two handoffs could get the same id. It is written without encoding/json, since
// each document that is read is compared with its id.
func ID(members map[string]any) (string, error) {
	text, err := []byte{'{'}, error(nil)
	quote := func(word, end string) {
		if err == nil {
			text, err = jsontext.AppendQuote(text, word)
			text = append(text, end...)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(members)) {
		quote(key, ":")
		switch value := members[key].(type) {
		case string:
			quote(value, ",")
		case []string:
			text = append(text, '[')
			for _, item := range value {
				quote(item, ",")
			}
			text = append(bytes.TrimSuffix(text, []byte(",")), "],"...)
		}
	}
	if err != nil {
		return "", errors.New("a string that is not valid UTF-8 has no canonical form")
	}
	return "sha256:" + SHA256Hex(append(bytes.TrimSuffix(text, []byte(",")), '}')), nil
}

// SHA256Hex returns the lower-case hexadecimal SHA-256 of b.
func SHA256Hex(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// Decode decodes JSON into a Go value. Unlike encoding/json it demands the names of members as they are written, and
// refuses duplicate names and invalid UTF-8.
func Decode(text []byte, into any) error { return strict.Unmarshal(text, into) }

// CanonicalOf returns the canonical form (RFC 8785) of what encoding/json makes of v.
func CanonicalOf(v any) ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return Canonicalize(text)
}

// Canonicalize returns the canonical form of any JSON text (RFC 8785). It refuses invalid UTF-8, lone surrogates,
// duplicate keys, and numbers that Parse refuses too: JCS would round them.
func Canonicalize(text []byte) ([]byte, error) {
	// Canonical finds all other faults.
	dec := jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true))
	for {
		token, err := dec.ReadToken()
		if err == io.EOF {
			return Canonical(text)
		}
		if err == nil && token.Kind() == '0' {
			err = checkNumber(token.String())
		}
		if err != nil {
			return nil, fmt.Errorf("no canonical form: %w", err)
		}
	}
}

// Canonical is like Canonicalize, but rounds numbers to doubles.
func Canonical(text []byte) ([]byte, error) {
	v := jsontext.Value(bytes.Clone(text))
	if err := v.Canonicalize(); err != nil {
		return nil, fmt.Errorf("no canonical form: %w", err)
	}
	return v, nil
}
