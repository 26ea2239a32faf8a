package fields

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// A Field is a place in a record.
type Field struct {
	Path  string
	Type  string
	Need  bool              // it is required
	Least int64             // the minimum of a number
	Most  int64             // the maximum of a number, or of the characters of a text; 0 means no limit
	Words []string          // the words of a word; for an older name, the words for the kind of its items
	Means map[string]string // other words for each word, separated by spaces
	Main  string            // the member that a text sets if it is used instead of an object
	Into  string            // the name of the list that this one is an older name of
	Flags []Flag

	Fact   string // the field of a packet that it corresponds to
	Unless string // items in this state do not count as facts

	// For repairs.
	Default json.RawMessage
	Drop    bool // omitted to save tokens
}

// A Flag is a command line flag that sets a field.
type Flag struct {
	Name  string
	Need  bool   // it is required
	Usage string // with the name of its value in backquotes
	File  bool   // the value is the name of a file whose content is used

	// For a list of objects.
	With   map[string]string // members of each item besides the text of the flag
	State  string            // the member that =STATE at the end of the text sets
	States []string          // the states, if the field of that member has no words
	Open   string            // the open items that the text can refer to by number
}

// A Table has all fields of a kind, in the order in which they are read and written.
type Table struct {
	Closed, Nulls         bool
	Lists, Empty, Nothing string
	Fields                []Field

	below map[string][]Field // the fields of an object, by its path
	checks
}

// Checks are checks of texts by type, for types of a single kind. problem is "" if the text is valid.
type Checks map[string]func(text string) (problem, hint string)

type checks struct {
	types Checks
	blank func(text string) bool
}

// Load parses a table, which is part of the program. blank reports whether a text has no visible characters; nil
// means no characters but white space.
func Load(file []byte, types Checks, blank func(text string) bool) *Table {
	t := &Table{below: map[string][]Field{}, checks: checks{types, blank}}
	if t.blank == nil {
		t.blank = func(text string) bool { return strings.TrimSpace(text) == "" }
	}
	if err := json.Unmarshal(file, t); err != nil {
		t.Fields = nil // the tests of each kind detect this
	}
	for _, f := range t.Fields {
		at := f.Path[:strings.LastIndexByte(f.Path, '/')]
		t.below[at] = append(t.below[at], f)
	}
	return t
}

// Name returns the last part of the path.
func (f Field) Name() string { return f.Path[strings.LastIndexByte(f.Path, '/')+1:] }

// Each calls visit for each place of the field in a record: its pointer, its value, nil if it is missing, and the
// value that should have it.
func (f Field) Each(record *jsontree.Value, visit func(pointer string, v, holder *jsontree.Value)) {
	head, tail, inList := strings.Cut(f.Path, "/*")
	if !inList {
		at := f.Path[:strings.LastIndexByte(f.Path, '/')]
		visit(f.Path, record.At(f.Path), record.At(at))
		return
	}
	for i, holder := range record.At(head).All() {
		visit(head+"/"+strconv.Itoa(i)+tail, holder.At(tail), holder)
	}
}

// IsList reports whether the field holds several values.
func (f Field) IsList() bool { return f.Type == "list" || f.Type == "texts" }

// Word returns the word of the field that text is or means, "" for none.
func (f Field) Word(text string) string {
	for _, word := range f.Words {
		if text == word || slices.Contains(strings.Fields(f.Means[word]), text) {
			return word
		}
	}
	return ""
}

// At returns the field of a path.
func (t *Table) At(path string) (Field, bool) {
	i := slices.IndexFunc(t.Fields, func(f Field) bool { return f.Path == path })
	if i < 0 {
		return Field{}, false
	}
	return t.Fields[i], true
}

// Needed returns the names of the required members of a record.
func (t *Table) Needed() (names []string) {
	for _, f := range t.below[""] {
		if f.Need {
			names = append(names, f.Name())
		}
	}
	return names
}

// Has reports whether a record has a member of that name.
func (t *Table) Has(name string) bool {
	_, known := t.At("/" + name)
	return known
}
