package eventlog_test

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
)

// Backward gives every whole line once, from the last to the first, wherever pieces end, and ends when it is told to.
func TestBackward(t *testing.T) {
	for _, width := range []int{0, 1, 7, 1000, 64<<10 - 1, 64 << 10, 200 << 10} {
		var lines []string
		for n := 0; n < 5 || n*max(width, 10) < 300<<10; n++ {
			lines = append(lines, fmt.Sprint(n, strings.Repeat("x", width*(n%3)/2)))
		}
		text := strings.Join(lines, "\n") + "\n"
		slices.Reverse(lines)
		for _, end := range []string{"", "torn", strings.Repeat("torn", 50<<10)} {
			all := []byte(text + end)
			var got []string
			read := func(most int) {
				got = nil
				err := eventlog.Backward(io.NewSectionReader(bytes.NewReader(all), 0, int64(len(all))), func(line []byte) bool {
					got = append(got, string(line))
					return len(got) < most
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			if read(1 << 30); !slices.Equal(got, lines) {
				t.Errorf("width %d, %d bytes at the end: %d lines of %d", width, len(end), len(got), len(lines))
			}
			if read(3); !slices.Equal(got, lines[:3]) {
				t.Errorf("width %d: the first three are %.20q", width, got)
			}
		}
	}
}
