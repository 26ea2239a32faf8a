// Package secrets finds credentials in text by a fixed table of precise rules: provider prefixes with
// a known length and alphabet, private key blocks, tokens whose structure decodes, passwords in URLs.
//
// A finding names its rule and its place, never its value. Hashes, UUIDs, ids, resume tokens and the
// usual placeholders (examples, ${VARIABLES}, rows of x) are not findings. The patterns of a rule are
// compiled when its keyword is first met, so a text without keywords costs one pass over its bytes.
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

// longest is how much text after a keyword a rule may look at; an 8192-bit key in PEM form has 6,400.
const longest = 16 << 10

// Scan returns the credentials in text, by place. Where two rules meet the same bytes, the more
// precise one (the earlier in Rules) is named. The time is linear in the text.
func Scan(text string) []Finding {
	var found []hit
	each(text, func(at int, rules []int) {
		for _, r := range rules {
			if h, ok := table[r].match(text, at); ok {
				h.rule = r
				found = append(found, h)
			}
		}
	})
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
	names := make([]string, 0, len(table))
	for i := range table {
		if !slices.Contains(names, table[i].name) {
			names = append(names, table[i].name)
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
		found = append(found, Finding{table[h.rule].name, line, column, h.start, h.end})
	}
	return found
}
