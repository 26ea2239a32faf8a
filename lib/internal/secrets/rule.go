package secrets

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
)

// A rule describes one form of credential. Its expression is tried only where one of its keywords stands.
// There are three kinds, by which of rest, value and pattern is set.
type rule struct {
	name     string
	keywords []string               // at least three bytes; lower case where fold is set
	fold     bool                   // keywords in any case
	rest     string                 // what follows the keyword, with which the credential begins
	value    string                 // the credential, which is assigned to a name that ends in the keyword, or nearly so
	pattern  string                 // from the keyword (or what stands before it) on; the group that matches is the credential
	apart    bool                   // it has no + or / beside it: base64 of anything may hold such a word
	before   func(byte) bool        // bytes of the match that may stand before the keyword
	worth    func(rest string) bool // a cheap look at what begins with the keyword, before the expression
	bits     float64                // the least entropy of the credential, in bits a byte; or:
	good     func(value, match string) bool

	once sync.Once
	re   *regexp.Regexp // compiled at first use: compiling all of them takes longer than a scan
}

// rules returns the table, the precise before the general.
var rules = sync.OnceValue(func() []*rule {
	var all []*rule
	for _, part := range [][]*rule{keyRules, cloudRules, forgeRules, modelRules, serviceRules, messageRules,
		headerRules, loginRules, namedRules} {
		all = append(all, part...)
	}
	return all
})

// expression returns what the rule looks for, from the keyword or what stands before it on.
func (r *rule) expression() string {
	quoted := make([]string, len(r.keywords))
	for i, k := range r.keywords {
		quoted[i] = regexp.QuoteMeta(k)
	}
	any := "(?:" + strings.Join(quoted, "|") + ")"
	switch {
	case r.rest != "":
		return "^(" + any + r.rest + ")"
	case r.value != "":
		return "^(?i:" + any + nounOfSecret + ")" + assign + "(?:" + r.value + ")"
	}
	return "^(?:" + r.pattern + ")"
}

// longest is how much text after a keyword a rule may look at; an 8192-bit key in PEM form has 6,400.
const longest = 16 << 10

// reach is how many bytes before its keyword may belong to a match.
const reach = 80

// match tries the rule at a keyword and returns the bytes of the credential. What may stand before the
// keyword belongs to the match as far as it goes, or from where an escape ends on.
func (r *rule) match(v *view, at int) (hit, bool) {
	if rest := v.text[at:min(len(v.text), at+longest)]; r.worth != nil && !r.worth(rest) || r.value != "" && !assigned(rest) {
		return hit{}, false
	}
	start := at
	for r.before != nil && start > 0 && at-start < reach && r.before(v.text[start-1]) {
		start--
	}
	for first := start; start <= at; start++ {
		if start > first && !v.escaped(start) || !r.mayStart(v, start) {
			continue
		}
		if h, matches := r.matchFrom(v, start); matches {
			return h, h.end > 0
		}
	}
	return hit{}, false
}

// matchFrom says whether the expression matches from start on, and what it found if that is a credential.
func (r *rule) matchFrom(v *view, start int) (h hit, matches bool) {
	window := v.text[start:min(len(v.text), start+longest)]
	r.once.Do(func() { r.re = regexp.MustCompile(r.expression()) })
	from, to := group(r.re.FindStringSubmatchIndex(window))
	if from < 0 || wordByte(window, to-1) && wordByte(window, to) && !v.joined(start+to) {
		return hit{}, false
	}
	if !r.judge(window[from:to], window[:to]) || r.apart && to < len(window) && strings.IndexByte("+/", window[to]) >= 0 {
		return hit{}, true
	}
	end := start + to
	for to == len(window) && wordByte(v.text, end) { // longer than the window
		end++
	}
	return hit{start: v.start(start + from), end: v.end(end)}, true
}

// mayStart says whether what stands before i lets a match start there. In the middle of an escape it
// does not: the next view has the whole name.
func (r *rule) mayStart(v *view, i int) bool {
	if i > 0 && (v.text[i-1] == '\\' && strings.IndexByte(marks, v.text[i]) >= 0 || r.apart && strings.IndexByte("+/", v.text[i-1]) >= 0 && !v.inDiff(i)) {
		return false
	}
	return r.value != "" || v.boundary(i)
}

// judge says whether what matched is a credential, and no placeholder, however it is written.
func (r *rule) judge(value, match string) bool {
	value, match = plain(value), plain(match)
	if r.good != nil {
		return r.good(value, match)
	}
	return chosen(value, r.bits) && !words(value)
}

// group returns the place of the one group that matched, -1 if none did.
func group(loc []int) (from, to int) {
	for i := 2; i < len(loc); i += 2 {
		if loc[i] >= 0 {
			return loc[i], loc[i+1]
		}
	}
	return -1, -1
}

// boundary says whether a credential may begin at i: not inside a longer word.
func (v *view) boundary(i int) bool {
	return i == 0 || !wordByte(v.text, i) || !wordByte(v.text, i-1) && v.text[i-1] != '-' || v.escaped(i)
}

// inDiff says whether what stands before i is the mark that a diff puts before a new line.
func (v *view) inDiff(i int) bool {
	return i > 0 && v.text[i-1] == '+' && (i == 1 || v.text[i-2] == '\n')
}

// escaped says whether what stands before i is an escape such as \n or =3D, or the end of a change of
// colour of which the escape character was lost, and no word.
func (v *view) escaped(i int) bool {
	text := v.text
	return i >= 2 && text[i-2] == '\\' || i >= 3 && text[i-3] == '=' && hexByte(text[i-2]) && hexByte(text[i-1]) ||
		i >= 1 && text[i-1] == 'm' && colour(text[max(0, i-16):i-1]) || v.joined(i)
}

// colour says whether text ends in the parameters of a change of colour, as [1;32.
func colour(text string) bool {
	open := strings.LastIndexByte(text, '[')
	return open >= 0 && strings.Trim(text[open+1:], "0123456789;:") == ""
}

// wordByte reports whether there is a letter, a digit or _ at a place: a credential does not begin or end
// within a word.
func wordByte(text string, i int) bool {
	if i < 0 || i >= len(text) {
		return false
	}
	c := text[i]
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_'
}

// The following say which bytes the credentials of rules are made of.
func letter(c byte) bool      { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func digitByte(c byte) bool   { return '0' <= c && c <= '9' }
func letterDigit(c byte) bool { return letter(c) || digitByte(c) }
func hexByte(c byte) bool     { return digitByte(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }
func nameByte(c byte) bool    { return letterDigit(c) || c == '_' || c == '-' }
func azureByte(c byte) bool   { return letterDigit(c) || c == '_' || c == '~' || c == '.' }
func loginByte(c byte) bool   { return nameByte(c) || c == '.' || c == '@' }
func schemeByte(c byte) bool  { return letterDigit(c) || c == '+' || c == '.' || c == '-' }

// longWord says whether a word of at least eight bytes follows that before the first space.
func longWord(rest string) bool {
	_, after, _ := strings.Cut(rest[:min(len(rest), 64)], " ")
	after = strings.TrimLeft(after, " ")
	return len(after) >= 8 && !strings.ContainsAny(after[:8], " \n\t")
}

// hasMemberD reports whether a JSON Web Key has its private part.
func hasMemberD(rest string) bool { return strings.Contains(rest[:min(len(rest), 2000)], `"d`) }

// mailgunTail says whether two groups of eight hexadecimal digits follow.
func mailgunTail(rest string) bool {
	return len(rest) >= 18 && rest[9] == '-' && strings.Trim(rest[1:9]+rest[10:18], "0123456789abcdef") == ""
}

// hasDotAt17 reports whether the second part of a token begins where it has to.
func hasDotAt17(rest string) bool { return len(rest) > 17 && rest[17] == '.' }

// hasUserinfo says whether :// is followed by an @ before the host's path begins.
func hasUserinfo(rest string) bool {
	i := strings.IndexAny(rest[3:min(len(rest), 400)], "@/ \n\t\"'<>`")
	return i >= 0 && rest[3+i] == '@'
}

// assigned says whether what begins with a name comes to an assignment at the end of it.
func assigned(rest string) bool {
	i := strings.IndexFunc(rest[:min(len(rest), 64)], func(r rune) bool {
		return r > unicode.MaxASCII || !letterDigit(byte(r)) && !strings.ContainsRune(" .-_\"'`*\\", r)
	})
	return i >= 0 && strings.IndexByte("=:>,", rest[i]) >= 0
}
