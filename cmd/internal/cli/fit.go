package cli

import (
	"io"
	"regexp"
	"strings"
	"sync"
	"time"
)

// Fit returns text for people: on a terminal its ids have 8 digits, and its times are local. In a pipe it stays as it
// is.
func Fit(w io.Writer, text string) string {
	if IsTerminal(w) {
		return withLocalTimes(withShortIDs(text))
	}
	return text
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
