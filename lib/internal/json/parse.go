package json

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// Parse parses one JSON value with exact numbers. A leading byte-order mark is dropped. The error is a
// *fault.DocumentError with one fault and its place.
func Parse(src []byte) (*Value, error) {
	return (&parser{src: bytes.TrimPrefix(src, []byte("\ufeff")), line: 1, column: 1}).read()
}

// ParseObject is like Parse, but the value must be an object of at most most bytes. what is its name in faults, such
// as "a packet".
func ParseObject(src []byte, most int, what string) (*Value, error) {
	if len(src) > most {
		return nil, refuse(fault.Fault{Hint: "make it smaller",
			Problem: fmt.Sprintf("the text has %d bytes, more than the %d that are read", len(src), most)})
	}
	v, err := Parse(src)
	if err == nil && v.Kind != Object {
		err = refuse(fault.Fault{Line: v.Line, Column: v.Column,
			Problem: what + " is a JSON object, this is of type " + v.Kind.String()})
	}
	return v, err
}

// refuse returns the error for one fault. Parsing stops at the first fault.
func refuse(f fault.Fault) error { return &fault.DocumentError{Faults: []fault.Fault{f}} }

// read parses the only value of the text.
func (p *parser) read() (*Value, error) {
	src := p.src
	switch bad := form.Invalid(src); {
	case len(src) > MaxBytes:
		return nil, p.fault(0, "make it smaller", "the text has %d bytes, more than the %d that are read",
			len(src), MaxBytes)
	case bad >= 0:
		return nil, p.fault(bad, "save the file as UTF-8", "byte 0x%02x is not valid UTF-8", src[bad])
	case bytes.HasPrefix(src, []byte("\ufeff")):
		return nil, p.fault(0, "save the file as UTF-8 without one", "the text begins with a byte-order mark")
	}
	p.dec = jsontext.NewDecoder(bytes.NewBuffer(src))
	v, err := p.value()
	end := int(p.dec.InputOffset())
	if err == nil {
		if _, err = p.dec.ReadToken(); err == io.EOF {
			return v, nil
		}
		if err == nil {
			return nil, p.fault(p.next(end), "keep one JSON value in the file", "a second value")
		}
	}
	return nil, p.explain(err)
}

// A parser parses values one after the other. The library finds their ends; the parser adds places, limits and
// duplicate names.
type parser struct {
	src           []byte
	dec           *jsontext.Decoder
	at            int // the offset of line and column
	line, column  int
	depth, values int
}

// place advances to an offset.
func (p *parser) place(offset int) (line, column int) {
	for ; p.at < offset; p.at++ {
		switch c := p.src[p.at]; {
		case c == '\n':
			p.line, p.column = p.line+1, 1
		case utf8.RuneStart(c):
			p.column++
		}
	}
	return p.line, p.column
}

// fault returns the error for a problem at an offset.
func (p *parser) fault(offset int, hint, format string, args ...any) error {
	line, column := form.Place(p.src, offset)
	return refuse(fault.Fault{Line: line, Column: column, Problem: fmt.Sprintf(format, args...), Hint: hint})
}

// value parses the next value. The library reports invalid values, because it knows what it expected.
func (p *parser) value() (*Value, error) {
	v := &Value{}
	switch p.dec.PeekKind() {
	case '{':
		v.Kind = Object
		return v, p.nested(v)
	case '[':
		v.Kind = Array
		return v, p.nested(v)
	case '"':
		v.Kind = String
	case '0':
		v.Kind = Number
	case 't', 'f':
		v.Kind = Bool
	}
	raw, err := p.dec.ReadValue()
	if err != nil {
		return nil, err
	}
	err = p.begin(v, len(raw))
	if v.Text = string(raw); v.Kind == String {
		v.Text = unquote(raw)
	}
	if err == nil && v.Kind == Number {
		err = v.exact()
	}
	return v, err
}

// begin sets the place of a value whose first size bytes were just read.
func (p *parser) begin(v *Value, size int) error {
	start := int(p.dec.InputOffset()) - size
	v.Line, v.Column = p.place(start)
	if p.values++; p.values > MaxValues {
		return p.fault(start, "make it smaller", "the text has more than %d values", MaxValues)
	}
	return nil
}

// nested parses an array or object with its brackets.
func (p *parser) nested(v *Value) error {
	open, err := p.dec.ReadToken()
	if err != nil {
		return err
	}
	if err := p.begin(v, 1); err != nil {
		return err
	}
	if p.depth++; p.depth > MaxDepth {
		return p.fault(int(p.dec.InputOffset())-1, "make it flatter",
			"arrays and objects are nested more than %d deep", MaxDepth)
	}
	closing := open.Kind() + 2 // as in ASCII
	for p.dec.PeekKind() != closing {
		if v.Kind == Array {
			item, err := p.value()
			if err != nil {
				return err
			}
			v.Items = append(v.Items, item)
			continue
		}
		m, err := p.member()
		if err != nil {
			return err
		}
		v.Members = append(v.Members, m)
	}
	_, err = p.dec.ReadToken()
	p.depth--
	return err
}

// member parses a key and its value.
func (p *parser) member() (Member, error) {
	raw, err := p.dec.ReadValue()
	if err != nil {
		return Member{}, err
	}
	m := Member{Name: unquote(raw)}
	m.Value, err = p.value()
	return m, err
}

// unquote returns the characters of a valid string literal.
func unquote(literal []byte) string {
	text, _ := jsontext.AppendUnquote(nil, literal)
	return string(text)
}

// explain adds the place and, for frequent mistakes, a better message to an error of the library.
func (p *parser) explain(err error) error {
	var syntax *jsontext.SyntacticError
	at, problem, hint := len(p.src), "the text ends where more is expected", ""
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
	case !errors.As(err, &syntax):
		return err // an error of this package
	default:
		at, problem = int(syntax.ByteOffset), strings.TrimPrefix(syntax.Err.Error(), "jsontext: ")
	}
	// In a string the place is exact, and white space is part of the text.
	if !strings.Contains(problem, "in string") {
		at = p.next(at) // the library reports the end of the valid part
	}
	switch rest := p.src[at:]; {
	case errors.Is(err, jsontext.ErrDuplicateName):
		name := fault.Quote(syntax.JSONPointer.LastToken())
		problem, hint = "key "+name+" occurs twice in one object", "keep one of them"
	case strings.HasPrefix(problem, "invalid surrogate pair"):
		problem, hint = "half of a surrogate pair, which is not a character", "write the character itself"
	case at == p.next(0) && (bytes.HasPrefix(rest, []byte("#")) || bytes.HasPrefix(rest, []byte("```"))):
		problem = "the text begins like Markdown or with a comment, and not with JSON"
		hint = "take the JSON alone, without fences, headings and comments"
	case bytes.HasPrefix(rest, []byte("/")), bytes.HasPrefix(rest, []byte("#")):
		problem, hint = "a comment", "remove the comments"
	case bytes.HasPrefix(rest, []byte("'")):
		hint = "write keys and strings in double quotes"
	case isLastComma(rest):
		problem, hint = "a comma after the last element", "remove it"
	}
	return p.fault(at, hint, "%s", problem)
}

// next returns the offset of the next byte that is not white space.
func (p *parser) next(at int) int {
	return len(p.src) - len(bytes.TrimLeft(p.src[at:], " \t\r\n"))
}

// isLastComma reports whether rest begins with a comma before a closing bracket, as other languages allow.
func isLastComma(rest []byte) bool {
	next, comma := bytes.CutPrefix(rest, []byte(","))
	next = bytes.TrimLeft(next, " \t\r\n")
	return comma && len(next) > 0 && (next[0] == '}' || next[0] == ']')
}
