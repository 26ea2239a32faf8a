package secrets

import (
	"regexp"
	"strings"
	"sync"
)

// A rule describes one form of credential. Its pattern is tried only where one of its keywords stands.
type rule struct {
	name     string
	keywords []string               // at least two bytes; lower case where fold is set
	fold     bool                   // keywords in any case
	before   func(byte) bool        // bytes of the match that may stand before the keyword
	worth    func(rest string) bool // a cheap look at what begins with the keyword, before the pattern
	pattern  string                 // from the keyword (or what stands before it) on; group 1 is the credential
	good     func(value, match string) bool

	once sync.Once
	re   *regexp.Regexp // compiled at first use: compiling all of them takes longer than a scan
}

// match tries the rule at a keyword and returns the bytes of the credential.
func (r *rule) match(text string, at int) (hit, bool) {
	start := at
	for r.before != nil && start > 0 && at-start < 24 && r.before(text[start-1]) {
		start--
	}
	window := text[start:min(len(text), start+longest)]
	if !boundary(text, start) || r.worth != nil && !r.worth(window[at-start:]) {
		return hit{}, false
	}
	r.once.Do(func() { r.re = regexp.MustCompile("^(?:" + r.pattern + ")") })
	loc := r.re.FindStringSubmatchIndex(window)
	if loc == nil || wordByte(window, loc[3]-1) && wordByte(window, loc[3]) {
		return hit{}, false
	}
	if !r.good(window[loc[2]:loc[3]], window[:loc[1]]) {
		return hit{}, false
	}
	end := start + loc[3]
	for loc[3] == len(window) && wordByte(text, end) { // longer than the window
		end++
	}
	return hit{start: start + loc[2], end: end}, true
}

// boundary says whether a credential may begin at i: not inside a longer word. A JSON escape such as
// \n before it is no word.
func boundary(text string, i int) bool {
	if i == 0 || !wordByte(text, i-1) && text[i-1] != '-' {
		return true
	}
	if i >= 2 && text[i-2] == '\\' {
		return true
	}
	return i >= 6 && text[i-6] == '\\' && text[i-5] == 'u'
}

func wordByte(text string, i int) bool {
	if i < 0 || i >= len(text) {
		return false
	}
	c := text[i]
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_'
}

func nameByte(c byte) bool    { return c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z' }
func digitByte(c byte) bool   { return '0' <= c && c <= '9' }
func nameOrDigit(c byte) bool { return nameByte(c) && c != '_' || digitByte(c) }
func azureByte(c byte) bool   { return nameByte(c) || digitByte(c) || c == '~' || c == '.' }
func schemeByte(c byte) bool {
	return nameByte(c) && c != '_' || digitByte(c) || c == '+' || c == '.' || c == '-'
}

func hasDotAt17(rest string) bool { return len(rest) > 17 && rest[17] == '.' }

// hasUserinfo says whether :// is followed by an @ before the host's path begins.
func hasUserinfo(rest string) bool {
	i := strings.IndexAny(rest[3:min(len(rest), 400)], "@/ \n\t\"'<>`")
	return i >= 0 && rest[3+i] == '@'
}
