package form

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

const (
	joiner    = "\u200d" // ZERO WIDTH JOINER
	nonJoiner = "\u200c" // ZERO WIDTH NON-JOINER
)

// isNeededJoiner reports whether a script needs the joiner or non-joiner at text[i:] (UAX #31, contexts A1, A2 and
// B). It only considers letters of one script and visible marks. These are never escaped, so escaping twice finds the
// same context.
func isNeededJoiner(text string, i int) bool {
	before, after := text[:i], text[i+len(joiner):]
	if strings.HasPrefix(text[i:], nonJoiner) && breaksCursive(before, after) {
		return true
	}
	v, before := lastRune(before, isStackedMark)
	if !unicode.Is(viramas(), v) {
		return false
	}
	letter, _ := lastRune(before, isMark)
	if strings.HasPrefix(text[i:], joiner) {
		next, _ := utf8.DecodeRuneInString(after)
		return isLetterOf(letter, v) && !unicode.Is(unicode.M, next)
	}
	return isLetterOf(letter, v) && isLetterOf(firstRune(after, isStackedMark), v)
}

// breaksCursive reports whether the characters on both sides would join without a non-joiner:
// Persian می‌خواهم.
func breaksCursive(before, after string) bool {
	left, _ := lastRune(before, isMark)
	right := firstRune(after, isMark)
	return unicode.Is(dualJoining(), left) && (unicode.Is(dualJoining(), right) || unicode.Is(rightJoining(), right))
}

// lastRune returns the last character of text that is not skipped, and the text before it.
func lastRune(text string, skip func(rune) bool) (rune, string) {
	text = strings.TrimRightFunc(text, skip)
	r, n := utf8.DecodeLastRuneInString(text)
	return r, text[:len(text)-n]
}

// firstRune returns the first character of text that is not skipped.
func firstRune(text string, skip func(rune) bool) rune {
	r, _ := utf8.DecodeRuneInString(strings.TrimLeftFunc(text, skip))
	return r
}

// isMark reports whether r is a visible mark that combines with the character before it.
func isMark(r rune) bool { return r >= 0x300 && unicode.Is(unicode.Mn, r) && !IsInvisible(r) }

// isStackedMark reports whether r is a mark that can be between a virama and a joiner, such as a Vedic tone.
func isStackedMark(r rune) bool { return isMark(r) && unicode.Is(unicode.Inherited, r) }

// isLetterOf reports whether r is a letter of the script of the virama v.
func isLetterOf(r, v rune) bool {
	for _, script := range conjoining() {
		if unicode.Is(script, v) {
			return unicode.Is(script, r) && unicode.IsLetter(r) && !IsInvisible(r)
		}
	}
	return false
}

// conjoining returns the scripts with conjuncts, which joiners create and prevent.
var conjoining = sync.OnceValue(func() (scripts []*unicode.RangeTable) {
	for _, name := range unicodeLists().words("conjoining") {
		scripts = append(scripts, unicode.Scripts[name])
	}
	return scripts
})
