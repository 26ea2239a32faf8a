// Package jsontree reads JSON strictly, keeps the order of object members and the source text of
// numbers, and prints the bytes that JSON.stringify(JSON.parse(text)) gives.
//
// What is refused, with line and column: more than MaxBytes bytes, MaxDepth levels or MaxValues
// values, invalid UTF-8, anything outside RFC 8259 (comments, trailing commas, single quotes, a second
// value), a key that occurs twice in one object, and numbers that JavaScript would turn into another
// number: out of the range of a double, nonzero but read as 0, or beyond the safe integers (2^53-1)
// and not exactly the double that is printed. A fraction within that range keeps the digits that a
// double keeps, as in JavaScript.
//
// The tokens are found by the library jsontext; caps, places, names that occur twice and the exactness
// of numbers are ours.
//
// What is printed follows ECMA-262: Number::toString for numbers, QuoteJSONString for strings (lone
// surrogates as \udxxx), and the property order of objects: array indices (0 … 2^32-2) ascending, then
// the other keys in source order.
package jsontree

// The limits of Parse.
const (
	MaxBytes  = 5 << 20 // bytes of source
	MaxDepth  = 200     // nested arrays and objects
	MaxValues = 250_000 // values of every kind
)

// A Kind says which of the JSON types a Value is.
type Kind uint8

// The kinds of values.
const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

// The names are those of JSON Schema, so that messages and schemas speak alike.
var kindNames = [...]string{"null", "boolean", "number", "string", "array", "object"}

// String returns the name of the kind in JSON Schema: null, boolean, number, string, array, object.
func (k Kind) String() string { return kindNames[k] }

// A Value is one JSON value. Which fields count depends on Kind. A nil *Value stands for a value that
// is not there: its methods that read answer as for an absent member.
type Value struct {
	Kind    Kind
	Text    string   // String: its characters, a lone surrogate as its three WTF-8 bytes; of all others: source text
	Items   []*Value // Array
	Members []Member // Object, in source order
	Line    int      // 1-based line of the first character, 0 for a value that was not parsed
	Column  int      // 1-based column in characters

	Start, End int // the bytes of the source that it is
}

// A Member is one key of an object with its value.
type Member struct {
	Name  string
	Value *Value

	Start, End int // the bytes of the source that the key is
}
