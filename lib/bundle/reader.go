package bundle

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/seed-78daf238/handoff/lib/fault"
)

// A Reader reads a bundle line by line. What it has returned is proven when Next returns io.EOF, and
// not before.
//
// A bundle that is cut, or whose bytes are not those that its end line tells of, is ErrIntegrity; what
// no bundle of this format says, or is too large, is ErrInvalid.
type Reader struct {
	Header Header

	name   string
	from   *bufio.Reader
	long   int // bytes that a line may have
	read   int64
	at     int64 // where the last line begins
	packed bool
	number int
	tally  tally
	rules  rules
	line   []byte
}

// NewReader reads the first line of a bundle, packed or not. The name is for messages. maxDocument is
// how many bytes a document may have.
func NewReader(from io.Reader, name string, maxDocument int) (*Reader, error) {
	r := &Reader{name: name, from: bufio.NewReaderSize(from, 64<<10), tally: newTally(), rules: newRules(),
		long: 6*maxDocument + 2*maxSigs*maxText} // each byte of a document may be a \u escape, each of a signature \n
	if magic, _ := r.from.Peek(2); string(magic) == "\x1f\x8b" {
		unpacked, err := gzip.NewReader(r.from)
		if err != nil {
			return nil, r.damaged("cannot be unpacked: " + err.Error())
		}
		r.from, r.packed = bufio.NewReaderSize(unpacked, 64<<10), true
	}
	const start = `{"bundle":"handoff-bundle/`
	begin, _ := r.from.Peek(len(start))
	if !bytes.HasPrefix([]byte(start), begin) {
		return nil, r.invalid("give a file that `handoff export` has made", "is not a bundle of handoffs")
	}
	line, err := r.next()
	if err != nil {
		return nil, err
	}
	if !bytes.HasPrefix(line, []byte(`{"bundle":"`+Format+`"`)) {
		return nil, r.invalid("use a newer version of handoff", "is a bundle of another format than "+Format)
	}
	if r.Header, err = parseHeader(line); err != nil {
		return nil, r.odd(err.Error())
	}
	r.tally.add(line)
	return r, nil
}

// Next returns the next line that is neither the first nor the last. io.EOF says that the bundle is whole.
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
		return Line{}, r.odd(err.Error())
	}
	if why := r.rules.check(l); why != "" {
		return Line{}, r.odd(why)
	}
	r.tally.add(text)
	if l.Number = r.number; l.Handoff != nil {
		r.tally.handoffs++
	}
	return l, nil
}

// add counts a line into the hash of the bundle.
func (t tally) add(line []byte) {
	t.sum.Write(line)
	t.sum.Write([]byte{'\n'})
}

// next reads a line, whose newline is left out.
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
		case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader),
			errors.As(err, new(flate.CorruptInputError)):
			return nil, r.damaged("is cut or damaged: " + err.Error())
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, fmt.Errorf("nothing was imported: cannot read %s: %w", r.name, err)
		}
	}
}

// end compares the last line with what was read. io.EOF is that all is well.
func (r *Reader) end(line []byte) error {
	if !bytes.Equal(line, r.tally.text()) {
		return r.damaged("was changed or cut: it is not what its end line tells of")
	}
	switch _, err := r.from.ReadByte(); err {
	case io.EOF:
		return io.EOF
	case nil:
		return r.invalid("import each bundle by itself", fmt.Sprintf("goes on behind its end line, line %d", r.number))
	default:
		return r.damaged("is cut or damaged: " + err.Error())
	}
}

// odd is for a line that no bundle has. It is a fault of whoever made the bundle, unless the end line
// shows that the bundle is not what was made.
func (r *Reader) odd(why string) error {
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

// invalid says that what was given is no bundle: exit code 2.
func (r *Reader) invalid(hint, why string) error {
	return fault.New(fault.ErrInvalid, hint, "nothing was imported: %s: %s", r.name, why)
}

// damaged says that a bundle is not what was exported: exit code 6.
func (r *Reader) damaged(why string) error {
	return fault.New(fault.ErrIntegrity, "get the bundle once more", "nothing was imported: %s %s", r.name, why)
}

// parseHeader reads the first line. Keys that it does not know are found when the line is made again.
func parseHeader(line []byte) (Header, error) {
	var v struct {
		Created string `json:"created_utc"`
		Origin  struct {
			Writer string `json:"writer"`
		} `json:"origin"`
	}
	if err := json.Unmarshal(line, &v); err != nil {
		return Header{}, errors.New("is not a JSON object")
	}
	h := Header{v.Created, v.Origin.Writer}
	if why := h.check(); why != "" {
		return h, errors.New(why)
	}
	return h, same(line, h.text())
}

// parseLine is the inverse of Line.text: what it would write otherwise is refused.
func parseLine(line []byte) (l Line, err error) {
	var v struct {
		Handoff   *string  `json:"handoff"`
		ID        string   `json:"id"`
		FirstSeen string   `json:"first_seen"`
		Sigs      []string `json:"sigs"`
		Read      *struct {
			ID, Operator string
			Time         string `json:"ts_utc"`
		} `json:"read"`
		Consumed *struct {
			Token, ID, Operator, Accepted, Reason, Session string
			Time                                           string `json:"ts_utc"`
		} `json:"consumed"`
	}
	if err := json.Unmarshal(line, &v); err != nil {
		return l, errors.New("is not a JSON object of a bundle")
	}
	switch {
	case v.Handoff != nil:
		l.Handoff = &Handoff{v.ID, *v.Handoff, v.Sigs, v.FirstSeen}
	case v.Read != nil:
		l.Read = &Read{v.Read.ID, v.Read.Operator, v.Read.Time}
	case v.Consumed != nil:
		c := v.Consumed
		l.Consumed = &Consumed{Token: c.Token, HandoffID: c.ID, Operator: c.Operator, Time: c.Time,
			Accepted: c.Accepted, Reason: c.Reason, Session: c.Session}
	default:
		return l, errors.New("is not of a kind that a bundle has")
	}
	return l, same(line, l.text())
}

// same reports whether a line is, byte for byte, the one that export writes: then there is nothing in it
// that was not understood, and one set of handoffs has one bundle.
func same(line, again []byte) error {
	if !bytes.Equal(again, line) {
		return errors.New("has other keys than a bundle has, or is not in canonical form")
	}
	return nil
}
