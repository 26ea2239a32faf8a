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
