package json

// The limits of Parse.
const (
	MaxBytes  = 5 << 20 // bytes of source
	MaxDepth  = 200     // nested arrays and objects
	MaxValues = 250_000 // values of every kind
)

// A Kind is a JSON type.
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

// The names of the kinds, as in JSON Schema.
var kindNames = [...]string{"null", "boolean", "number", "string", "array", "object"}

// String returns the name of the kind in JSON Schema: null, boolean, number, string, array, object.
func (k Kind) String() string { return kindNames[k] }

// A Value is a JSON value. Kind decides which fields are used. A nil *Value is an absent value; methods that read
// accept it.
type Value struct {
	Kind    Kind
	Text    string   // String: its characters; other kinds: source text
	Items   []*Value // Array
	Members []Member // Object, in source order
	Line    int      // 1-based line of the first character, 0 if not parsed
	Column  int      // 1-based column in characters
}

// A Member is one key of an object with its value.
type Member struct {
	Name  string
	Value *Value
}
