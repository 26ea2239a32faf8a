package jsontree

import "strings"

// maxDepth is the maximum depth for IsCanonical; the store writes nothing deeper.
const maxDepth = 16

// IsCanonical reports whether text, which must be valid UTF-8, is an object in canonical form. It only knows what the
// store writes: ASCII keys, and integers of up to 15 digits. It returns false for anything else; the library then
// decides.
func IsCanonical(text []byte) bool {
	s := &scanner{rest: string(text)}
	return strings.HasPrefix(s.rest, "{") && s.value(0) && s.rest == ""
}

// A scanner consumes canonical values from the start of rest.
type scanner struct{ rest string }

// take consumes prefix, and reports whether it was there.
func (s *scanner) take(prefix string) bool {
	rest, ok := strings.CutPrefix(s.rest, prefix)
	s.rest = rest
	return ok
}

// value consumes any value. The depth is limited, since the text is untrusted.
func (s *scanner) value(depth int) bool {
	switch {
	case s.rest == "" || depth > maxDepth:
		return false
	case s.take("{"):
		first, last := true, ""
		return s.elements("}", func() bool { // keys are sorted and unique (RFC 8785 section 3.2.3)
			key, ok := s.text()
			ok = ok && (first || key > last) && isPlain(key)
			first, last = false, key
			return ok && s.take(":") && s.value(depth+1)
		})
	case s.take("["):
		return s.elements("]", func() bool { return s.value(depth + 1) })
	case s.rest[0] == '"':
		_, ok := s.text()
		return ok
	}
	return s.take("true") || s.take("false") || s.take("null") || s.integer()
}

// elements consumes the elements between two brackets, without white space.
func (s *scanner) elements(closing string, element func() bool) bool {
	if s.take(closing) {
		return true
	}
	for element() {
		if s.take(closing) {
			return true
		}
		if !s.take(",") {
			return false
		}
	}
	return false
}

// text consumes a string with only the necessary escapes (section 3.2.2.2), and returns the text between the quotes.
func (s *scanner) text() (string, bool) {
	if !s.take(`"`) {
		return "", false
	}
	for i := 0; i < len(s.rest); i++ {
		switch c := s.rest[i]; {
		case c == '"':
			inner := s.rest[:i]
			s.rest = s.rest[i+1:]
			return inner, true
		case c == '\\':
			n := escapeLen(s.rest[i:])
			if n == 0 {
				return "", false
			}
			i += n - 1
		case c < ' ':
			return "", false
		}
	}
	return "", false
}

// escapeLen returns the length of the canonical escape at the start of text, 0 if there is none.
func escapeLen(text string) int {
	switch {
	case len(text) > 1 && strings.IndexByte(`btnfr"\`, text[1]) >= 0:
		return 2
	case len(text) < 6 || text[:4] != `\u00`:
		return 0
	}
	high, low := text[4], strings.IndexByte("0123456789abcdef", text[5])
	named := high == '0' && strings.IndexByte("\b\t\n\f\r", byte(max(low, 0))) >= 0 // these have shorter escapes
	if high != '0' && high != '1' || low < 0 || named {
		return 0
	}
	return 6
}

// isPlain reports whether a key is printable ASCII without escapes, so that its bytes and characters sort alike.
func isPlain(key string) bool {
	for i := range len(key) {
		if key[i] >= 0x7f || key[i] == '\\' {
			return false
		}
	}
	return true
}

// integer consumes an integer without leading zeros. Fractions and exponents are left to the library.
func (s *scanner) integer() bool {
	const digits = 15
	end := 0
	for end < len(s.rest) && (s.rest[end] == '-' || s.rest[end] >= '0' && s.rest[end] <= '9') {
		end++
	}
	n := strings.TrimPrefix(s.rest[:end], "-")
	ok := n != "" && len(n) <= digits && !strings.Contains(n, "-") && (n[0] != '0' || s.rest[:end] == "0")
	s.rest = s.rest[end:]
	return ok
}
