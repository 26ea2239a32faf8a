// Package secrets finds credentials in text by a fixed table of precise rules: prefixes of providers
// with what they say follows, private key blocks, tokens whose structure decodes, passwords in URLs
// and in files that hold logins, and values that look chosen at random and are assigned to a name such
// as DB_PASSWORD or api_key.
//
// A text is scanned as it is, and as somebody reads it who knows its escapes: of JSON, C, shells,
// Markdown, URLs, HTML and terminals, three deep, and without the characters that cannot be seen. A
// finding covers the bytes as they are written.
//
// The rules, the words that they look for and their examples are data: rules.txt, which says how it is read. A new
// form of credential is a block in it.
//
// A finding names its rule and its place, never its value. Hashes, UUIDs, ids, resume tokens, words
// behind a prefix and the usual placeholders (examples, ${VARIABLES}, rows of x) are not findings. The
// expression of a rule is compiled when its keyword is first met, so a text without keywords costs one
// pass over its bytes.
package secrets

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Finding is one credential: which rule it met and where it stands.
type Finding struct {
	Rule   string `json:"rule"`
	Line   int    `json:"line"`   // 1-based
	Column int    `json:"column"` // 1-based, in characters
	Start  int    `json:"-"`      // byte offset of the credential
	End    int    `json:"-"`      // byte offset after it
}

// layers is how many texts are scanned: the given one, and what it holds inside of three escapes
// around each other.
const layers = 4

// Scan returns the credentials in text, by place. Where two rules meet the same bytes, the more
// precise one (the earlier in Rules) is named. The time is linear in the text.
func Scan(text string) []Finding {
	var found []hit
	t, v := rules(), &view{text: text}
	for depth := 0; v != nil && depth < layers; depth++ {
		t.filter.each(v.text, func(at, rule int) {
			if h, ok := t.rules[rule].match(v, at); ok {
				h.rule = rule
				found = append(found, h)
			}
		})
		v = v.reveal()
	}
	return locate(text, settle(found))
}

// Redact returns text with every finding replaced by [redacted:RULE]. The findings must come from a
// Scan of the same text. Scanning the result finds nothing in their places.
func Redact(text string, findings []Finding) string {
	var b strings.Builder
	done := 0
	for _, f := range findings {
		if f.Start < done || f.End > len(text) {
			continue
		}
		b.WriteString(text[done:f.Start])
		b.WriteString("[redacted:" + f.Rule + "]")
		done = f.End
	}
	b.WriteString(text[done:])
	return b.String()
}

// Rules returns the names of all rules, the most precise first.
func Rules() []string {
	var names []string
	for _, r := range rules().rules {
		if !slices.Contains(names, r.name) {
			names = append(names, r.name)
		}
	}
	return names
}

// A hit is a match before its line is known.
type hit struct{ rule, start, end int }

// settle sorts the hits by place and keeps, of those that overlap, the one of the earliest rule.
func settle(hits []hit) []hit {
	slices.SortFunc(hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.rule, b.rule), cmp.Compare(b.end, a.end))
	})
	var kept []hit
	for _, h := range hits {
		last := len(kept) - 1
		switch {
		case last < 0 || h.start >= kept[last].end:
			kept = append(kept, h)
		default: // one range for both, so that a redaction leaves no rest of either
			kept[last].rule = min(kept[last].rule, h.rule)
			kept[last].end = max(kept[last].end, h.end)
		}
	}
	return kept
}

// locate gives the hits, sorted by place, their lines and columns in one pass.
func locate(text string, hits []hit) []Finding {
	var found []Finding
	line, lineStart, seen := 1, 0, 0
	for _, h := range hits {
		passed := text[seen:h.start]
		if n := strings.Count(passed, "\n"); n > 0 {
			line += n
			lineStart = seen + strings.LastIndexByte(passed, '\n') + 1
		}
		seen = h.start
		column := utf8.RuneCountInString(text[lineStart:h.start]) + 1
		found = append(found, Finding{rules().rules[h.rule].name, line, column, h.start, h.end})
	}
	return found
}
