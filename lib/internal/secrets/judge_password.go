package secrets

import (
	"encoding/base64"
	"slices"
	"strings"
	"unicode"
)

// userPassword accepts Basic credentials (RFC 7617): base64 of printable text with a colon.
func userPassword(value, _ string) bool {
	raw, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(value, "="))
	user, password, ok := strings.Cut(string(raw), ":")
	if err != nil || !ok || strings.ContainsFunc(string(raw), notPrintable) {
		return false
	}
	return len(password) >= 3 && !commonPassword(user, password)
}

// notPrintable reports whether no password that people type has the character.
func notPrintable(r rune) bool { return r == unicode.ReplacementChar || !unicode.IsPrint(r) }

// realPassword refuses what connection strings in documentation carry as user:password.
func realPassword(value, match string) bool {
	_, rest, _ := strings.Cut(match, "://")
	user, _, _ := strings.Cut(rest, ":")
	return !commonPassword(user, value)
}

// commonPassword reports whether a password is one of documentation: a placeholder, a variable, the name of
// the user, or a word that stands for any password.
func commonPassword(user, password string) bool {
	lower := strings.ToLower(password)
	if password == "" || strings.EqualFold(user, password) || placeholder(password) || strings.ContainsAny(password[:1], "$%{[(") {
		return true
	}
	switch strings.Trim(lower, "*.x-_") {
	case "", "password", "passwd", "passw0rd", "pass", "pwd", "pw", "secret", "token", "my-password", "mypassword", "my_password", "test", "foo", "bar", "open sesame", "opensesame":
		return true
	}
	return strings.Contains(lower, "<") || strings.Contains(lower, "{{")
}

// leet undoes the digits and signs that stand for letters in passwords that everybody knows.
var leet = strings.NewReplacer("0", "o", "1", "i", "!", "i", "3", "e", "4", "a", "@", "a", "5", "s", "$", "s", "7", "t")

// strongPassword accepts what is assigned to a name that ends in password if it looks chosen at
// random. What is made of words may be a password too, but far more often it is a placeholder, the
// name of a variable or prose.
func strongPassword(value, _ string) bool {
	if end := strings.IndexAny(value, "\"'`<>\n\t"); end >= 0 { // one that was written as %22
		value = value[:end]
	}
	switch leet.Replace(strings.TrimRight(strings.ToLower(value), "0123456789!@#$.=")) {
	case "password", "passwd", "pass", "secret", "admin", "welcome", "letmein", "changeme":
		return false
	}
	plain := words(value) && !strings.ContainsAny(strings.Trim(value, "!#^~%"), "!#^~%")
	return len(value) >= 8 && entropy(value) >= 2.5 && !commonPassword("", value) && !plain && !reference(value)
}

// reference says whether a value says where a secret is: a path, a call, an index, a reference of a vault.
func reference(value string) bool {
	if strings.HasPrefix(value, "/") && words(value) || strings.HasPrefix(value, "./") || strings.HasPrefix(value, "~/") || strings.HasPrefix(value, "@") {
		return true
	}
	scheme, rest, found := strings.Cut(value, ":")
	if found && strings.Contains(rest, "/") && scheme != "" && strings.Trim(scheme, "abcdefghijklmnopqrstuvwxyz0123456789+.-") == "" {
		return true
	}
	called, rest, found := strings.Cut(strings.ReplaceAll(value, "[", "("), "(")
	if !found || called == "" || strings.ContainsFunc(called, func(r rune) bool { return r > unicode.MaxASCII || !nameByte(byte(r)) && r != '.' }) {
		return false
	}
	return strings.HasPrefix(rest, ")") || strings.Contains(called, ".") || !strings.ContainsAny(called, "0123456789")
}

// identifier says whether a value is the name of something in a program, such as V1SecretSource.
func identifier(value string) bool {
	letters := strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return -1
		}
		return r
	}, value)
	return len(value)-len(letters) <= 2 && words(letters)
}

// harmless are parts of the names of keys and tokens that are no secrets.
var harmless = []string{"resume", "nexttoken", "pagetoken", "csrf", "xsrf", "continuation", "cursortoken", "synctoken", "canceltoken", "public", "idempotency"}

// secretValue accepts what is assigned to a name such as api_key, unless the name says that it is no
// secret: a resume token, and what is called no more than token, is none.
func secretValue(value, match string) bool {
	name := strings.FieldsFunc(match, func(r rune) bool { return r > unicode.MaxASCII || !nameByte(byte(r)) && r != '.' })[0]
	name = strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(name))
	if name == "token" || slices.ContainsFunc(harmless, func(part string) bool { return strings.Contains(name, part) }) {
		return false
	}
	value = strings.TrimPrefix(value, "base64:")
	return opaque(value, match) && !reference(value)
}
