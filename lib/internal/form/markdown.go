package form

import "strings"

const (
	maxMarkdown  = 64 << 10
	maxParagraph = 16 << 10
)

// IsFitForMarkdown reports whether text is short enough to be read as Markdown, as a whole and between
// empty lines: what a parser takes grows with the square of a paragraph of nothing but marks, to half
// a minute for 128 KiB.
func IsFitForMarkdown(text string) bool {
	if len(text) > maxMarkdown {
		return false
	}
	paragraph := 0
	for line := range strings.Lines(text) {
		if paragraph += len(line); strings.TrimSpace(line) == "" {
			paragraph = 0
		}
		if paragraph > maxParagraph {
			return false
		}
	}
	return true
}
