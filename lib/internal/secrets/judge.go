package secrets

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"math"
	"math/big"
	"strings"
	"unicode"
)

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
	"example", "sample", "placeholder", "redacted", "changeme", "change-me", "change_me", "replace", "dummy", "insert",
	"your-", "your_", "-your", "_your", "yourapi", "yourkey", "yourtoken", "yoursecret", "yourpass", "youraccess",
	"xxxxx", "xxxx-", "-xxxx", "xxxx_", "_xxxx", "****", "....", "123456789", "987654321", "abcdefgh", "deadbeefdeadbeef",
	"sk_test_4ec39hqlyjwdarjtt1zdp7dc", "sk_test_bqokikjovbii2hlwgh4olfq2", // which Stripe shows everybody
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

// words says whether a value is made of words and small numbers, as names are and text about a prefix.
func words(value string) bool {
	for _, piece := range strings.FieldsFunc(value, func(r rune) bool { return r > unicode.MaxASCII || !letterDigit(byte(r)) }) {
		if !word(piece) {
			return false
		}
	}
	return true
}

// word says whether a piece is a number, or lower, UPPER, Capitalised or camelCase with up to four
// digits at its end.
func word(piece string) bool {
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

// noise says whether letters and digits are mixed as in no word and no name in a program.
func noise(run string) bool {
	if strings.ContainsAny(run, "0123456789") {
		return strings.ContainsFunc(run, unicode.IsLetter) && !word(run)
	}
	n := capitals(run)
	return n*3 > len(run) && n < len(run)
}

// accessKeyID is for an alphabet without small letters, in which many keys have no digit.
func accessKeyID(value, _ string) bool { return chosen(value, 2.7) }

// chosen says whether a value looks chosen at random: by so many bits a byte, and no placeholder.
func chosen(value string, bits float64) bool { return entropy(value) >= bits && !placeholder(value) }

// keyMaterial wants the noise of a real key: documentation shows only its first and last line.
func keyMaterial(value, _ string) bool {
	body := strings.NewReplacer(`\n`, "", `\r`, "", "\n", "", "\r", "", " ", "").Replace(value)
	return len(body) >= 100 && entropy(body) >= 4
}

// keyInBase64 decodes what Kubernetes and others write for a key in PEM form.
func keyInBase64(value, _ string) bool {
	raw, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(value, "="))
	return (err == nil || len(raw) > 100) && strings.Contains(string(raw[:min(len(raw), 64)]), "PRIVATE KEY-----")
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

// decodePart reads one part of a token that is JSON in base64, as in a JWT.
func decodePart(part string, into any) bool {
	raw, err := base64.RawURLEncoding.DecodeString(part)
	return err == nil && json.Unmarshal(raw, into) == nil
}

// opaque accepts a bearer token: a long run of mixed letters and digits, which prose and slugs lack,
// or the noise of base64.
func opaque(value, _ string) bool {
	if placeholder(value) || entropy(value) < 3 || identifier(value) {
		return false
	}
	if len(value) >= 32 && entropy(value) >= 4.5 && !words(value) {
		return true
	}
	for _, run := range strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune("._~+/-=", r) }) {
		if len(run) >= 12 && noise(run) {
			return true
		}
	}
	return false
}

// notHex accepts a key that is no hash.
func notHex(value, _ string) bool {
	_, rest, _ := strings.Cut(value, "-")
	return chosen(rest, 3) && noise(rest) && strings.ContainsAny(rest, "ghijklmnopqrstuvwxyz")
}

// base58Check recomputes the checksum of a key for a wallet, which no other text has.
func base58Check(value, _ string) bool {
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

// telegramToken looks behind the number of the bot.
func telegramToken(value, _ string) bool {
	_, rest, _ := strings.Cut(value, ":")
	return chosen(rest, 3.2)
}

// twitterBearer looks behind the row of A with which such a token begins.
func twitterBearer(value, _ string) bool {
	return chosen(strings.TrimLeft(value, "A"), 4)
}
