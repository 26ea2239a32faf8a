package form

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// moreRoom is reserved for the last line, which counts the omitted handoffs.
const moreRoom = len("1000000 more unread\n")

// A Budget is an output with a maximum number of characters. Add the most important blocks first. The zero value has
// no limit.
type Budget struct {
	limit, used, omitted int
	text                 strings.Builder
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

// Omit adds n to the number of omitted handoffs.
func (b *Budget) Omit(n int) { b.omitted += n }

// String returns the blocks. If handoffs were omitted and there is room, the line "N more unread" follows.
func (b *Budget) String() string {
	if b.omitted <= 0 {
		return b.text.String()
	}
	more := fmt.Sprintf("%d more unread\n", b.omitted)
	if b.limit > 0 && b.used+len(more) > b.limit {
		return b.text.String()
	}
	return b.text.String() + more
}
