package index

import (
	"bytes"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
)

// maxGap is the most archives in a row that may be lost together with their links. No rotation makes a link
// that is farther away.
const maxGap = 100

// EachArchive calls do with the name of every archive that exists or is required, in order. An archive is required
// if INDEX.md links it or a later one.
func EachArchive(linked []string, there func(name string) (bool, error), do func(name string) error) error {
	isAhead := func(n int) bool {
		return slices.ContainsFunc(linked, func(name string) bool {
			ahead := disk.ArchiveNumber(name) - n
			return ahead >= 0 && ahead < maxGap
		})
	}
	for n := 1; ; n++ {
		is, err := there(disk.Archive(n))
		if err != nil {
			return err
		}
		if !is && !isAhead(n) {
			return nil
		}
		if err := do(disk.Archive(n)); err != nil {
			return err
		}
	}
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

// ListsNothing reports whether the text of INDEX.md has neither a row nor a link to an archive.
func ListsNothing(text []byte) bool { return IsEmpty(text) && len(Archives(string(text))) == 0 }

// HasTable reports whether text has a line that may be part of a table. Every archive has one.
func HasTable(text []byte) bool { return bytes.IndexByte(text, '|') >= 0 }
