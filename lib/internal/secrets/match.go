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
func (r *rule) match(v *view, at int) (hit, bool) {
	if r.read.Do(r.readLines); !follow(v.text[at:], r.look) {
		return hit{}, false
	}
	start := at
	for start > 0 && at-start < reach && r.before.has(v.text[start-1]) {
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

// mayStart reports whether a match can begin at i. It cannot begin inside an escape: the next view has the whole
// name.
func (r *rule) mayStart(v *view, i int) bool {
	if i == 0 {
		return true
	}
	before, inDiff := v.text[i-1], i == 1 || v.text[i-2] == '\n'
	switch {
	case before == '\\' && strings.IndexByte(marks, v.text[i]) >= 0:
		return false
	case r.apart && (before == '/' || before == '+' && !inDiff):
		return false
	}
	return r.form == "value" || !wordByte(v.text, i) || !wordByte(v.text, i-1) && before != '-' || v.escaped(i)
}

// matchFrom reports whether the expression matches at start, and returns the credential if it is one. The first group
// that matched is the credential, the last one is judged.
func (r *rule) matchFrom(v *view, start int) (h hit, matches bool) {
	window := v.text[start:min(len(v.text), start+longest)]
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
	if inner == "" || wordByte(window, to-1) && wordByte(window, to) && !v.joined(start+to) {
		return hit{}, false
	}
	isInside := r.apart && to < len(window) && strings.IndexByte("+/", window[to]) >= 0
	if isInside || !r.judge(plain(inner), plain(window[:to])) {
		return hit{}, true
	}
	end := start + to
	for to == len(window) && wordByte(v.text, end) { // longer than the window
		end++
	}
	return hit{start: v.start(start + from), end: v.end(end)}, true
}

// escaped reports whether an escape such as \n or =3D ends before i. It also accepts a terminal color without its
// escape character.
func (v *view) escaped(i int) bool {
	text := v.text[max(0, i-16):i]
	n := len(text)
	switch open := strings.LastIndexByte(text, '['); {
	case n >= 2 && text[n-2] == '\\', n >= 3 && text[n-3] == '=' && hexByte(text[n-2]) && hexByte(text[n-1]):
		return true
	case open >= 0 && strings.HasSuffix(text, "m") && strings.Trim(text[open+1:n-1], "0123456789;:") == "":
		return true
	}
	return v.joined(i)
}

// wordByte reports whether text[i] is a letter, a digit or _. A credential does not begin or end within a word.
func wordByte(text string, i int) bool {
	return i >= 0 && i < len(text) && (letterDigit(text[i]) || text[i] == '_')
}

func letter(c byte) bool      { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func digit(c byte) bool       { return '0' <= c && c <= '9' }
func letterDigit(c byte) bool { return letter(c) || digit(c) }
func hexByte(c byte) bool     { return digit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }
