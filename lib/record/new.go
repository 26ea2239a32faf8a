package record

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// A Flag is one thing that somebody says about a new record of a kind.
type Flag struct {
	Name   string // on the command line, such as next-action
	Field  string // the member of the record that it gives
	Usage  string // with the name of its value in backquotes
	List   bool   // it may be said several times
	Needed bool
	File   bool // what is said is the name of a file, and what New gets the content
	asked  int
}

// A Making is what somebody says about a record that does not exist yet. Its Kind is one of Makes.
type Making struct {
	Options
	Said map[string][]string // by the name of the flag
	At   time.Time           // now
	Root string              // the directory of the project, absolute
}

// text returns what was said last, "" for nothing.
func (m *Making) text(flag string) string {
	said := m.Said[flag]
	if len(said) == 0 {
		return ""
	}
	return said[len(said)-1]
}

// Makes returns the names of the kinds that New makes.
func Makes() (names []string) {
	for _, k := range kinds {
		if k.make != nil {
			names = append(names, k.name)
		}
	}
	return names
}

// Flags returns what New is told about a record of a kind, in the order in which a form asks.
func Flags(kind string) (flags []Flag) {
	k, _ := kindOf(nil, kind)
	if k.table == nil {
		return nil
	}
	table := k.table()
	for _, f := range table.Fields {
		for _, said := range f.Flags {
			field := strings.TrimPrefix(strings.TrimPrefix(f.Path, "/handoff"), "/")
			flags = append(flags, Flag{said.Name, field, said.Usage, f.IsList(), said.Need, said.File, said.Asked})
		}
	}
	slices.SortStableFunc(flags, func(a, b Flag) int { return a.asked - b.asked })
	return flags
}

// Lacking returns those of the needed flags of which nothing is said.
func (m *Making) Lacking() (lacking []Flag) {
	for _, f := range Flags(m.Kind) {
		if f.Needed && len(m.Said[f.Name]) == 0 && !slices.Contains(m.AllowEmpty, f.Field) {
			lacking = append(lacking, f)
		}
	}
	return lacking
}

// AsksTopic reports whether the topic of a new record must be said: a record of another kind has it in
// a field that is needed.
func (m *Making) AsksTopic() bool {
	k, err := kindOf(nil, m.Kind)
	return err != nil || k.members["topic"] != ""
}

// New returns the source that makes and stores a record: the same checks follow as for one that was
// written by hand. What is not said is a *handoff.DocumentError, a kind that is not made here
// handoff.ErrInvalid.
func New(m Making) (handoff.Source, error) {
	k, err := kindOf(nil, m.Kind)
	if err == nil {
		err = checkAllowed(m.AllowEmpty)
	}
	if err != nil {
		return handoff.Source{}, err
	}
	if k.make == nil {
		return handoff.Source{}, invalid("use `handoff create`", "a record of the kind %s is not made by this command", k.name)
	}
	var faults []handoff.Fault
	for _, f := range m.Lacking() {
		faults = append(faults, handoff.Fault{Pointer: "/" + f.Field, Problem: "nothing is said about it", Hint: "use --" + f.Name})
	}
	if len(faults) > 0 {
		return handoff.Source{}, faulty(faults...)
	}
	data, err := k.make(&m)
	return unplaced(Source("", data, m.Options)), err
}

// unplaced returns a source whose faults are told by pointer alone: nobody has seen the lines of its text.
func unplaced(src handoff.Source) handoff.Source {
	made := src.Make
	src.Make = func() (handoff.Made, error) {
		m, err := made()
		if faults := (*handoff.DocumentError)(nil); errors.As(err, &faults) {
			for i := range faults.Faults {
				faults.Faults[i].Line, faults.Faults[i].Column = 0, 0
			}
		}
		return m, err
	}
	return src
}
