package index

import (
	"bytes"
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
