package index

import (
	"bytes"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
)

// maxGap is how many archives in a row may be lost with their links. No rotation makes a link that is
// farther away.
const maxGap = 100

// EachArchive calls do with the name of every archive that is there, or that has to be when INDEX.md
// links the archives linked: the numbered ones in their order, then those of months, which are found
// by their links alone.
func EachArchive(linked []string, there func(name string) (bool, error), do func(name string) error) error {
	isAhead := func(n int) bool {
		return slices.ContainsFunc(linked, func(name string) bool {
			ahead := disk.ArchiveNumber(name) - n
			return ahead >= 0 && ahead < maxGap
		})
	}
	var months []string
	for _, name := range linked {
		if disk.IsMonthArchive(name) {
			months = append(months, name)
		}
	}
	slices.Sort(months)
	for n := 1; ; n++ {
		is, err := there(disk.Archive(n))
		if err == nil && !is && !isAhead(n) {
			break
		}
		if err == nil {
			err = do(disk.Archive(n))
		}
		if err != nil {
			return err
		}
	}
	for _, name := range slices.Compact(months) {
		if err := do(name); err != nil {
			return err
		}
	}
	return nil
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
