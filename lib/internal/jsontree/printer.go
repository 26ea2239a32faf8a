package jsontree

import (
	"encoding/json"
	"strconv"
	"unicode/utf8"
)

// A Printer prints one object, member by member. It serves what every write prints: encoding/json needs more time to
// inspect a type than to print a few values.
type Printer struct{ text []byte }

// name begins a member.
func (p *Printer) name(name string) {
	separator := byte(',')
	if p.text == nil {
		separator, p.text = '{', make([]byte, 0, 1<<10) // more than most objects need
	}
	p.text = append(AppendQuoted(append(p.text, separator), name), ':')
}

// Text adds a string. Each invalid byte becomes U+FFFD, as in encoding/json.
func (p *Printer) Text(name, value string) {
	p.name(name)
	p.text = appendValid(p.text, value)
}

// Some is like Text, but omits an empty value.
func (p *Printer) Some(name, value string) {
	if value != "" {
		p.Text(name, value)
	}
}

// Texts adds a list of strings; nil is null.
func (p *Printer) Texts(name string, values []string) {
	if p.name(name); values == nil {
		p.text = append(p.text, "null"...)
		return
	}
	p.text = append(p.text, '[')
	for i, value := range values {
		if i > 0 {
			p.text = append(p.text, ',')
		}
		p.text = appendValid(p.text, value)
	}
	p.text = append(p.text, ']')
}

// Number adds a number that is not negative.
func (p *Printer) Number(name string, value uint64) {
	p.name(name)
	p.text = strconv.AppendUint(p.text, value, 10)
}

// JSON adds a value that is already JSON.
func (p *Printer) JSON(name string, value []byte) {
	p.name(name)
	p.text = append(p.text, value...)
}

// List adds a list as encoding/json prints it, unless it is empty.
func List[T any](p *Printer, name string, values []T) {
	if len(values) > 0 {
		text, _ := json.Marshal(values) // strings and numbers cannot fail
		p.JSON(name, text)
	}
}

// End returns the complete object.
func (p *Printer) End() []byte {
	if p.text == nil {
		return []byte("{}")
	}
	return append(p.text, '}')
}

func appendValid(dst []byte, text string) []byte {
	if !utf8.ValidString(text) {
		text = string([]rune(text))
	}
	return AppendQuoted(dst, text)
}
