package secrets

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// judge says whether what matched is a credential, and no placeholder. match is all of it, the name before it
// included.
func (r *rule) judge(value, match string) bool {
	switch r.judgedBy {
	case "key":
		return isKey(value)
	case "base64-key":
		return isKeyInBase64(value)
	case "base58":
		return isBase58Check(value)
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

// isChosen says whether a value looks chosen at random: by so many bits a byte, and no placeholder.
func isChosen(value string, bits float64) bool {
	return entropy(value) >= bits && !isPlaceholder(value)
}

// isPlaceholder recognises what documentation writes in the place of a credential.
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

// isWords says whether a value is made of words and small numbers, as names are and text about a prefix.
func isWords(value string) bool {
	isBetween := func(r rune) bool { return r > unicode.MaxASCII || !letterDigit(byte(r)) }
	return !slices.ContainsFunc(strings.FieldsFunc(value, isBetween), func(piece string) bool { return !isWord(piece) })
}

// isWord says whether a piece is a number, or lower, UPPER, Capitalised or camelCase with up to four
// digits at its end.
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

// capitals counts capital letters: in what was chosen at random there are some of each kind.
func capitals(letters string) (n int) {
	for i := range len(letters) {
		if 'A' <= letters[i] && letters[i] <= 'Z' {
			n++
		}
	}
	return n
}

// isNoise says whether letters and digits are mixed as in no word and no name in a program.
func isNoise(run string) bool {
	if strings.ContainsAny(run, "0123456789") {
		return strings.ContainsFunc(run, unicode.IsLetter) && !isWord(run)
	}
	n := capitals(run)
	return n*3 > len(run) && n < len(run)
}

// isKey wants the noise of a real key: documentation shows only its first and last line.
func isKey(value string) bool {
	body := strings.NewReplacer(`\n`, "", `\r`, "", "\n", "", "\r", "", " ", "").Replace(value)
	return len(body) >= 100 && entropy(body) >= 4
}

// isKeyInBase64 decodes what Kubernetes and others write for a key in PEM form.
func isKeyInBase64(value string) bool {
	raw, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(value, "="))
	return (err == nil || len(raw) > 100) && strings.Contains(string(raw[:min(len(raw), 64)]), "PRIVATE KEY-----")
}

// isWebToken decodes the first two parts of a JSON Web Token (RFC 7519). One without an algorithm
// protects nothing, and the subject 1234567890 is the one that every tutorial shows.
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

// isOpaque accepts a bearer token: a long run of mixed letters and digits, which prose and slugs lack,
// or the noise of base64.
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

// isIdentifier says whether a value is the name of something in a program, such as V1SecretSource.
func isIdentifier(value string) bool {
	letters := strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return -1
		}
		return r
	}, value)
	return len(value)-len(letters) <= 2 && isWords(letters)
}

// isBase58Check recomputes the checksum of a key for a wallet, which no other text has.
func isBase58Check(value string) bool {
	const alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
	n := new(big.Int)
	for i := range len(value) {
		n.Mul(n, big.NewInt(58))
		n.Add(n, big.NewInt(int64(strings.IndexByte(alphabet, value[i])))) // the expression has no others
	}
	raw := n.Bytes() // versions of private keys are not 0
	if len(raw) < 5 {
		return false
	}
	body, sum := raw[:len(raw)-4], raw[len(raw)-4:]
	once := sha256.Sum256(body)
	twice := sha256.Sum256(once[:])
	return string(twice[:4]) == string(sum)
}

// isLogin accepts a user, a colon and a password (RFC 7617), all of them printable.
func isLogin(text string) bool {
	isOdd := func(r rune) bool { return r == unicode.ReplacementChar || !unicode.IsPrint(r) }
	user, password, found := strings.Cut(text, ":")
	return found && !strings.ContainsFunc(text, isOdd) && len(password) >= 3 && !isCommonPassword(user, password)
}

// isCommonPassword reports whether a password is one of documentation: a placeholder, a variable, the name of
// the user, or a word that stands for any password.
func isCommonPassword(user, password string) bool {
	lower := strings.ToLower(password)
	bare := strings.Trim(lower, "*.x-_")
	isVariable := strings.TrimLeft(password, "$%{[(") != password || strings.Contains(lower, "<") ||
		strings.Contains(lower, "{{")
	return bare == "" || isVariable || strings.EqualFold(user, password) || isPlaceholder(password) ||
		slices.Contains(rules().lists["password"], bare)
}

// leet undoes the digits and signs that stand for letters in passwords that everybody knows.
var leet = sync.OnceValue(func() *strings.Replacer {
	return strings.NewReplacer("0", "o", "1", "i", "!", "i", "3", "e", "4", "a", "@", "a", "5", "s", "$", "s", "7", "t")
})

// isStrongPassword accepts what is assigned to a name that ends in password if it looks chosen at
// random. What is made of words may be a password too, but far more often it is a placeholder, the
// name of a variable or prose.
func isStrongPassword(value string) bool {
	if end := strings.IndexAny(value, "\"'`<>\n\t"); end >= 0 { // one that was written as %22
		value = value[:end]
	}
	letters := leet().Replace(strings.TrimRight(strings.ToLower(value), "0123456789!@#$.="))
	isPlain := isWords(value) && !strings.ContainsAny(strings.Trim(value, "!#^~%"), "!#^~%") ||
		slices.Contains(rules().lists["leet"], letters)
	return len(value) >= 8 && entropy(value) >= 2.5 && !isCommonPassword("", value) && !isPlain && !isReference(value)
}

// references are the forms of what says where a secret is.
var references = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(rules().expand("^(?:{reference})")) })

// isReference says whether a value says where a secret is: a path, a call, an index, a reference of a vault.
func isReference(value string) bool {
	return strings.HasPrefix(value, "/") && isWords(value) || references().MatchString(value)
}

// isOutsideName reports whether the name of a value in a program, with those of what it is part of, lacks a character.
func isOutsideName(r rune) bool {
	return r > unicode.MaxASCII || !letterDigit(byte(r)) && r != '_' && r != '-' && r != '.'
}

// isSecretValue accepts what is assigned to a name such as api_key, unless the name says that it is no
// secret: a resume token, and what is called no more than token, is none.
func isSecretValue(value, match string) bool {
	name := strings.FieldsFunc(match, isOutsideName)[0]
	name = strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(name))
	isHarmless := func(part string) bool { return strings.Contains(name, part) }
	if name == "token" || slices.ContainsFunc(rules().lists["harmless"], isHarmless) {
		return false
	}
	return isOpaque(strings.TrimPrefix(value, "base64:")) && !isReference(strings.TrimPrefix(value, "base64:"))
}
