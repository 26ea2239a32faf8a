package form

import (
	"encoding/hex"
	"strings"
)

// IDPrefix is what an id has before its digest.
const IDPrefix = "sha256:"

// digestLen is the number of hexadecimal digits of a SHA-256.
const digestLen = 64

// IsSlug reports whether s is a name of 1 to most characters: ASCII letters, digits, _ and -.
func IsSlug(s string, most int) bool {
	return s != "" && len(s) <= most && all(s, IsSlugByte)
}

// IsSlugByte reports whether a slug may hold c. No byte of a character beyond ASCII is one.
func IsSlugByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || isDigit(c) || c == '_' || c == '-'
}

// IsID reports whether s has the form of a handoff_id. Whether a handoff has that id is another question.
func IsID(s string) bool {
	digits, ok := strings.CutPrefix(s, IDPrefix)
	return ok && IsDigest(digits)
}

// A Key is an id in as few bytes as it has.
type Key [digestLen / 2]byte

// KeyOf returns the key of an id, and whether it is one. It is asked for each row of a store.
func KeyOf(id string) (k Key, ok bool) {
	digits, ok := strings.CutPrefix(id, IDPrefix)
	if !ok || len(digits) != digestLen {
		return k, false
	}
	all := byte(0)
	for i := range k {
		high, low := hexValues[digits[2*i]], hexValues[digits[2*i+1]]
		all |= high | low
		k[i] = high<<4 | low
	}
	if all >= 16 {
		return Key{}, false
	}
	return k, true
}

// hexValues has the value of each lower-case hexadecimal digit, and more than any of them for what is none.
var hexValues = func() (values [256]byte) {
	for c := range values {
		values[c] = 0xff
	}
	for n, c := range []byte("0123456789abcdef") {
		values[c] = byte(n)
	}
	return values
}()

// String returns the id.
func (k Key) String() string { return IDPrefix + hex.EncodeToString(k[:]) }

// IsDigest reports whether s is a SHA-256 in lower-case hexadecimal digits.
func IsDigest(s string) bool { return len(s) == digestLen && IsHex(s) }

// IsWriter reports whether s names a state directory.
func IsWriter(s string) bool {
	digits, ok := strings.CutPrefix(s, "w-")
	return ok && len(digits) == 16 && IsHex(digits)
}

// IsRemote reports whether s can be the name of a git remote, and is no URL, path or option.
func IsRemote(s string) bool {
	return s != "" && len(s) <= 64 && s[0] != '-' && s[0] != '.' && !strings.Contains(s, "..") &&
		all(s, func(c byte) bool { return IsSlugByte(c) || c == '.' })
}

// IsHex reports whether s has lower-case hexadecimal digits and nothing else; also "" has.
func IsHex(s string) bool {
	all := byte(0)
	for i := range len(s) {
		all |= hexValues[s[i]]
	}
	return all < 16
}

// IsDigits reports whether s has decimal digits and nothing else; also "" has.
func IsDigits(s string) bool { return all(s, isDigit) }

// Matches reports whether s is like shape, in which 0 stands for any digit and everything else for itself.
func Matches(s, shape string) bool {
	if len(s) != len(shape) {
		return false
	}
	for i := range len(shape) {
		if s[i] != shape[i] && (shape[i] != '0' || !isDigit(s[i])) {
			return false
		}
	}
	return true
}

func all(s string, is func(byte) bool) bool {
	for i := range len(s) {
		if !is(s[i]) {
			return false
		}
	}
	return true
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
