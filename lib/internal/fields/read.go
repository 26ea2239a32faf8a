package fields

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// A Reading is the result of reading an object: a record with all valid values under their current names and with
// defaults, and all faults.
type Reading struct {
	Record *jsontree.Value
	found  []found

	table *Table
	also  func(path string, item *jsontree.Value) (member, problem, hint string)
}

// found is a fault. empty is the name of a member that is only empty.
type found struct {
	fault.Fault
	empty string
}

// Read reads an object. also checks the members of one object together; it can be nil.
func (t *Table) Read(v *jsontree.Value,
	also func(path string, item *jsontree.Value) (member, problem, hint string)) Reading {
	r := Reading{table: t, also: also}
	r.Record = r.object(Field{}, v, "")
	return r
}

// Faults returns the faults, except those of the named members that are only empty.
func (r Reading) Faults(mayBeEmpty ...string) (faults []fault.Fault) {
	for _, f := range r.found {
		if f.empty == "" || !slices.Contains(mayBeEmpty, f.empty) {
			faults = append(faults, f.Fault)
		}
	}
	return faults
}

// fault adds a fault of a value.
func (r *Reading) fault(v *jsontree.Value, at, problem, hint string) {
	r.found = append(r.found, found{Fault: fault.Fault{Line: v.Line, Column: v.Column, Pointer: at, Problem: problem,
		Hint: hint}})
}

// faultEmpty adds the fault that a value is empty.
func (r *Reading) faultEmpty(v *jsontree.Value, at, problem, hint string) {
	r.fault(v, at, problem, hint)
	r.found[len(r.found)-1].empty = strings.TrimPrefix(at, "/")
}

// object reads the fields of an object: the record, or an object in the field in.
func (r *Reading) object(in Field, v *jsontree.Value, at string) *jsontree.Value {
	path := in.Path
	if in.Type == "list" {
		path += "/*"
	}
	record, fields := jsontree.NewObject(), r.table.below[path]
	for _, f := range fields {
		name := f.Name()
		given, place := v.Get(name), fault.Pointer(at, name)
		if name == "kind" && in.Words != nil {
			f.Words = in.Words
		}
		switch {
		case given != nil && (given.Kind != jsontree.Null || !r.table.Nulls):
			r.member(f, given, place, record)
		case f.Need:
			r.fault(v, place, fmt.Sprintf("required field %q is missing", name), "add it")
		case f.Type == "word":
			record.Set(name, f.Words[0])
		}
	}
	if r.also != nil {
		if member, problem, hint := r.also(path, record); problem != "" {
			r.fault(cmp.Or(v.Get(member), v), fault.Pointer(at, member), problem, hint)
		}
	}
	if r.table.Closed {
		r.unknown(fields, v, at)
	}
	return record
}

// member reads a member into the record. The value of an older name is added to the list of the current name.
func (r *Reading) member(f Field, v *jsontree.Value, at string, record *jsontree.Value) {
	name := f.Name()
	if f.Into != "" {
		name = f.Into
		now, _ := r.table.At("/" + name)
		now.Words = f.Words
		f = now
	}
	value := r.value(f, v, at)
	if before := record.Get(name); before != nil && value != nil {
		value.Items = append(before.Items, value.Items...)
	}
	if value != nil && (value.Kind != jsontree.Array || len(value.Items) > 0) {
		record.Set(name, value)
	}
}

// unknown reports unknown members. The first one gets the list of known names as its hint.
func (r *Reading) unknown(fields []Field, v *jsontree.Value, at string) {
	var known []string
	for _, f := range fields {
		known = append(known, f.Name())
	}
	listed := false
	for _, m := range v.Members {
		if slices.Contains(known, m.Name) {
			continue
		}
		hint := ""
		if !listed {
			hint, listed = "known are "+strings.Join(known, ", "), true
		}
		r.fault(m.Value, fault.Pointer(at, m.Name), fmt.Sprintf("unknown field %.80q", m.Name), hint)
	}
}

// value reads the value of a field. It returns nil for a value of another type.
func (r *Reading) value(f Field, v *jsontree.Value, at string) *jsontree.Value {
	mustBe := func(what string) *jsontree.Value {
		r.fault(v, at, "must be "+what+", is of type "+v.Kind.String(), "")
		return nil
	}
	switch f.Type {
	case "list", "texts":
		if v.Kind != jsontree.Array {
			return mustBe(r.table.Lists)
		}
		return r.items(f, v, at)
	case "object":
		if v.Kind != jsontree.Object {
			return mustBe("an object")
		}
		return r.object(f, v, at)
	case "flag":
		if v.Kind != jsontree.Bool {
			mustBe("true or false")
		}
		return jsontree.New(v.Text == "true")
	case "number":
		n, err := strconv.ParseInt(v.String(), 10, 64) // as printed: 1e2 is 100
		if v.Kind != jsontree.Number || err != nil || n < f.Least || n > f.Most {
			r.fault(v, at, fmt.Sprintf("must be a whole number from %d to %d", f.Least, f.Most), "")
			return nil
		}
		return v
	case "word":
		if v.Kind != jsontree.String || !slices.Contains(f.Words, v.Text) {
			r.fault(v, at, "is not one of "+strings.Join(f.Words, ", "), "")
		}
		return jsontree.NewString(cmp.Or(f.Word(v.Text), v.Text))
	}
	return r.text(f, v, at)
}

// items reads a list. A text item means an object with that text as its main member.
func (r *Reading) items(f Field, v *jsontree.Value, at string) *jsontree.Value {
	list := jsontree.NewArray()
	if len(v.Items) == 0 && r.table.Nothing != "" {
		r.faultEmpty(v, at, "is an empty list", r.table.Nothing)
	}
	for i, item := range v.Items {
		place := at + "/" + strconv.Itoa(i)
		switch {
		case f.Type == "texts":
			item = r.text(f, item, place)
		case item.Kind == jsontree.String:
			plain := jsontree.NewObject(jsontree.Member{Name: f.Main, Value: item})
			plain.Line, plain.Column = item.Line, item.Column // the faults of the item have its place
			item = r.object(f, plain, place)
		case item.Kind == jsontree.Object:
			item = r.object(f, item, place)
		default:
			r.fault(item, place, "must be an object or a string, is of type "+item.Kind.String(), "")
			item = nil
		}
		if item != nil {
			list.Items = append(list.Items, item)
		}
	}
	return list
}

// text reads a text with visible characters. It returns nil for other values.
func (r *Reading) text(f Field, v *jsontree.Value, at string) *jsontree.Value {
	n := int64(utf8.RuneCountInString(v.Text))
	switch {
	case v.Kind != jsontree.String:
		r.fault(v, at, "must be a string, is of type "+v.Kind.String(), "")
	case r.table.blank(v.Text):
		r.faultEmpty(v, at, "is empty", r.table.Empty)
	case f.Most > 0 && n > f.Most:
		r.fault(v, at, fmt.Sprintf("has %d characters, at most %d are allowed", n, f.Most), "shorten it")
	default:
		if check := r.table.types[f.Type]; check != nil {
			if problem, hint := check(v.Text); problem != "" {
				r.fault(v, at, problem, hint)
			}
		}
		return v
	}
	return nil
}
