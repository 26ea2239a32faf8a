package journal

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
)

// A Hash is a SHA-256, or a MAC of the same length.
type Hash [sha256.Size]byte

// HashOf returns the SHA-256 of a text.
func HashOf(text []byte) Hash { return sha256.Sum256(text) }

// String returns the hash in lower-case hexadecimal digits.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// MarshalText is String.
func (h Hash) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText is ParseHash.
func (h *Hash) UnmarshalText(text []byte) error {
	*h = ParseHash(string(text))
	return nil
}

// ParseHash is the inverse of String. It returns zeros for a malformed hash.
func ParseHash(text string) (h Hash) {
	if b, err := hex.DecodeString(text); err == nil && len(b) == len(h) {
		copy(h[:], b)
	}
	return h
}

// NextLine returns the head of a chain of lines after one more line.
func (h Hash) NextLine(line []byte) Hash { return HashOf(append(h[:len(h):len(h)], line...)) }

// A Key authenticates what one user writes in one store. The zero Key authenticates nothing.
type Key struct {
	secret []byte
	id     [8]byte
}

// NewKey derives the key of a store from the secret of a user.
func NewKey(secret []byte, store string) Key {
	k := Key{secret: sign(secret, []byte("handoff journal\n"+store))}
	copy(k.id[:], sign(k.secret, []byte("key id")))
	return k
}

func sign(secret, text []byte) []byte {
	mac := hmac.New(sha256.New, secret)
	mac.Write(text)
	return mac.Sum(nil)
}

// IsZero reports whether k is the zero Key.
func (k Key) IsZero() bool { return len(k.secret) == 0 }

func (k Key) mac(text []byte) (h Hash) {
	copy(h[:], sign(k.secret, text))
	return h
}

// SumState returns one hash of files by name. The caller omits files that do not exist.
func SumState(files map[string]Hash) Hash {
	var all []byte
	for _, name := range slices.Sorted(maps.Keys(files)) {
		all = fmt.Appendf(all, "%s %s\n", name, files[name])
	}
	return HashOf(all)
}
