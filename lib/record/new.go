package record

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// A Flag provides a value of a new record.
type Flag struct {
	Name   string // on the command line, such as next-action
	Field  string // the member of the record that it sets
	Usage  string // the name of its value is in backquotes
	List   bool   // it can repeat
	Needed bool
	File   bool // the value is a file name; New gets the content
}

// A Making describes a record to be made. Its Kind is one of Makes.
type Making struct {
	Options
	Said map[string][]string // the values of flags, by name
	At   time.Time           // now
	Root string              // the directory of the project, absolute
}

// Makes returns the kinds that New makes.
func Makes() (names []string) {
	for _, k := range kinds {
		if k.make != nil {
			names = append(names, k.name)
		}
	}
	return names
}

// Flags returns the flags for a kind.
func Flags(kind string) (flags []Flag) {
	k, _ := kindOf(nil, kind)
	if k.table == nil {
		return nil
	}
	table := k.table()
	for _, f := range table.Fields {
		for _, said := range f.Flags {
			field := strings.TrimPrefix(strings.TrimPrefix(f.Path, "/handoff"), "/")
			flags = append(flags, Flag{said.Name, field, said.Usage, f.IsList(), said.Need, said.File})
		}
	}
	return flags
}

// New returns the source that makes and stores a record. The record passes the same checks as one written by
// hand. If a value is missing, the error is a *handoff.DocumentError; another kind is handoff.ErrInvalid.
func New(m Making) (handoff.Source, error) {
	k, _ := kindOf(nil, m.Kind)
	if k.make == nil {
		return handoff.Source{}, invalid("use "+strings.Join(Makes(), ", ")+"; for a run `handoff create`",
			"this command makes no record of the kind %q", m.Kind)
	}
	if err := checkAllowed(m.AllowEmpty); err != nil {
		return handoff.Source{}, err
	}
	var faults []handoff.Fault
	for _, f := range Flags(m.Kind) {
		if f.Needed && len(m.Said[f.Name]) == 0 && !slices.Contains(m.AllowEmpty, f.Field) {
			faults = append(faults, handoff.Fault{Pointer: "/" + f.Field, Problem: "missing", Hint: "use --" + f.Name})
		}
	}
	if len(faults) > 0 {
		return handoff.Source{}, faulty(faults...)
	}
	data, err := k.make(&m)
	return unplaced(data, m.Options), err
}

// unplaced returns a source whose faults have pointers only: the user has not seen the lines of its text.
func unplaced(data []byte, o Options) handoff.Source {
	src := Source("", data, o)
	made := src.Make
	src.Make = func() (handoff.Made, error) {
		m, err := made()
		if faults, is := errors.AsType[*handoff.DocumentError](err); is {
			for i := range faults.Faults {
				faults.Faults[i].Line, faults.Faults[i].Column = 0, 0
			}
		}
		return m, err
	}
	return src
}
