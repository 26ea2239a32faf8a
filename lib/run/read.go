package run

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// Limits in characters. Those of texts are far beyond what a person reads.
const (
	maxID      = 128
	maxSummary = 4000
	maxFact    = 4000
	maxText    = 20_000
)

// faults collects what is wrong with a record.
type faults []fault.Fault

// add notes a fault; v is nil for what the text does not hold.
func (f *faults) add(v *jsontree.Value, at, problem, hint string) {
	found := fault.Fault{Pointer: at, Problem: problem, Hint: hint}
	if v != nil {
		found.Line, found.Column = v.Line, v.Column
	}
	*f = append(*f, found)
}

// An object reads the members of one JSON object and remembers which ones it was asked for.
type object struct {
	v     *jsontree.Value
	at    string
	known []string
	*faults
}

// get returns a member, nil when it is absent or null.
func (o *object) get(name string) *jsontree.Value {
	if !slices.Contains(o.known, name) {
		o.known = append(o.known, name)
	}
	if v := o.v.Get(name); v != nil && v.Kind != jsontree.Null {
		return v
	}
	return nil
}

// pointer returns the pointer of a member.
func (o *object) pointer(name string) string { return fault.Pointer(o.at, name) }

// required reads text that must be there.
func (o *object) required(name string, most int) string {
	if o.get(name) == nil {
		o.add(o.v, o.pointer(name), fmt.Sprintf("required field %q is missing", name), "add it")
		return ""
	}
	return o.optional(name, most)
}

// optional reads text that may be left out.
func (o *object) optional(name string, most int) string {
	v := o.get(name)
	if v == nil {
		return ""
	}
	return o.text(v, o.pointer(name), most)
}

// text reads a string of 1 to most characters that is not blank. An id holds no control characters.
func (f *faults) text(v *jsontree.Value, at string, most int) string {
	n := utf8.RuneCountInString(v.Text)
	switch {
	case v.Kind != jsontree.String:
		f.add(v, at, "must be a string, is of type "+v.Kind.String(), "")
	case !utf8.ValidString(v.Text):
		f.add(v, at, "holds half of a surrogate pair, which is not a character", "write the character itself")
	case strings.TrimSpace(v.Text) == "":
		f.add(v, at, "is empty", "say it in words, or leave the field out")
	case n > most:
		f.add(v, at, fmt.Sprintf("has %d characters, at most %d are allowed", n, most), "shorten it")
	case most == maxID && strings.ContainsFunc(v.Text, unicode.IsControl):
		f.add(v, at, "holds a control character", "use letters, digits and punctuation")
	default:
		return v.Text
	}
	return ""
}

// enum reads one of the values; the first is the default.
func (o *object) enum(name string, values ...string) string {
	v := o.get(name)
	if v == nil {
		return values[0]
	}
	if v.Kind != jsontree.String || !slices.Contains(values, v.Text) {
		o.add(v, o.pointer(name), "is not one of "+strings.Join(values, ", "), "")
	}
	return v.Text
}

// integer reads a whole number from least to most.
func (o *object) integer(name string, least, most int64) *int64 {
	v := o.get(name)
	if v == nil {
		return nil
	}
	n, err := strconv.ParseInt(v.String(), 10, 64) // as printed: 1e2 is 100
	if v.Kind != jsontree.Number || err != nil || n < least || n > most {
		o.add(v, o.pointer(name), fmt.Sprintf("must be a whole number from %d to %d", least, most), "")
		return nil
	}
	return &n
}

// boolean reads true or false, and whether it is given at all: a flag that nobody claims is derived.
func (o *object) boolean(name string) (value, given bool) {
	v := o.get(name)
	if v == nil {
		return false, false
	}
	if v.Kind != jsontree.Bool {
		o.add(v, o.pointer(name), "must be true or false, is of type "+v.Kind.String(), "")
	}
	return v.Text == "true", true
}

// closed faults the members that nobody asked for. The first of them that is like no other says what is known.
func (o *object) closed() {
	listed := false
	for _, m := range o.v.Members {
		if slices.Contains(o.known, m.Name) {
			continue
		}
		hint := ""
		if meant := form.Nearest(m.Name, o.known); meant != "" {
			hint = fmt.Sprintf("did you mean %q?", meant)
		} else if !listed {
			hint, listed = "known are "+strings.Join(o.known, ", "), true
		}
		o.add(m.Value, o.pointer(m.Name), fmt.Sprintf("unknown field %.80q", m.Name), hint)
	}
}

// items returns the list under a name, nil when it is absent or no list.
func (o *object) items(name string) []*jsontree.Value {
	v := o.get(name)
	if v == nil {
		return nil
	}
	if v.Kind != jsontree.Array {
		o.add(v, o.pointer(name), "must be a list, is of type "+v.Kind.String(), "")
		return nil
	}
	return v.Items
}

// strings reads a list of texts.
func (o *object) strings(name string, most int) []string {
	var all []string
	for i, v := range o.items(name) {
		if s := o.text(v, fmt.Sprintf("%s/%d", o.pointer(name), i), most); s != "" {
			all = append(all, s)
		}
	}
	return all
}

// list reads the items under a name. One that is a plain string stands for an object with that main field.
func list[T any](o *object, name, main string, read func(*object) T) []T {
	var all []T
	for i, v := range o.items(name) {
		if v.Kind == jsontree.String {
			plain := jsontree.NewObject(jsontree.Member{Name: main, Value: v})
			// Faults of the item are told where it stands.
			plain.Line, plain.Column = v.Line, v.Column
			v = plain
		}
		item := &object{v: v, at: fmt.Sprintf("%s/%d", o.pointer(name), i), faults: o.faults}
		if v.Kind != jsontree.Object {
			o.add(v, item.at, "must be an object or a string, is of type "+v.Kind.String(), "")
			continue
		}
		all = append(all, read(item))
		item.closed()
	}
	return all
}

// The functions below read one item of a list each. What is missing in it is noted with its pointer.
func readAction(o *object) Action {
	return Action{Summary: o.required("summary", maxText), Ref: o.optional("ref", maxText)}
}

// readFile reads a file or artifact; the first of the kinds is what an item without one is.
func readFile(kinds ...string) func(*object) File {
	return func(o *object) File {
		f := File{
			Path: o.required("path", maxText), Kind: o.enum("kind", kinds...),
			Change: o.optional("change", maxText), SHA256: o.optional("sha256", maxText),
		}
		if f.SHA256 != "" && !form.IsDigest(strings.TrimPrefix(f.SHA256, form.IDPrefix)) {
			o.add(o.v.Get("sha256"), o.pointer("sha256"), "is not a SHA-256", "give 64 lower-case hex digits")
		}
		return f
	}
}

// readCommand reads a command or test. A result that its exit code contradicts is a fault: one of them
// is a lie.
func readCommand(kinds ...string) func(*object) Command {
	return func(o *object) Command {
		c := Command{
			Command: o.required("command", maxText), Kind: o.enum("kind", kinds...), Result: o.enum("result", "unknown", "passed", "failed", "skipped"),
			ExitCode: o.integer("exit_code", math.MinInt32, math.MaxUint32), DurationMS: o.integer("duration_ms", 0, 1<<53-1),
			Summary: o.optional("summary", maxText),
		}
		if c.Result == "passed" && c.ExitCode != nil && *c.ExitCode != 0 {
			o.add(o.v.Get("result"), o.pointer("result"), "is passed, but exit_code is not 0", "say failed, or correct exit_code")
		}
		return c
	}
}

// readAssumption reads what was taken for granted, and what became of it.
func readAssumption(o *object) Assumption {
	return Assumption{o.required("statement", maxText), o.enum("state", "open", "promoted", "refuted", "carried_forward")}
}

// readDebt reads what was left to be cleared up.
func readDebt(o *object) Debt {
	return Debt{o.required("summary", maxText), o.enum("state", "open", "carried_forward", "resolved"), o.optional("next_action", maxText)}
}

// readException reads what went otherwise than it should.
func readException(o *object) Exception {
	return Exception{o.required("summary", maxText), o.optional("reason", maxText)}
}

// readStep reads what is to be done next.
func readStep(o *object) Step {
	return Step{o.required("what", maxText), o.optional("who", maxText), o.optional("verify_first", maxText)}
}
