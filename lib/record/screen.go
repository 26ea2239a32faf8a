package record

import (
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// screenedRecord is a record after the secret scan.
type screenedRecord struct {
	data     []byte
	allowed  []string // rules whose findings were allowed
	redacted []string // rules whose findings were replaced in data
}

// screen scans every string of a record for credentials. It can thus name a finding by pointer, and replace it
// before the view is made.
func (o Options) screen(data []byte) (screenedRecord, error) {
	root, err := jsontree.Parse(data)
	if err != nil {
		return screenedRecord{}, err
	}
	s := &scan{Options: o, out: screenedRecord{data: data}}
	root.Walk("", nil, s.value)
	if len(s.faults) > 0 {
		return screenedRecord{}, faulty(s.faults...)
	}
	if len(s.out.redacted) > 0 {
		s.out.data = root.OnLines(data)
	}
	s.out.allowed, s.out.redacted = sorted(s.out.allowed), sorted(s.out.redacted)
	return s.out, nil
}

// sorted returns the names sorted, without duplicates.
func sorted(names []string) []string {
	slices.Sort(names)
	return slices.Compact(names)
}

// A scan walks over the strings of one record.
type scan struct {
	Options
	out    screenedRecord
	faults []handoff.Fault
}

// value scans a value and the name of its member, if it has one.
func (s *scan) value(pointer string, in *jsontree.Member, v *jsontree.Value) {
	name := ""
	if in != nil {
		name = in.Name
		for _, f := range handoff.FindSecrets(name) {
			s.found(pointer[:strings.LastIndexByte(pointer, '/')], "the name of a field", v, f, false)
		}
	}
	if v.Kind == jsontree.String {
		s.text(pointer, name, v)
	}
}

// text scans a string together with its name: some rules need the name.
func (s *scan) text(pointer, name string, v *jsontree.Value) {
	context := ""
	if name != "" {
		context = name + `": "`
	}
	whole := context + v.Text
	redacted, done := context, len(context)
	for _, f := range handoff.FindSecrets(whole) {
		if f.Start < done || !s.found(pointer, "it", v, f, true) {
			continue
		}
		redacted += whole[done:f.Start] + "[redacted:" + f.Rule + "]"
		done = f.End
	}
	if done > len(context) {
		v.Text, v.End = (redacted + whole[done:])[len(context):], 0 // data has the old text there
	}
}

// found handles a credential. It reports whether to replace it.
func (s *scan) found(pointer, what string, v *jsontree.Value, f handoff.Secret, replaceable bool) bool {
	switch {
	case slices.Contains(s.Allow, f.Rule):
		s.out.allowed = append(s.out.allowed, f.Rule)
	case s.Redact && replaceable:
		s.out.redacted = append(s.out.redacted, f.Rule)
		return true
	default:
		why, hint := "", "remove and revoke it, or add --redact; a false alarm: --allow-secret "+f.Rule
		if s.Redact {
			why, hint = ", which cannot be redacted here", "choose another name"
		}
		s.faults = append(s.faults, handoff.Fault{Line: v.Line, Column: v.Column, Pointer: pointer,
			Problem: what + " holds a credential (rule " + f.Rule + ")" + why, Hint: hint})
	}
	return false
}
