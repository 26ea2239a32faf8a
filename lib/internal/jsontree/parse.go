package jsontree

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

type parser struct {
	src       string
	pos       int
	line      int // 1-based
	lineStart int // offset of the line's first byte
	wide      int // continuation bytes passed on this line: bytes that are not characters of their own
	depth     int
	values    int
}

// Parse reads one JSON value. A leading byte-order mark is dropped. The error is always a *SyntaxError.
func Parse(src []byte) (*Value, error) {
	src = bytes.TrimPrefix(src, []byte("\ufeff"))
	p := &parser{src: string(src), line: 1}
	if len(src) > MaxBytes {
		return nil, p.fault("make it smaller", "the text has %d bytes, more than the %d that are read", len(src), MaxBytes)
	}
	if err := p.checkEncoding(); err != nil {
		return nil, err
	}
	p.space()
	v, err := p.value()
	if err != nil {
		return nil, err
	}
	p.space()
	if p.pos < len(p.src) {
		return nil, p.fault("keep one JSON value in the file", "%s after the end of the value", p.found())
	}
	return v, nil
}

func (p *parser) checkEncoding() error {
	if utf8.ValidString(p.src) {
		return nil
	}
	for i, r := range p.src {
		if r != utf8.RuneError || strings.HasPrefix(p.src[i:], "\ufffd") {
			continue
		}
		p.pos = i
		p.line += strings.Count(p.src[:i], "\n")
		p.lineStart = strings.LastIndexByte(p.src[:i], '\n') + 1
		break
	}
	return p.fault("save the file as UTF-8", "byte 0x%02x is not valid UTF-8", p.src[p.pos])
}

// fault describes a problem at the present place.
func (p *parser) fault(hint, format string, args ...any) error {
	column := utf8.RuneCountInString(p.src[p.lineStart:p.pos]) + 1
	return &SyntaxError{Line: p.line, Column: column, Problem: fmt.Sprintf(format, args...), Hint: hint}
}

// found names what stands at the present place.
func (p *parser) found() string {
	if p.pos >= len(p.src) {
		return "end of text"
	}
	r, _ := utf8.DecodeRuneInString(p.src[p.pos:])
	return fmt.Sprintf("unexpected %q", r)
}

// column is the present column, for a place on the line that the parser is on.
func (p *parser) column() int { return p.pos - p.lineStart - p.wide + 1 }

func (p *parser) peek() byte {
	if p.pos < len(p.src) {
		return p.src[p.pos]
	}
	return 0
}

func (p *parser) space() {
	for p.pos < len(p.src) {
		switch p.src[p.pos] {
		case '\n':
			p.line, p.lineStart, p.wide = p.line+1, p.pos+1, 0
		case ' ', '\t', '\r':
		default:
			return
		}
		p.pos++
	}
}

func (p *parser) value() (*Value, error) {
	if p.values++; p.values > MaxValues {
		return nil, p.fault("make it smaller", "the text has more than %d values", MaxValues)
	}
	v := &Value{Line: p.line, Column: p.column()}
	var err error
	switch c := p.peek(); {
	case c == '{':
		v.Kind = Object
		seen := map[string]bool{}
		err = p.nested('}', func() error { return p.member(v, seen) })
	case c == '[':
		v.Kind = Array
		err = p.nested(']', func() error { return p.item(v) })
	case c == '"':
		v.Kind = String
		v.Text, err = p.text()
	case c == '-' || c >= '0' && c <= '9':
		v.Kind = Number
		v.Text, err = p.number()
	default:
		err = p.word(v)
	}
	if err != nil {
		return nil, err
	}
	return v, nil
}

// nested reads an array or object from its opening bracket to the closing one.
func (p *parser) nested(closing byte, element func() error) error {
	if p.depth++; p.depth > MaxDepth {
		return p.fault("make it flatter", "arrays and objects are nested more than %d deep", MaxDepth)
	}
	p.pos++
	p.space()
	for first := true; p.peek() != closing; first = false {
		if !first {
			if p.peek() != ',' {
				return p.fault("", "%s where ',' or %q is expected", p.found(), closing)
			}
			p.pos++
			p.space()
			if p.peek() == closing {
				return p.fault("remove that comma", "%s after a comma", p.found())
			}
		}
		if err := element(); err != nil {
			return err
		}
		p.space()
	}
	p.pos++
	p.depth--
	return nil
}

func (p *parser) item(v *Value) error {
	item, err := p.value()
	v.Items = append(v.Items, item)
	return err
}

func (p *parser) member(v *Value, seen map[string]bool) error {
	if p.peek() != '"' {
		return p.fault("write keys in double quotes", "%s where a key is expected", p.found())
	}
	start := p.pos
	name, err := p.text()
	if err != nil {
		return err
	}
	if seen[name] {
		p.pos = start
		return p.fault("keep one of them", "key %q occurs twice in one object", name)
	}
	seen[name] = true
	p.space()
	if p.peek() != ':' {
		return p.fault("", "%s where ':' is expected after a key", p.found())
	}
	p.pos++
	p.space()
	value, err := p.value()
	v.Members = append(v.Members, Member{name, value})
	return err
}

var words = [...]struct {
	text string
	kind Kind
}{{"null", Null}, {"true", Bool}, {"false", Bool}}

func (p *parser) word(v *Value) error {
	for _, w := range words {
		if strings.HasPrefix(p.src[p.pos:], w.text) {
			v.Kind, v.Text = w.kind, w.text
			p.pos += len(w.text)
			return nil
		}
	}
	hint := ""
	switch p.peek() {
	case '\'':
		hint = "write strings in double quotes"
	case '/', '#':
		hint = "remove it, JSON has no comments"
	}
	return p.fault(hint, "%s where a value is expected", p.found())
}
