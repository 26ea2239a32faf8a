package bundle

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/seed-78daf238/handoff/lib/fault"
)

// A Reader reads a bundle line by line. The lines are proven only after Next has returned io.EOF.
//
// If a bundle is cut, or differs from its end line, the error is ErrIntegrity. If it is too large, or not in this
// format, the error is ErrInvalid.
type Reader struct {
	Header Header

	name   string
	from   *bufio.Reader
	long   int // the maximum bytes of a line
	read   int64
	at     int64 // the offset of the last line
	number int
	tally  tally
	rules  rules
	line   []byte
}

// NewReader reads the header of a bundle. name is for messages. maxDocument limits the bytes of a
// document. Errors are those of a Reader.
func NewReader(from io.Reader, name string, maxDocument int) (*Reader, error) {
	r := &Reader{name: name, from: bufio.NewReaderSize(from, 64<<10), tally: newTally(), rules: newRules(),
		// each byte of a document may be a \u escape, each byte of a signature \n
		long: 6*maxDocument + 2*maxSigs*maxText}
	const start = `{"bundle":"handoff-bundle/`
	begin, _ := r.from.Peek(len(start))
	if !bytes.HasPrefix([]byte(start), begin) {
		return nil, r.invalid("use a file from `handoff export`", "is not a bundle of handoffs")
	}
	line, err := r.next()
	if err != nil {
		return nil, err
	}
	if !bytes.HasPrefix(line, []byte(`{"bundle":"`+Format+`"`)) {
		return nil, r.invalid("use a newer version of handoff", "is a bundle of another format than "+Format)
	}
	if r.Header, err = parseHeader(line); err != nil {
		return nil, r.malformed(err.Error())
	}
	r.tally.add(line)
	return r, nil
}

// Next returns the next line between the header and the end. io.EOF means that the bundle is complete and proven.
func (r *Reader) Next() (Line, error) {
	text, err := r.next()
	if err != nil {
		return Line{}, err
	}
	if bytes.HasPrefix(text, []byte(`{"end":`)) {
		return Line{}, r.end(text)
	}
	l, err := parseLine(text)
	if err != nil {
		return Line{}, r.malformed(err.Error())
	}
	if why := r.rules.check(l); why != "" {
		return Line{}, r.malformed(why)
	}
	r.tally.add(text)
	if l.Number = r.number; l.Handoff != nil {
		r.tally.handoffs++
	}
	return l, nil
}

// add adds a line to the hash of the bundle.
func (t tally) add(line []byte) {
	t.sum.Write(line)
	t.sum.Write([]byte{'\n'})
}

// next reads a line without its newline.
func (r *Reader) next() ([]byte, error) {
	r.line, r.at = r.line[:0], r.read
	if r.number++; r.number > MaxLines {
		return nil, r.invalid("export fewer handoffs at once", fmt.Sprintf("has more than %d lines", MaxLines))
	}
	for {
		part, err := r.from.ReadSlice('\n')
		r.line = append(r.line, part...)
		r.read += int64(len(part))
		switch {
		case r.read > MaxBytes:
			return nil, r.invalid("export fewer handoffs at once", fmt.Sprintf("has more than %d bytes", MaxBytes))
		case len(r.line) > r.long:
			return nil, r.invalid("set max_document_bytes higher if its documents may be larger",
				fmt.Sprintf("line %d is too long", r.number))
		case err == nil:
			return r.line[:len(r.line)-1], nil
		case err == io.EOF:
			return nil, r.damaged("is cut: it has no end line")
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, fmt.Errorf("nothing was imported: cannot read %s: %w", r.name, err)
		}
	}
}

// end compares the last line with the lines before it. It returns io.EOF if they match.
func (r *Reader) end(line []byte) error {
	if !bytes.Equal(line, r.tally.text()) {
		return r.damaged("was changed or cut: it is not what its end line tells of")
	}
	if _, err := r.from.ReadByte(); err != nil {
		return err
	}
	return r.invalid("import each bundle by itself", fmt.Sprintf("goes on behind its end line, line %d", r.number))
}

// malformed returns the error for a line that no bundle has. It is ErrInvalid, unless the end line proves that the
// bundle was changed after it was made.
func (r *Reader) malformed(why string) error {
	problem := fmt.Sprintf("line %d %s", r.number, why)
	r.tally.add(r.line[:len(r.line)-1])
	for {
		text, err := r.next()
		if errors.Is(err, fault.ErrInvalid) {
			break
		} else if err != nil {
			return err
		}
		if sum := fmt.Appendf(nil, `,"sha256":"%x"}}`, r.tally.sum.Sum(nil)); bytes.HasPrefix(text, []byte(`{"end":`)) {
			if !bytes.HasSuffix(text, sum) {
				return r.damaged("was changed or cut: it is not what its end line tells of, and " + problem)
			}
			break
		}
		r.tally.add(text)
	}
	return r.invalid("ask whoever made the bundle for one of `handoff export`", problem)
}

// invalid returns the error for a file that is not a bundle: ErrInvalid.
func (r *Reader) invalid(hint, why string) error {
	return fault.Invalid(hint, "nothing was imported: %s: %s", r.name, why)
}

// damaged returns the error for a bundle that was changed after it was made: ErrIntegrity.
func (r *Reader) damaged(why string) error {
	return fault.Integrity("get the bundle once more", "nothing was imported: %s %s", r.name, why)
}

// parseHeader parses the first line. It finds unknown keys by formatting the line again.
func parseHeader(line []byte) (h Header, err error) {
	if err := json.Unmarshal(line, &h); err != nil {
		return h, errors.New("is not a JSON object")
	}
	if why := h.check(); why != "" {
		return h, errors.New(why)
	}
	return h, checkSame(line, h.text())
}

// parseLine is the inverse of Line.text. It refuses a line that text would write differently.
func parseLine(line []byte) (l Line, err error) {
	if err := json.Unmarshal(line, &l); err != nil {
		return l, errors.New("is not a JSON object of a bundle")
	}
	if l.Handoff == nil && l.Read == nil && l.Consumed == nil {
		return l, errors.New("is not of a kind that a bundle has")
	}
	return l, checkSame(line, l.text())
}

// checkSame returns an error unless line is exactly what export writes. Then every byte is understood, and the same
// handoffs always make the same bundle.
func checkSame(line, again []byte) error {
	if !bytes.Equal(again, line) {
		return errors.New("has other keys than a bundle has, or is not in canonical form")
	}
	return nil
}
