package form

import (
	"strings"

	"github.com/agext/levenshtein"
)

// Nearest returns the known word that a misspelt one probably means, or "" when none is near:
// within a third of its length, and two edits for short words, case aside.
func Nearest(word string, known []string) string {
	const longest = 64 // the cost is the product of both lengths, and words come from outside
	best, least := "", max(2, len(word)/3)+1
	if len(word) > longest {
		return best
	}
	for _, k := range known {
		if n := Edits(strings.ToLower(strings.TrimSpace(word)), strings.ToLower(k)); n < least && n < len(k) {
			best, least = k, n
		}
	}
	return best
}

// Edits returns how many characters have to be added, removed or changed to make b of a. It takes as long as the product of
// their lengths.
func Edits(a, b string) int { return levenshtein.Distance(a, b, nil) }
