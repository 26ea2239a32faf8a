package form

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// moreRoom is kept free for the last line, which counts what did not fit.
const moreRoom = len("1000000 more unread\n")

// A Budget is an output that must not exceed a number of characters. Add what matters most first.
// Its zero value has no limit.
type Budget struct {
	limit, used, omitted int
	text                 strings.Builder
}

// NewBudget returns an empty output of at most limit characters, 0 for no limit.
func NewBudget(limit int) *Budget { return &Budget{limit: limit} }

// Add appends block whole if it fits beside the closing line and reports whether it did.
func (b *Budget) Add(block string) bool {
	size := utf8.RuneCountInString(block)
	if b.limit > 0 && b.used+size+moreRoom > b.limit {
		return false
	}
	b.used += size
	b.text.WriteString(block)
	return true
}

// Omit counts n unread handoffs that were left out.
func (b *Budget) Omit(n int) { b.omitted += n }

// String returns the blocks and, if something was omitted and there is room at all, the line "N more unread".
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
