package secrets_test

import (
	"encoding/base64"
	"math/rand/v2"
	"strconv"
	"strings"
)

// alphabets are what the examples of rules.txt are made of.
var alphabets = map[string]string{
	"digits":  "0123456789",
	"nonzero": "123456789",
	"hex":     "0123456789abcdef",
	"HEX":     "0123456789ABCDEF",
	"lower":   "abcdefghijklmnopqrstuvwxyz0123456789",
	"upper":   "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
	"letters": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
	"base32":  "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
	"bech32":  "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
	"base62":  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
	"base64":  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
	"safe":    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-",
	"crypt":   "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789./",
	"django":  "abcdefghijklmnopqrstuvwxyz0123456789!@#$%^&*(-_=+)",
	"signs":   "!@#$%^&*(-_=+)",
	"wgend":   "AEIMQUYcgkosw048",
	"x":       "x",
	"X":       "X",
	"0":       "0",
}

// A maker makes examples from a generator, so that no credential stands in the repository: the same seed makes the same ones.
type maker struct{ *rand.Rand }

// expand replaces all that stands in ‹›, the innermost first.
func (m maker) expand(text string) string {
	for {
		open := strings.LastIndex(text, "‹")
		if open < 0 {
			return text
		}
		inside, rest, _ := strings.Cut(text[open+len("‹"):], "›")
		name, args, _ := strings.Cut(inside, " ")
		text = text[:open] + m.make(name, args) + rest
	}
}

// make returns what a name in ‹› stands for.
func (m maker) make(name, args string) string {
	if alphabet := alphabets[name]; alphabet != "" {
		n, _ := strconv.Atoi(args)
		b := make([]byte, n)
		for i := range b {
			b[i] = alphabet[m.IntN(len(alphabet))]
		}
		return string(b)
	}
	switch name {
	case "tail": // ends in a letter or a digit
		n, _ := strconv.Atoi(args)
		return m.make("safe", strconv.Itoa(n-1)) + m.make("base62", "1")
	case "uuid":
		return m.expand("‹hex 8›-‹hex 4›-4‹hex 3›-a‹hex 3›-‹hex 12›")
	case "password":
		return m.expand("‹letters 4›‹digits 2›") + string("!#?^~"[m.IntN(5)]) + m.expand("‹base62 3›‹digits 1›‹letters 2›")
	case "lines":
		return m.expand(strings.Repeat("‹base64 64›\n", 12) + "‹base64 22›==")
	case "hexlines":
		return m.expand(strings.TrimSuffix(strings.Repeat("‹hex 32›\n", 16), "\n"))
	case "pem":
		return "-----BEGIN " + args + "-----\n" + m.make("lines", "") + "\n-----END " + args + "-----"
	case "base64of":
		return base64.StdEncoding.EncodeToString([]byte(args))
	case "base64url":
		return base64.RawURLEncoding.EncodeToString([]byte(args))
	}
	return ""
}
