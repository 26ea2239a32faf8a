package cli

import (
	"io"
	"slices"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// fit returns a line for people. On a terminal its ids have 8 digits, and it is broken between words where it is too
// wide, but never within a command in backquotes, which people copy. In a pipe it stays as it is.
func fit(w io.Writer, line string) string {
	if width := TerminalWidth(w); width > 0 {
		return broken(withLocalTimes(withShortIDs(line)), width)
	}
	return line
}

// broken returns a line as lines of at most width columns, unless a word is wider.
func broken(line string, width int) string {
	if handoff.Width(line) <= width {
		return line
	}
	indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
	lines, used := []string{}, ""
	for _, word := range unbreakable(line) {
		switch {
		case used == "":
			used = indent + word
		case handoff.Width(used+" "+word) <= width:
			used += " " + word
		default:
			lines, used = append(lines, used), indent+"  "+word
		}
	}
	return strings.Join(append(lines, used), "\n")
}

// unbreakable returns the words of a line. Text in backquotes is one word.
func unbreakable(line string) (words []string) {
	quoted := false
	for _, word := range strings.Fields(line) {
		if quoted {
			words[len(words)-1] += " " + word
		} else {
			words = append(words, word)
		}
		quoted = quoted != (strings.Count(word, "`")%2 == 1)
	}
	return words
}

// withShortIDs returns text with the first 8 digits in place of each whole id.
func withShortIDs(text string) string {
	const prefix, digits = "sha256:", 64
	short, rest, found := strings.Cut(text, prefix)
	for found {
		n := len(rest) - len(strings.TrimLeft(rest, "0123456789abcdef"))
		if n == digits {
			short += rest[:Shortest]
		} else {
			short += prefix + rest[:n]
		}
		rest = rest[n:]
		var before string
		before, rest, found = strings.Cut(rest, prefix)
		short += before
	}
	return short
}

// withLocalTimes returns text with the local time in place of each instant that says since when, until when, or when.
func withLocalTimes(text string) string {
	words := strings.Split(text, " ")
	for i, word := range words[1:] {
		if !slices.Contains([]string{"since", "at", "until"}, words[i]) {
			continue
		}
		instant := strings.TrimRight(word, ",;:.)")
		if at, err := time.Parse(time.RFC3339, instant); err == nil {
			words[i+1] = at.Local().Format("2006-01-02 15:04") + word[len(instant):]
		}
	}
	return strings.Join(words, " ")
}
