// Package secrets finds credentials in text with a fixed table of precise rules. They find prefixes of providers with
// the text that must follow, blocks of private keys, passwords in URLs and login files, and random values of names
// such as DB_PASSWORD or api_key.
//
// A text is scanned once, as it is: nothing in it is decoded.
//
// The rules, their words and their examples are data in rules.txt, which explains its format. A new kind of
// credential is a new block there.
//
// A finding has its rule and place, never its value. Hashes, UUIDs, ids, resume tokens, words after a prefix and
// common placeholders (examples, ${VARIABLES}, rows of x) are not findings. The expression of a rule is compiled when
// its keyword is first found. A text without keywords costs one pass over its bytes.
package secrets

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Finding is a credential: its rule and its place.
type Finding struct {
	Rule   string `json:"rule"`
	Line   int    `json:"line"`   // 1-based
	Column int    `json:"column"` // 1-based, in characters
	Start  int    `json:"-"`      // byte offset of the credential
	End    int    `json:"-"`      // byte offset after it
}

// Scan returns the credentials in text, sorted by place. If two rules match the same bytes, the more precise one
// counts, which is earlier in Rules. The time is linear in the text.
func Scan(text string) []Finding {
	var found []hit
	t := rules()
	t.words.each(text, func(at, rule int) {
		if h, ok := t.rules[rule].match(text, at); ok {
			h.rule = rule
			found = append(found, h)
		}
	})
	return locate(text, settle(found))
}

// Redact returns text with each finding replaced by [redacted:RULE]. The findings must come from Scan of the same
// text. A scan of the result does not find them again.
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

// Rules returns the names of all rules, the most precise one first.
func Rules() []string {
	var names []string
	all := rules().rules
	for i := range all {
		if !slices.Contains(names, all[i].name) {
			names = append(names, all[i].name)
		}
	}
	return names
}

// A hit is a match without line and column.
type hit struct{ rule, start, end int }

// settle sorts the hits by place, and merges hits that overlap. The earliest rule counts.
func settle(hits []hit) []hit {
	slices.SortFunc(hits, func(a, b hit) int {
		return cmp.Compare(a.start, b.start)
	})
	var kept []hit
	for _, h := range hits {
		if last := len(kept) - 1; last >= 0 && h.start < kept[last].end {
			// One range, so that a redaction leaves no rest.
			kept[last].rule = min(kept[last].rule, h.rule)
			kept[last].end = max(kept[last].end, h.end)
		} else {
			kept = append(kept, h)
		}
	}
	return kept
}

// locate adds lines and columns to sorted hits in one pass.
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
