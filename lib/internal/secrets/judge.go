package secrets

import (
	"encoding/base64"
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// judge reports whether a value is a credential, not a placeholder. match is the whole match, with the name before
// the value.
func (r *rule) judge(value, match string) bool {
	switch r.judgedBy {
	case "key":
		return isKey(value)
	case "base64-key":
		return isKeyInBase64(value)
	case "jwt":
		return isWebToken(value)
	case "not-hex":
		return isChosen(value, 3) && isNoise(value) && strings.ContainsAny(value, "ghijklmnopqrstuvwxyz")
	case "opaque":
		return isOpaque(value)
	case "named":
		return isSecretValue(value, match)
	case "password":
		return isStrongPassword(value)
	case "login":
		raw, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(value, "="))
		return err == nil && isLogin(string(raw))
	case "url":
		_, rest, _ := strings.Cut(match, "://")
		user, _, _ := strings.Cut(rest, ":")
		return !isCommonPassword(user, value)
	}
	return isChosen(value, r.bits) && (r.words || !isWords(value))
}

// entropy returns the Shannon entropy in bits a byte.
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

// isChosen reports whether a value looks random: it has enough bits a byte, and is not a placeholder.
func isChosen(value string, bits float64) bool {
	return entropy(value) >= bits && !isPlaceholder(value)
}

// isPlaceholder reports whether a value is a placeholder of documentation.
func isPlaceholder(value string) bool {
	lower := strings.ToLower(value)
	if slices.ContainsFunc(rules().lists["placeholder"], func(f string) bool { return strings.Contains(lower, f) }) {
		return true
	}
	run := 1
	for i := 1; i < len(lower) && run < 7; i++ {
		if lower[i] != lower[i-1] {
			run = 0
		}
		run++
	}
	return run == 7
}

// isWords reports whether a value consists of words and small numbers, like names and text about a prefix.
func isWords(value string) bool {
	isBetween := func(r rune) bool { return r > unicode.MaxASCII || !letterDigit(byte(r)) }
	return !slices.ContainsFunc(strings.FieldsFunc(value, isBetween), func(piece string) bool { return !isWord(piece) })
}

// isWord reports whether a piece is a number or a word: lower, UPPER, Capitalized or camelCase, with up to four final
// digits.
func isWord(piece string) bool {
	letters := strings.TrimRight(piece, "0123456789")
	switch n := capitals(letters); {
	case letters == "":
		return len(piece) <= 8
	case len(piece)-len(letters) > 4 || strings.ContainsAny(letters, "0123456789"):
		return false
	default:
		return n < 2 || n*4 <= len(letters) || n == len(letters)
	}
}

// capitals counts upper-case letters. Random text has some of each case.
func capitals(letters string) (n int) {
	for i := range len(letters) {
		if 'A' <= letters[i] && letters[i] <= 'Z' {
			n++
		}
	}
	return n
}

// isNoise reports whether letters and digits are mixed as in no word and no name of a program.
func isNoise(run string) bool {
	if strings.ContainsAny(run, "0123456789") {
		return strings.ContainsFunc(run, unicode.IsLetter) && !isWord(run)
	}
	n := capitals(run)
	return n*3 > len(run) && n < len(run)
}

// isKey requires the entropy of a real key. Documentation shows only the first and last lines.
func isKey(value string) bool {
	body := strings.NewReplacer(`\n`, "", `\r`, "", "\n", "", "\r", "", " ", "").Replace(value)
	return len(body) >= 100 && entropy(body) >= 4
}

// isKeyInBase64 decodes a base64 key in PEM form, as in Kubernetes.
func isKeyInBase64(value string) bool {
	raw, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(value, "="))
	return (err == nil || len(raw) > 100) && strings.Contains(string(raw[:min(len(raw), 64)]), "PRIVATE KEY-----")
}

// isWebToken decodes the first two parts of a JSON Web Token (RFC 7519). A token without an algorithm protects
// nothing. The subject 1234567890 is the example in tutorials.
func isWebToken(value string) bool {
	var parts [2]struct{ Alg, Sub any }
	for i, part := range strings.Split(value, ".")[:2] {
		raw, err := base64.RawURLEncoding.DecodeString(part)
		if err != nil || json.Unmarshal(raw, &parts[i]) != nil {
			return false
		}
	}
	alg, _ := parts[0].Alg.(string)
	return alg != "" && !strings.EqualFold(alg, "none") && parts[1].Sub != "1234567890"
}

// isOpaque accepts a bearer token: a long run of mixed letters and digits, unlike prose and slugs, or base64 noise.
func isOpaque(value string) bool {
	if !isChosen(value, 3) || isIdentifier(value) {
		return false
	}
	if len(value) >= 32 && entropy(value) >= 4.5 && !isWords(value) {
		return true
	}
	isBetween := func(r rune) bool { return strings.ContainsRune("._~+/-=", r) }
	isLongNoise := func(run string) bool { return len(run) >= 12 && isNoise(run) }
	return slices.ContainsFunc(strings.FieldsFunc(value, isBetween), isLongNoise)
}

// isIdentifier reports whether a value is a name in a program, such as V1SecretSource.
func isIdentifier(value string) bool {
	letters := strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return -1
		}
		return r
	}, value)
	return len(value)-len(letters) <= 2 && isWords(letters)
}

// isLogin accepts a printable user, colon and password (RFC 7617).
func isLogin(text string) bool {
	isOdd := func(r rune) bool { return r == unicode.ReplacementChar || !unicode.IsPrint(r) }
	user, password, found := strings.Cut(text, ":")
	return found && !strings.ContainsFunc(text, isOdd) && len(password) >= 3 && !isCommonPassword(user, password)
}

// isCommonPassword reports whether a password is only an example: a placeholder, a variable, the name of the user, or
// a common word for a password.
func isCommonPassword(user, password string) bool {
	lower := strings.ToLower(password)
	bare := strings.Trim(lower, "*.x-_")
	isVariable := strings.TrimLeft(password, "$%{[(") != password || strings.Contains(lower, "<") ||
		strings.Contains(lower, "{{")
	return bare == "" || isVariable || strings.EqualFold(user, password) || isPlaceholder(password) ||
		slices.Contains(rules().lists["password"], bare)
}

// isStrongPassword accepts the value of a name that ends in password if it looks random. Words can be a password too,
// but usually are a placeholder, the name of a variable or prose.
func isStrongPassword(value string) bool {
	if end := strings.IndexAny(value, "\"'`<>\n\t"); end >= 0 { // a quote may be written as %22
		value = value[:end]
	}
	said := strings.NewReplacer(rules().lists["look"]...)
	letters := said.Replace(strings.TrimRight(strings.ToLower(value), "0123456789!@#$.="))
	isPlain := isWords(value) && !strings.ContainsAny(strings.Trim(value, "!#^~%"), "!#^~%") ||
		slices.Contains(rules().lists["leet"], letters)
	return len(value) >= 8 && entropy(value) >= 2.5 && !isCommonPassword("", value) && !isPlain && !isReference(value)
}

// references matches values that only name the place of a secret.
var references = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(rules().expand("^(?:{reference})")) })

// isReference reports whether a value only names the place of a secret: a path, a call, an index, or a vault
// reference.
func isReference(value string) bool {
	return strings.HasPrefix(value, "/") && isWords(value) || references().MatchString(value)
}

// isOutsideName reports whether r cannot be part of a name in a program.
func isOutsideName(r rune) bool {
	return r > unicode.MaxASCII || !letterDigit(byte(r)) && r != '_' && r != '-' && r != '.'
}

// isSecretValue accepts the value of a name such as api_key, unless the name is harmless, such as resume_token or
// only token.
func isSecretValue(value, match string) bool {
	name := strings.FieldsFunc(match, isOutsideName)[0]
	name = strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(name))
	isHarmless := func(part string) bool { return strings.Contains(name, part) }
	if name == "token" || slices.ContainsFunc(rules().lists["harmless"], isHarmless) {
		return false
	}
	return isOpaque(strings.TrimPrefix(value, "base64:")) && !isReference(strings.TrimPrefix(value, "base64:"))
}
