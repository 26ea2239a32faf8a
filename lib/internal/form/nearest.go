package form

import "strings"

// Nearest returns the known word that a misspelled one probably means, or "". The distance is at most a third of its
// length, and at most 2 for short words. For words of up to 4 letters it is at most 1. Case only decides between two
// that are equally near.
func Nearest(word string, known []string) string {
	const longest, short = 64, 4 // the cost is the product of the lengths, and words are untrusted
	best, least := "", max(2, len(word)/3)+1
	switch {
	case len(word) > longest:
		return best
	case len(word) <= short:
		least = 2
	}
	for _, cased := range []func(string) string{strings.TrimSpace, strings.ToLower} {
		for _, k := range known {
			if n := Edits(cased(strings.TrimSpace(word)), cased(k)); n < least && n < len(k) {
				best, least = k, n
			}
		}
	}
	return best
}

// Edits returns the optimal string alignment distance from a to b. It counts the characters that are added, removed,
// changed or swapped with the next one. The time is the product of the lengths.
func Edits(a, b string) int {
	from, to := []rune(a), []rune(b)
	var before []int
	row := make([]int, len(to)+1)
	for j := range row {
		row[j] = j
	}
	for i, r := range from {
		next := make([]int, len(to)+1)
		next[0] = i + 1
		for j, want := range to {
			change := row[j]
			if r != want {
				change++
			}
			next[j+1] = min(change, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && r == to[j-1] && from[i-1] == want {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row = row, next
	}
	return row[len(to)]
}
