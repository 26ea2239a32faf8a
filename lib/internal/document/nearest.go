package document

import "strings"

// Nearest returns the known word that a misspelt one probably means, or "" when none is near:
// within a third of its length, and two edits for short words, case aside.
func Nearest(word string, known []string) string {
	const longest = 64 // the cost is the product of both lengths, and words come from outside
	best, least := "", max(2, len(word)/3)+1
	if len(word) > longest {
		return best
	}
	for _, k := range known {
		if n := distance(strings.ToLower(strings.TrimSpace(word)), strings.ToLower(k)); n < least && n < len(k) {
			best, least = k, n
		}
	}
	return best
}

// distance is the number of single-byte edits (Levenshtein) between a and b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next := min(row[j]+1, row[j+1]+1, diagonal+cost)
			diagonal, row[j+1] = row[j+1], next
		}
	}
	return row[len(b)]
}
