package index

import (
	"bytes"

	"github.com/seed-78daf238/handoff/lib/internal/document"
)

// The functions in this file examine the bytes of a line without parsing it. For a row they agree with
// ParseRow. For any other line the result is arbitrary.

// IsRowLike reports whether a line begins like a row, without leading spaces.
func IsRowLike(line []byte) bool {
	return len(line) > len(rowStart) && string(line[:len(rowStart)]) == rowStart
}

// RowID returns the bytes in the position of the id of a row, or nil if the line does not begin like a row.
func RowID(line []byte) []byte {
	line = bytes.TrimLeft(line, " \t\r")
	if end := len("| sha256:") + 64; len(line) > end && IsRowLike(line) {
		return line[len("| "):end]
	}
	return nil
}

// Cell returns the n-th cell of a line, counted from 0, or nil if there are fewer cells.
func Cell(line []byte, n int) []byte {
	for ; n >= 0; n-- {
		i := bytes.IndexByte(line, '|')
		if i < 0 {
			return nil
		}
		line = line[i+1:]
	}
	if i := bytes.IndexByte(line, '|'); i >= 0 {
		line = line[:i]
	}
	return bytes.Trim(line, " ")
}

// IsMarked reports whether the last cell of a line, read_by in a row, has an entry of operator.
func IsMarked(line []byte, operator string) bool {
	line = bytes.TrimRight(line, " \t\r")
	if len(line) == 0 || line[len(line)-1] != '|' {
		return false
	}
	line = line[:len(line)-1]
	for cell := bytes.TrimLeft(line[bytes.LastIndexByte(line, '|')+1:], " "); len(cell) > len(operator); {
		if cell[len(operator)] == ':' && string(cell[:len(operator)]) == operator {
			return true
		}
		comma := bytes.IndexByte(cell, ',')
		if comma < 0 {
			return false
		}
		cell = bytes.TrimLeft(cell[comma+1:], " ")
	}
	return false
}

// markedTail is the length of the end of a row with one mark: the time in seconds and the end of the cell.
const markedTail = len("2026-05-08T09:00:00Z |")

// IsMarkedAlone reports whether a line ends in a cell with exactly one mark. start is the beginning of the
// cell with the name and colon, "| ben:". It is a fast IsMarked for the most frequent rows.
func IsMarkedAlone(line []byte, start string) bool {
	at := len(line) - markedTail - len(start)
	return at > 0 && string(line[at:at+len(start)]) == start && string(line[len(line)-2:]) == " |" &&
		bytes.IndexByte(line[at+len(start):len(line)-2], '|') < 0
}

// NotFor returns a function that reports whether a line is not addressed to operator. If operator is "", any
// recipient counts. If unread is set, it also reports rows that the recipient has read. NotFor returns nil if
// every row counts.
func NotFor(operator string, unread bool) func(line []byte) bool {
	switch {
	case operator == "" && !unread:
		return nil
	case operator == "":
		return func(line []byte) bool {
			to := Cell(line, 3)
			return IsRowLike(line) && len(to) > 0 && IsMarked(line, string(to))
		}
	}
	alone := "| " + operator + ":"
	return func(line []byte) bool {
		if !IsRowLike(line) {
			return false
		}
		if unread && IsMarkedAlone(line, alone) {
			return true
		}
		to := Cell(line, 3)
		return string(to) != operator && string(to) != document.Next || unread && IsMarked(line, operator)
	}
}
