package fields

import (
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// FromFlags returns the object that the values of flags describe. Required members are always in it.
func (t *Table) FromFlags(said map[string][]string) *jsontree.Value {
	record := jsontree.NewObject()
	for _, f := range t.below[""] {
		list := jsontree.NewArray()
		for _, flag := range f.Flags {
			for _, text := range said[flag.Name] {
				list.Items = append(list.Items, t.item(f, flag, text))
			}
		}
		switch {
		case f.IsList() && (f.Need || len(list.Items) > 0):
			record.Set(f.Name(), list)
		case !f.IsList() && len(list.Items) > 0:
			record.Set(f.Name(), list.Items[len(list.Items)-1])
		case f.Need:
			record.Set(f.Name(), "")
		}
	}
	return record
}

// item returns the value for the text of a flag.
func (t *Table) item(f Field, flag Flag, text string) *jsontree.Value {
	if f.Type != "list" {
		return jsontree.NewString(text)
	}
	item := jsontree.NewObject()
	text, state := t.Cut(f, flag, text)
	item.Set(f.Main, text)
	for name, value := range flag.With {
		item.Set(name, value)
	}
	if state != "" {
		item.Set(flag.State, state)
	}
	return item
}

// Cut cuts =STATE off the end of the text of a flag, if it is or means one of the states. It returns the state, or
// the default.
func (t *Table) Cut(f Field, flag Flag, text string) (rest, state string) {
	of, _ := t.At(f.Path + "/*/" + flag.State)
	at := strings.LastIndexByte(text, '=')
	if at > 0 && slices.Contains(flag.States, text[at+1:]) {
		return text[:at], text[at+1:]
	}
	if meant := of.Word(text[at+1:]); at > 0 && meant != "" {
		return text[:at], meant
	}
	if len(of.Words) > 0 {
		return text, of.Words[0]
	}
	return text, ""
}
