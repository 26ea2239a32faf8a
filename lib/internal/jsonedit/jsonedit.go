// Package jsonedit changes JSON texts that belong to someone else: an edit inserts, replaces or removes one
// value and leaves every other byte as it is, be it order, indentation, the digits of a number or the end
// of the last line.
//
// What is read is RFC 8259 and nothing beside it. Comments, trailing commas, a key that occurs twice in an
// object, a byte-order mark, invalid UTF-8 and a second value are refused with line and column: an edit of
// a text that is not wholly understood could mean something else to whoever reads it next.
package jsonedit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// A SyntaxError says where a text is not the JSON that this package takes.
type SyntaxError struct {
	Line, Column int // 1-based; the column in characters
	Problem      string
	Hint         string // "" if the problem says what to do
}

// Error returns the problem with its place.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Problem)
}

// A Node is a value in a text.
type Node struct {
	Kind       jsontext.Kind // '{' '[' '"' '0' 't' 'f' 'n'
	Start, End int           // the bytes of the text that it is
	Text       string        // of a string: its characters
	Members    []Member      // of an object, in order
	Items      []*Node       // of an array
}

// A Member is a key of an object with its value.
type Member struct {
	Name  string
	Start int // of the key
	Value *Node

	nameEnd int
}

// A Document is a text that was read.
type Document struct {
	Root *Node
	src  []byte
}

// Parse reads a text. The error is always a *SyntaxError.
func Parse(src []byte) (*Document, error) {
	d := &Document{src: src}
	if bytes.HasPrefix(src, []byte("\ufeff")) {
		return nil, &SyntaxError{1, 1, "the text begins with a byte-order mark", "save the file as UTF-8 without one"}
	}
	dec := jsontext.NewDecoder(bytes.NewReader(src))
	root, err := read(dec)
	end := dec.InputOffset()
	if err == nil {
		d.Root = root
		if _, err = dec.ReadToken(); err == io.EOF {
			return d, nil
		}
		if err == nil {
			err = errors.New("a second value")
		}
	}
	return nil, d.fault(err, end)
}

// read reads the next value.
func read(dec *jsontext.Decoder) (*Node, error) {
	n := &Node{Kind: dec.PeekKind()}
	var err error
	switch n.Kind {
	case '{':
		err = n.readMembers(dec)
	case '[':
		err = n.readItems(dec)
	default:
		var raw jsontext.Value
		if raw, err = dec.ReadValue(); err != nil {
			return nil, err
		}
		n.End = int(dec.InputOffset())
		n.Start = n.End - len(raw)
		if n.Kind == '"' {
			var text []byte
			text, err = jsontext.AppendUnquote(nil, raw)
			n.Text = string(text)
		}
	}
	if err != nil {
		return nil, err
	}
	return n, nil
}

func (n *Node) readMembers(dec *jsontext.Decoder) error {
	return n.readElements(dec, '}', func() error {
		raw, err := dec.ReadValue() // raw, for its length: a key may be written with escapes
		if err != nil {
			return err
		}
		end := int(dec.InputOffset())
		name, err := jsontext.AppendUnquote(nil, raw)
		if err != nil {
			return err
		}
		size := len(raw) // raw is gone after the next read
		value, err := read(dec)
		n.Members = append(n.Members, Member{string(name), end - size, value, end})
		return err
	})
}

func (n *Node) readItems(dec *jsontext.Decoder) error {
	return n.readElements(dec, ']', func() error {
		item, err := read(dec)
		n.Items = append(n.Items, item)
		return err
	})
}

func (n *Node) readElements(dec *jsontext.Decoder, closing jsontext.Kind, element func() error) error {
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	n.Start = int(dec.InputOffset()) - 1
	for dec.PeekKind() != closing {
		if err := element(); err != nil {
			return err
		}
	}
	_, err := dec.ReadToken()
	n.End = int(dec.InputOffset())
	return err
}

// fault gives an error of the decoder its place.
func (d *Document) fault(err error, offset int64) error {
	problem := err.Error()
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		offset = syntax.ByteOffset
		problem = strings.TrimPrefix(syntax.Err.Error(), "jsontext: ")
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		offset, problem = int64(len(d.src)), "the text ends where more is expected"
	}
	at := min(int(offset), len(d.src))
	for at < len(d.src) && strings.IndexByte(" \t\r\n", d.src[at]) >= 0 {
		at++ // the decoder names the end of what was good
	}
	e := &SyntaxError{Problem: problem}
	e.Line, e.Column = d.Place(at)
	switch rest := d.src[at:]; {
	case errors.Is(err, jsontext.ErrDuplicateName):
		e.Hint = "keep one of them"
	case bytes.HasPrefix(rest, []byte("//")), bytes.HasPrefix(rest, []byte("/*")), bytes.HasPrefix(rest, []byte("#")):
		e.Problem, e.Hint = "a comment", "remove the comments, or make the change by hand"
	case isLastComma(rest):
		e.Problem, e.Hint = "a comma after the last element", "remove it"
	case !utf8.Valid(d.src):
		e.Hint = "save the file as UTF-8"
	}
	return e
}

func isLastComma(rest []byte) bool {
	next, comma := bytes.CutPrefix(rest, []byte(","))
	next = bytes.TrimLeft(next, " \t\r\n")
	return comma && len(next) > 0 && (next[0] == '}' || next[0] == ']')
}

// Place returns the line and the column of an offset, both 1-based, the column in characters.
func (d *Document) Place(offset int) (line, column int) {
	before := d.src[:offset]
	start := bytes.LastIndexByte(before, '\n') + 1
	return bytes.Count(before, []byte("\n")) + 1, utf8.RuneCount(before[start:]) + 1
}

// Get returns the value of a key, nil if n is no object or has no such key.
func (n *Node) Get(name string) *Node {
	if n == nil {
		return nil
	}
	for _, m := range n.Members {
		if m.Name == name {
			return m.Value
		}
	}
	return nil
}

// Raw returns the bytes of n.
func (d *Document) Raw(n *Node) []byte { return d.src[n.Start:n.End] }
