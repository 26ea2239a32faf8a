package index

import (
	"errors"
	"io/fs"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/log"
)

const (
	heading   = "# Handoff Index"
	comment   = "<!-- made from the log; rows typed here have no effect"
	columns   = "| handoff_id | file | from | to | topic | ts_utc | read_by |"
	separator = "|------------|------|------|----|----|--------|---------|"

	// beginnings has the lines, other than rows, that a power cut can tear.
	beginnings = "\n" + heading + "\n" + comment + "\n" + columns

	// blank is what a line without text may have. A power cut can leave NULs.
	blank = " \t\r\n\x00"
)

// A file is an index file in parts.
type file struct {
	name, old string

	top   string // text down to the heading
	point string // in the comment, as pointOf returns it; "" in an archive
	above string // text between the comment and the table
	rows  []string
	below string
}

// pointOf returns how a comment names a point.
func pointOf(p log.Point) string { return "; " + p.String() }

// open reads a file. A missing one is empty.
func open(d *disk.Dir, name string) (*file, error) {
	text, err := d.Read(name, disk.MaxIndex)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	f := parse(string(text))
	f.name = name
	return f, nil
}

// parse takes a text apart. No text is invalid.
func parse(text string) *file {
	f := &file{old: text}
	var above, below []byte
	part, inTable := &above, false
	for line := range strings.Lines(text) {
		one := strings.Trim(line, blank)
		isColumns := strings.HasPrefix(one, "| handoff_id") && strings.Join(strings.Fields(one), " ") == columns
		inTable = isColumns || inTable && strings.HasPrefix(one, "|")
		point, isComment := strings.CutPrefix(one, comment)
		switch {
		case inTable || isRow(one):
			part = &below
			if !isColumns && strings.Trim(one, "|-: ") != "" {
				f.rows = append(f.rows, one)
			}
		case isComment || one == heading:
			if one += "\n"; isComment {
				f.point, one = strings.TrimSuffix(point, " -->"), ""
			}
			if part == &above && f.top == "" {
				f.top, above = string(above)+one, nil
			}
		case !strings.HasSuffix(line, "\n") && strings.Contains(beginnings, "\n"+one): // torn
		default:
			*part = append(*part, line...)
		}
	}
	f.above, f.below = string(above), string(below)
	return f
}

// text returns the whole text of a file.
func (f *file) text() string {
	top, above, below := f.top, f.above, f.below
	if isBlank(top) {
		top = heading + "\n"
	}
	switch {
	case isBlank(above):
		above = "\n"
	case !strings.HasSuffix(above, "\n\n"):
		above = strings.TrimRight(above, "\n") + "\n\n"
	}
	switch {
	case isBlank(below):
		below = ""
	case below[0] != '\n':
		below = "\n" + below
	}
	var b strings.Builder
	b.Grow(len(f.old) + 1000)
	b.WriteString(top + comment + f.point + " -->\n" + above + columns + "\n" + separator + "\n")
	for _, row := range f.rows {
		b.WriteString(row)
		b.WriteByte('\n')
	}
	b.WriteString(below)
	return b.String()
}

func isBlank(text string) bool { return strings.Trim(text, blank) == "" }

// put writes a file if it changed. An archive with neither rows nor text of people is removed.
func (f *file) put(d *disk.Dir) error {
	hasText := !isBlank(strings.TrimSuffix(f.top, heading+"\n") + f.above + f.below)
	if f.name != disk.IndexFile && f.rows == nil && !hasText {
		return d.Remove(f.name)
	}
	if text := f.text(); text != f.old {
		return d.Replace(f.name, []byte(text), 0o644, hasText)
	}
	return nil
}
