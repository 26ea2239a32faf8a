package bundle

import (
	"fmt"
	"io"

	"github.com/seed-78daf238/handoff/lib/fault"
)

// maxEnd is more than the size of the end line.
const maxEnd = 256

// A Writer writes a bundle. Without Close the bundle is incomplete, and no import accepts it.
type Writer struct {
	to    io.Writer
	tally tally
	rules rules
	lines int
	size  int
}

// NewWriter begins a bundle. It fails if the header is invalid.
func NewWriter(to io.Writer, h Header) (*Writer, error) {
	w := &Writer{to: to, tally: newTally(), rules: newRules()}
	if why := h.check(); why != "" {
		return nil, fmt.Errorf("the header %s", why)
	}
	return w, w.put(h.text())
}

// Put writes a line; its Number is ignored. It returns an error if a reader would refuse the line. If the bundle
// becomes too large, the error is fault.ErrInvalid.
func (w *Writer) Put(l Line) error {
	if err := checkLines(w.lines + 2); err != nil { // with this line and the end
		return err
	}
	if why := w.rules.check(l); why != "" {
		return fmt.Errorf("%s cannot be put into a bundle: the line %s", l.place().of, why)
	}
	if l.Handoff != nil {
		w.tally.handoffs++
	}
	return w.put(l.text())
}

// Close ends the bundle. It does not close the underlying writer.
func (w *Writer) Close() error {
	_, err := w.to.Write(append(w.tally.text(), '\n'))
	return err
}

// put writes a line and counts it.
func (w *Writer) put(text []byte) error {
	text = append(text, '\n')
	w.lines++
	if w.size += len(text); w.size > MaxBytes-maxEnd {
		return tooLarge(MaxBytes, "bytes")
	}
	w.tally.sum.Write(text)
	_, err := w.to.Write(text)
	return err
}

// checkLines returns fault.ErrInvalid for more lines than a reader accepts.
func checkLines(n int) error {
	if n > MaxLines {
		return tooLarge(MaxLines, "lines")
	}
	return nil
}

func tooLarge(most int, of string) error {
	return fault.Invalid("export to files with -o, or fewer handoffs at once",
		"the bundle would have more than %d %s, and no import takes it", most, of)
}
