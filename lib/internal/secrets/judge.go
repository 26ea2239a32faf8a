package secrets

import (
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
	case "named":
		return isOpaque(value) && !isHarmless(match) && !isReference(value)
	case "password":
		return len(value) >= 8 && entropy(value) >= 2.5 && isPassword("", value) && !isWords(value) &&
			!isReference(value)
	case "url":
		_, rest, _ := strings.Cut(match, "://")
		user, _, _ := strings.Cut(rest, ":")
		return isPassword(user, value)
	}
	return isChosen(value, r.bits) && (r.takesWords || !isWords(value))
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

// isPlaceholder reports whether a value is a placeholder of documentation: it has a word of the list, or seven equal
// characters in a row.
func isPlaceholder(value string) bool {
	lower := strings.ToLower(value)
	run := 1
	for i := 1; i < len(lower) && run < 7; i++ {
		if lower[i] != lower[i-1] {
			run = 0
		}
		run++
	}
	return run == 7 || containsAny(lower, "placeholder")
}

// containsAny reports whether a text contains a word of a list.
func containsAny(text, list string) bool {
	return slices.ContainsFunc(rules().lists[list], func(word string) bool { return strings.Contains(text, word) })
}

// isWords reports whether a value consists of words and numbers, like names and text about a prefix.
func isWords(value string) bool {
	isBetween := func(r rune) bool { return r > unicode.MaxASCII || !isLetterOrDigit(byte(r)) }
	return !slices.ContainsFunc(strings.FieldsFunc(value, isBetween), isNoise)
}

// isNoise reports whether letters and digits are mixed as in no word: lower, UPPER, Capitalized or camelCase, with up
// to four final digits.
func isNoise(piece string) bool {
	letters := strings.TrimRight(piece, "0123456789")
	capitals := 0
	for i := range len(letters) {
		if 'A' <= letters[i] && letters[i] <= 'Z' {
			capitals++
		}
	}
	switch {
	case letters == "":
		return false
	case len(piece)-len(letters) > 4 || strings.ContainsAny(letters, "0123456789"):
		return true
	}
	return capitals > 1 && capitals*4 > len(letters) && capitals < len(letters)
}

// isOpaque reports whether a value is a long run of mixed letters and digits, unlike prose and slugs, or base64 noise.
func isOpaque(value string) bool {
	if !isChosen(value, 3) || isWords(value) {
		return false
	}
	isBetween := func(r rune) bool { return strings.ContainsRune("._~+/-=", r) }
	isLongNoise := func(run string) bool { return len(run) >= 12 && isNoise(run) }
	return slices.ContainsFunc(strings.FieldsFunc(value, isBetween), isLongNoise) ||
		len(value) >= 32 && entropy(value) >= 4.5
}

// isPassword reports whether a password is more than an example: a placeholder, a variable, the name of the user, or
// a common word for a password.
func isPassword(user, password string) bool {
	lower := strings.ToLower(password)
	word := strings.Trim(lower, "*.x-_0123456789!#$=")
	isVariable := strings.ContainsAny(password[:1], "$%[(") || strings.ContainsAny(password, "<{")
	return word != "" && !isVariable && !strings.EqualFold(user, password) &&
		!isPlaceholder(password) && !slices.Contains(rules().lists["password"], word)
}

// references matches values that only name the place of a secret.
var references = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(rules().expand("^(?:{reference})")) })

// isReference reports whether a value only names the place of a secret: a path, a call, an index, or a vault
// reference.
func isReference(value string) bool {
	return strings.HasPrefix(value, "/") && isWords(value) || references().MatchString(value)
}

// isHarmless reports whether a match begins with the name of something that is no secret, such as resume_token or
// only token.
func isHarmless(match string) bool {
	isOutside := func(r rune) bool { return strings.ContainsRune(" =:\"'`>,*\\\t\n", r) }
	name := strings.FieldsFunc(match, isOutside)[0]
	name = strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(name))
	return name == "token" || containsAny(name, "harmless")
}
