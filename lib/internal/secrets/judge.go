package secrets

import (
	"encoding/base64"
	"encoding/json"
	"math"
	"strings"
	"unicode"
)

// random accepts a value with at least so many bits a character that does not look like a placeholder.
func random(bits float64) func(value, match string) bool {
	return func(value, _ string) bool {
		return entropy(value) >= bits && !placeholder(value)
	}
}

// entropy is Shannon's, in bits a byte.
func entropy(s string) float64 {
	var count [256]int
	for i := range len(s) {
		count[s[i]]++
	}
	sum := 0.0
	for _, n := range count {
		if n > 0 {
			p := float64(n) / float64(len(s))
			sum -= p * math.Log2(p)
		}
	}
	return sum
}

var fillers = []string{
	"example", "sample", "placeholder", "redacted", "changeme", "change-me", "replace", "dummy", "your",
	"xxxx", "****", "....", "123456789", "987654321", "abcdefgh", "deadbeefdeadbeef",
}

// placeholder recognises what documentation writes in the place of a credential.
func placeholder(value string) bool {
	lower := strings.ToLower(value)
	for _, f := range fillers {
		if strings.Contains(lower, f) {
			return true
		}
	}
	run := 1
	for i := 1; i < len(lower); i++ {
		if lower[i] != lower[i-1] {
			run = 0
		}
		if run++; run == 7 {
			return true
		}
	}
	return false
}

// keyMaterial wants the noise of a real key: documentation shows only its first and last line.
func keyMaterial(value, _ string) bool {
	body := strings.NewReplacer(`\n`, "", `\r`, "", "\n", "", "\r", "", " ", "").Replace(value)
	return len(body) >= 100 && entropy(body) >= 4.2
}

// webToken decodes the first two parts of a JSON Web Token (RFC 7519). One without an algorithm
// protects nothing, and the subject 1234567890 is the one that every tutorial shows.
func webToken(value, _ string) bool {
	parts := strings.SplitN(value, ".", 3)
	var head struct {
		Alg string `json:"alg"`
	}
	var claims map[string]any
	if !decodePart(parts[0], &head) || !decodePart(parts[1], &claims) {
		return false
	}
	return head.Alg != "" && !strings.EqualFold(head.Alg, "none") && claims["sub"] != "1234567890"
}

func decodePart(part string, into any) bool {
	raw, err := base64.RawURLEncoding.DecodeString(part)
	return err == nil && json.Unmarshal(raw, into) == nil
}

// userPassword accepts Basic credentials (RFC 7617): base64 of printable text with a colon.
func userPassword(value, _ string) bool {
	raw, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(value, "="))
	user, password, ok := strings.Cut(string(raw), ":")
	if err != nil || !ok || strings.ContainsFunc(string(raw), notPrintable) {
		return false
	}
	return len(password) >= 3 && !commonPassword(user, password)
}

func notPrintable(r rune) bool { return r == unicode.ReplacementChar || !unicode.IsPrint(r) }

// opaque accepts a bearer token: a long run of mixed letters and digits, which prose and slugs lack.
func opaque(value, _ string) bool {
	if placeholder(value) || entropy(value) < 3 {
		return false
	}
	for _, run := range strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune("._~+/-=", r) }) {
		if len(run) >= 12 && strings.ContainsAny(run, "0123456789") && strings.ContainsFunc(run, unicode.IsLetter) {
			return true
		}
	}
	return false
}

// realPassword refuses what connection strings in documentation carry as user:password.
func realPassword(value, match string) bool {
	_, rest, _ := strings.Cut(match, "://")
	user, _, _ := strings.Cut(rest, ":")
	return !commonPassword(user, value)
}

func commonPassword(user, password string) bool {
	lower := strings.ToLower(password)
	if strings.EqualFold(user, password) || placeholder(password) || strings.ContainsAny(password[:1], "$%{[(") {
		return true
	}
	switch strings.Trim(lower, "*.x-_") {
	case "", "password", "passwd", "passw0rd", "pass", "pwd", "pw", "secret", "token", "my-password", "mypassword", "my_password", "test", "foo", "bar", "open sesame", "opensesame":
		return true
	}
	return strings.Contains(lower, "<") || strings.Contains(lower, "{{")
}
