package form

import (
	"bytes"
	_ "embed" // for the encodings of brackets
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// fold returns text as a reader sees it who ignores disguises. Letters are lower case. Hidden characters and accents
// are removed. Full-width, mathematical, circled and look-alike letters become ASCII. White space becomes one space
// or one newline. Entities for brackets and quotes are decoded.
func fold(text string) string {
	b := make([]byte, 0, len(text)+utf8.UTFMax)
	last := '\n'
	for i, n := 0, 1; i < len(text); i += n {
		r := rune(text[i])
		if n = 1; r >= 'a' && r <= 'z' { // the most frequent case
			last = r
			b = append(b, byte(r))
			continue
		}
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(text[i:])
		}
		r = foldRune(r)
		blank := r == ' ' || r == '\n'
		if r < 0 || blank && (last == '\n' || last == r) {
			continue
		}
		last = r
		b = utf8.AppendRune(b, r)
	}
	if bytes.IndexByte(b, '&') >= 0 || bytes.IndexByte(b, '\\') >= 0 {
		return brackets().Replace(string(b))
	}
	return string(b)
}

//go:embed brackets.json
var bracketsFile []byte

// brackets decodes the usual encodings of brackets and quotes.
var brackets = sync.OnceValue(func() *strings.Replacer {
	return strings.NewReplacer(Data[[]string](bracketsFile)()...)
})

// foldRune returns the plain form of r, or -1 to remove it.
func foldRune(r rune) rune {
	switch {
	case r < 0x80:
		return foldASCII(r)
	case r > 0xe0020 && r < 0xe007f: // tags are invisible copies of ASCII
		return foldASCII(r - 0xe0000)
	case isLineBreak(r):
		return '\n'
	case r == utf8.RuneError || IsInvisible(r) || unicode.Is(unicode.Mn, r):
		return -1
	case unicode.IsSpace(r):
		return ' '
	case r > 0xff00 && r < 0xff5f: // full-width forms
		return foldASCII(r - 0xff01 + '!')
	case r >= 0x1d400 && r < 0x1d6a4: // thirteen mathematical alphabets, each A-Z a-z
		return 'a' + (r-0x1d400)%26
	case r >= 0x24b6 && r < 0x24ea: // circled
		return 'a' + (r-0x24b6)%26
	}
	r = unicode.ToLower(r)
	if i := strings.IndexRune(lookAlikes, r); i >= 0 {
		return rune(plainForms[utf8.RuneCountInString(lookAlikes[:i])])
	}
	return r
}

// foldASCII folds ASCII: lower case, one kind of space, one kind of line break.
func foldASCII(r rune) rune {
	switch {
	case r >= 'A' && r <= 'Z':
		return r + 'a' - 'A'
	case r == '\n' || r == '\r' || r == '\v' || r == '\f':
		return '\n'
	case r == ' ' || r == '\t':
		return ' '
	case r < ' ' || r == 0x7f:
		return -1
	}
	return r
}

// lookAlikes are Cyrillic, Greek and other characters that look like the character at the same index of plainForms.
const (
	lookAlikes = "асеіјорѕухһԁοανιıſ▁∣‹›“”’"
	plainForms = "aceijopsyxhdoaviis_|<>\"\"'"
)

// letters returns only the letters a-z of folded text. Letters that are separated by spaces or dots then form words
// again.
func letters(folded string) string {
	out := make([]byte, 0, len(folded))
	for i := range len(folded) {
		if c := folded[i]; c >= 'a' && c <= 'z' {
			out = append(out, c)
		}
	}
	return string(out)
}
