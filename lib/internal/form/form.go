package form

import (
	"strings"
)

// IDPrefix is the prefix of an id, before the digest.
const IDPrefix = "sha256:"

// digestLen is the number of hexadecimal digits of a SHA-256.
const digestLen = 64

// IsSlug reports whether s is a name of 1 to most characters: ASCII letters, digits, _ and -.
func IsSlug(s string, most int) bool {
	return s != "" && len(s) <= most && allBytes(s, IsSlugByte)
}

// NameRule describes the form of an operator name.
const NameRule = "1 to 64 ASCII letters, digits, _ and (not first) -"

// IsName reports whether s has the form of an operator name, which a command never takes for a flag.
func IsName(s string) bool { return IsSlug(s, 64) && s[0] != '-' }

// IsSlugByte reports whether a slug can contain c. It is false for all bytes of characters beyond ASCII.
func IsSlugByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || isDigit(c) || c == '_' || c == '-'
}

// IsID reports whether s has the form of a handoff_id. The handoff need not exist.
func IsID(s string) bool {
	digits, ok := strings.CutPrefix(s, IDPrefix)
	return ok && IsDigest(digits)
}

// IsDigest reports whether s is a SHA-256 in lower-case hexadecimal digits.
func IsDigest(s string) bool { return len(s) == digestLen && IsHex(s) }

// IsWriter reports whether s has the form of a writer id.
func IsWriter(s string) bool {
	digits, ok := strings.CutPrefix(s, "w-")
	return ok && len(digits) == 16 && IsHex(digits)
}

// IsRemote reports whether s can be the name of a remote. It excludes URLs, paths and options.
func IsRemote(s string) bool {
	return s != "" && len(s) <= 64 && s[0] != '-' && s[0] != '.' && !strings.Contains(s, "..") &&
		allBytes(s, func(c byte) bool { return IsSlugByte(c) || c == '.' })
}

// IsHex reports whether s consists of lower-case hexadecimal digits. It is true for "".
func IsHex(s string) bool {
	return allBytes(s, func(c byte) bool { return isDigit(c) || c >= 'a' && c <= 'f' })
}

// Matches reports whether s has a shape. 0 in shape means any digit, each other character means itself.
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

func allBytes(s string, is func(byte) bool) bool {
	for i := range len(s) {
		if !is(s[i]) {
			return false
		}
	}
	return true
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
