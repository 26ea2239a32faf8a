package form

import (
	"strings"
	"unicode/utf8"
)

// moreRoom is reserved for the last line, which counts the omitted handoffs.
const moreRoom = len("1000000 more unread\n")

// A Budget is an output with a maximum number of characters. Add the most important blocks first. The zero value has
// no limit.
type Budget struct {
	limit, used int
	text        strings.Builder
}

// NewBudget returns an empty output of at most limit characters. 0 means no limit.
func NewBudget(limit int) *Budget { return &Budget{limit: limit} }

// Add appends block if it fits together with the last line, and reports whether it did.
func (b *Budget) Add(block string) bool {
	size := utf8.RuneCountInString(block)
	if b.limit > 0 && b.used+size+moreRoom > b.limit {
		return false
	}
	b.used += size
	b.text.WriteString(block)
	return true
}

// String returns the blocks.
func (b *Budget) String() string { return b.text.String() }
