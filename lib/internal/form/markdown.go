package form

import "strings"

const (
	maxMarkdown  = 64 << 10
	maxParagraph = 16 << 10
)

// IsFitForMarkdown reports whether text and each of its paragraphs are short enough to be parsed as Markdown. The
// time grows with the square of a paragraph of only marks, to 30 s for 128 KiB.
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
