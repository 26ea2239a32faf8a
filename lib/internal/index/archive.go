package index

import (
	"bytes"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/layout"
)

// maxGap is how many archives in a row may be lost with their links. No rotation makes a link that is farther away.
const maxGap = 100

// NextArchive returns the number of the archive to look for after the n-th, which is there or not, when
// INDEX.md links the archives linked: 0 if neither the n-th nor one after it has to be there.
func NextArchive(linked []string, n int, there bool) int {
	if there || slices.ContainsFunc(linked, func(name string) bool {
		ahead := layout.ArchiveNumber(name) - n
		return ahead >= 0 && ahead < maxGap
	}) {
		return n + 1
	}
	return 0
}

// Archives returns the names of the archives that text links, in their order.
func Archives(text string) []string {
	var names []string
	for l := range Lines(text) {
		if l.IsRow {
			break
		}
		if t := trim(l.Text); isLink(t) {
			name, _, _ := strings.Cut(t[len("- ["):], "]")
			names = append(names, name)
		}
	}
	return names
}

// ListsNothing reports whether text, of INDEX.md, has neither a row nor a link to an archive.
func ListsNothing(text []byte) bool { return IsEmpty(text) && len(Archives(string(text))) == 0 }

// HasTable reports whether text has a line that may be one of a table. What an archive holds has.
func HasTable(text []byte) bool { return bytes.IndexByte(text, '|') >= 0 }
