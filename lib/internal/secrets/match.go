package secrets

// longest is the maximum text after a word that a rule considers. An 8192-bit key in PEM form has 6,400 bytes.
const longest = 16 << 10

// reach is the number of bytes before the word that can belong to a match.
const reach = 80

// match tries the rule at a word and returns the bytes of the credential. The first group that matched is the
// credential, the last one is judged.
func (r *rule) match(text string, at int) (h hit, ok bool) {
	r.ready()
	start := at - len(r.lead.FindString(text[max(0, at-reach):at]))
	isInside := isWordByte(text, start-1) || start > 0 && text[start-1] == '-'
	if isInside && isWordByte(text, start) && !isEscaped(text, start) {
		return hit{}, false
	}
	window := text[start:min(len(text), start+longest)]
	from, to, inner := 0, 0, ""
	for loc := r.re.FindStringSubmatchIndex(window); len(loc) > 2; loc = loc[:len(loc)-2] {
		if last := loc[len(loc)-2:]; last[0] >= 0 {
			from, to = last[0], last[1]
			if inner == "" {
				inner = window[from:to]
			}
		}
	}
	if inner == "" || isWordByte(window, to-1) && isWordByte(window, to) || !r.judge(inner, window[:to]) {
		return hit{}, false
	}
	return hit{start: start + from, end: start + to}, true
}

// isEscaped reports whether an escape such as \n ends before i, as in JSON.
func isEscaped(text string, i int) bool { return i >= 2 && text[i-2] == '\\' }

// isWordByte reports whether text[i] is a letter, a digit or _. A credential does not begin or end within a word.
func isWordByte(text string, i int) bool {
	return i >= 0 && i < len(text) && (isLetterOrDigit(text[i]) || text[i] == '_')
}

func isLetterOrDigit(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' }
