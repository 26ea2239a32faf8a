package form

import "strings"

// Nearest returns the known word that a misspelt one probably means, or "" when none is near:
// within a third of its length, two edits for short words, and one for those of up to four letters, case aside.
func Nearest(word string, known []string) string {
	const longest, short = 64, 4 // the cost is the product of both lengths, and words come from outside
	best, least := "", max(2, len(word)/3)+1
	switch {
	case len(word) > longest:
		return best
	case len(word) <= short:
		least = 2
	}
	for _, k := range known {
		if n := Edits(strings.ToLower(strings.TrimSpace(word)), strings.ToLower(k)); n < least && n < len(k) {
			best, least = k, n
		}
	}
	return best
}

// Edits returns how many characters have to be added, removed, changed, or swapped with their
// neighbour, to make b of a, none of them twice (the optimal string alignment distance). It takes as
// long as the product of their lengths.
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
