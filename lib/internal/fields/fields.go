package fields

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// A Field is one place of a record.
type Field struct {
	Path  string
	Type  string
	Need  bool              // it must be there
	Least int64             // of a number
	Most  int64             // of a number; of a text, in characters, 0 for any
	Words []string          // of a word; of an older name, those of the kind of its items
	Means map[string]string // by a word, others for it, with spaces between them
	Main  string            // the member that a text stands for in the place of an object
	Into  string            // the name of the list that this one is an older name of
	Late  bool              // what its type finds is told after everything else
	Flags []Flag

	Fact   string // what it answers when the record is checked like a resume packet, by the name that a packet has for it
	Unless string // the state of an item that is no such fact

	// For a repair.
	Hint    string // how to mend it, where its type does not say
	Names   string // other names of the member, with spaces between them
	Default json.RawMessage
	Drop    bool // it is left out to save tokens
}

// A Flag is one way to say a field on a command line.
type Flag struct {
	Name  string
	Need  bool   // it must be said
	Usage string // with the name of its value in backquotes
	File  bool   // the value is the name of a file, whose content counts
	Asked int    // a form asks for those with a greater number later

	// Of a list of objects.
	With   map[string]string // what each item has beside the text that is said
	State  string            // the member that =STATE at the end of the text is
	States []string          // the states, where the field of that member has no words
	Open   string            // what is open from before, by whose numbers the text may name it
}

// A Table is all fields of a kind, in the order in which they are read and written.
type Table struct {
	Closed, Nulls         bool
	Lists, Empty, Nothing string
	Fields                []Field

	below map[string][]Field // the fields of an object, by its path
	checks
}

// Checks says of a text of a type that only one kind has what is wrong with it, and what to do; "" if nothing is.
type Checks map[string]func(text string) (problem, hint string)

type checks struct {
	types Checks
	blank func(text string) bool
}

// Load reads a table, which is part of the program. blank says of a text that it shows nothing; nil takes white
// space for nothing.
func Load(file []byte, types Checks, blank func(text string) bool) *Table {
	t := &Table{below: map[string][]Field{}, checks: checks{types, blank}}
	if t.blank == nil {
		t.blank = func(text string) bool { return strings.TrimSpace(text) == "" }
	}
	if err := json.Unmarshal(file, t); err != nil {
		t.Fields = nil // a test of each kind sees it
	}
	for _, f := range t.Fields {
		at := f.Path[:strings.LastIndexByte(f.Path, '/')]
		t.below[at] = append(t.below[at], f)
	}
	return t
}

// Name returns the last part of the path.
func (f Field) Name() string { return f.Path[strings.LastIndexByte(f.Path, '/')+1:] }

// Each calls visit with every value that the field has in a record, an item at a time, and with what holds it.
func (f Field) Each(record *jsontree.Value, visit func(v, holder *jsontree.Value)) {
	head, tail, inList := strings.Cut(f.Path, "/*")
	holders := []*jsontree.Value{record}
	if inList {
		holders = record.At(head).All()
	} else {
		tail = head
	}
	for _, holder := range holders {
		values := []*jsontree.Value{holder.At(tail)}
		if f.IsList() {
			values = values[0].All()
		}
		for _, v := range values {
			visit(v, holder)
		}
	}
}

// IsList reports whether the field holds several values.
func (f Field) IsList() bool { return f.Type == "list" || f.Type == "texts" }

// Meant returns the word of the field that a text is or stands for, "" for none.
func (f Field) Meant(text string) string {
	for _, word := range f.Words {
		if text == word || slices.Contains(strings.Fields(f.Means[word]), text) {
			return word
		}
	}
	return ""
}

// At returns the field with a path.
func (t *Table) At(path string) (Field, bool) {
	i := slices.IndexFunc(t.Fields, func(f Field) bool { return f.Path == path })
	if i < 0 {
		return Field{}, false
	}
	return t.Fields[i], true
}

// Needed returns the names of the members that every record has.
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
