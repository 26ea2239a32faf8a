package secrets

import (
	"regexp"
	"strings"
)

// longest is the maximum text after a keyword that a rule considers. An 8192-bit key in PEM form has 6,400 bytes.
const longest = 16 << 10

// reach is the number of bytes before the keyword that can belong to a match.
const reach = 80

// match tries the rule at a keyword and returns the bytes of the credential. Allowed bytes before the keyword belong
// to the match, unless an escape separates them.
func (r *rule) match(text string, at int) (hit, bool) {
	if r.read.Do(r.readLines); !follow(text[at:], r.look) {
		return hit{}, false
	}
	start := at
	for start > 0 && at-start < reach && r.before.has(text[start-1]) {
		start--
	}
	for first := start; start <= at; start++ {
		if start > first && !escaped(text, start) || !r.mayStart(text, start) {
			continue
		}
		if h, matches := r.matchFrom(text, start); matches {
			return h, h.end > 0
		}
	}
	return hit{}, false
}

// mayStart reports whether a match can begin at i.
func (r *rule) mayStart(text string, i int) bool {
	if i == 0 {
		return true
	}
	before, inDiff := text[i-1], i == 1 || text[i-2] == '\n'
	if r.apart && (before == '/' || before == '+' && !inDiff) {
		return false
	}
	return r.form == "value" || !wordByte(text, i) || !wordByte(text, i-1) && before != '-' || escaped(text, i)
}

// matchFrom reports whether the expression matches at start, and returns the credential if it is one. The first group
// that matched is the credential, the last one is judged.
func (r *rule) matchFrom(text string, start int) (h hit, matches bool) {
	window := text[start:min(len(text), start+longest)]
	r.compile.Do(func() { r.re = regexp.MustCompile(rules().expressionOf(r)) })
	from, to, inner := 0, 0, ""
	for loc := r.re.FindStringSubmatchIndex(window); len(loc) > 2; loc = loc[:len(loc)-2] {
		if last := loc[len(loc)-2:]; last[0] >= 0 {
			from, to = last[0], last[1]
			if inner == "" {
				inner = window[from:to]
			}
		}
	}
	if inner == "" || wordByte(window, to-1) && wordByte(window, to) {
		return hit{}, false
	}
	isInside := r.apart && to < len(window) && strings.IndexByte("+/", window[to]) >= 0
	if isInside || !r.judge(inner, window[:to]) {
		return hit{}, true
	}
	end := start + to
	for to == len(window) && wordByte(text, end) { // longer than the window
		end++
	}
	return hit{start: start + from, end: end}, true
}

// escaped reports whether an escape such as \n ends before i, as in JSON.
func escaped(text string, i int) bool { return i >= 2 && text[i-2] == '\\' }

// wordByte reports whether text[i] is a letter, a digit or _. A credential does not begin or end within a word.
func wordByte(text string, i int) bool {
	return i >= 0 && i < len(text) && (letterDigit(text[i]) || text[i] == '_')
}

func letter(c byte) bool      { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func digit(c byte) bool       { return '0' <= c && c <= '9' }
func letterDigit(c byte) bool { return letter(c) || digit(c) }
