package cli

import (
	"io"
	"regexp"
	"strings"
	"sync"
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

// Fit is fit for each line of a text. In a frame each of the new lines begins as the old one.
func Fit(w io.Writer, text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = fit(w, line)
	}
	return strings.Join(lines, "\n")
}

// broken returns a line as lines of at most width columns, unless a word is wider.
func broken(line string, width int) string {
	if handoff.Width(line) <= width {
		return line
	}
	indent := line[:len(line)-len(strings.TrimLeft(line, "| "))]
	lines, used := []string{}, ""
	for _, word := range unbreakable(line[len(indent):]) {
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

// ids matches a whole id, with a group for its first 8 digits.
var ids = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`sha256:([0-9a-f]{8})[0-9a-f]{56}\b`) })

// withShortIDs returns text with the first 8 digits in place of each whole id.
func withShortIDs(text string) string { return ids().ReplaceAllString(text, "$1") }

// instants matches an instant that says since when, until when, or when.
var instants = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(?:since|at|until) \d[0-9-]+T[0-9:.]*[0-9]Z`)
})

// withLocalTimes returns text with the local time in place of each instant that says since when, until when, or when.
func withLocalTimes(text string) string {
	return instants().ReplaceAllStringFunc(text, func(found string) string {
		word, instant, _ := strings.Cut(found, " ")
		at, err := time.Parse(time.RFC3339, instant)
		if err != nil {
			return found
		}
		return word + " " + at.Local().Format("2006-01-02 15:04")
	})
}
