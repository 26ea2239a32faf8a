package kind

import (
	"errors"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/json"
	"github.com/seed-78daf238/handoff/schema"
)

// MaxBytes is the maximum size of a record.
const MaxBytes = 1 << 20

// A Given is what a record itself does not say: who and where, and what only the caller knows.
type Given struct {
	Kind       string   // forced; "" detects it
	AllowEmpty []string // fields of a packet that can be empty

	Me, From, To  string // operators
	Project, Root string // the name and the directory of the project
	Now           string // RFC 3339 with Z

	// Screen searches the texts of a record for credentials, and can replace their values. It returns the rules of the
	// allowed ones, and whether it changed a text. nil screens nothing.
	Screen  func([]Text) (allowed []string, isChanged bool, err error)
	Carried func(Record) []string  // returns the assumptions that earlier records left open; can be nil
	Exists  func(path string) bool // reports whether a referenced file exists; nil: not checked

	allowed []string
}

// A Tree is a JSON value whose members keep their order.
type Tree = json.Value

// A Text is a text of a record, with the name of its member.
type Text = document.Text

// A Record is a record with its faults.
type Record struct {
	*Kind
	Root             *Tree
	Stage            string        // the last stage of validation that ran
	Faults, Warnings []fault.Fault // of that stage, and of all stages
	Tokens           int           // of a universal handoff, 0 if they were not counted
	Hash             string        // the computed hash of its payload
	Mismatch         bool          // payload_hash differs
}

// Read reads, completes and checks a record. The error is a *fault.DocumentError: the text is no JSON object, or it
// has the shape of no kind.
func Read(text []byte, g Given) (Record, error) {
	root, err := json.ParseObject(text, MaxBytes, "a record")
	if err != nil {
		return Record{}, err
	}
	k := detect(root)
	if g.Kind != "" {
		k, err = Of(g.Kind)
	}
	switch {
	case err != nil:
		return Record{}, err
	case k == nil:
		return Record{},
			&fault.DocumentError{Faults: []fault.Fault{{Problem: "the JSON has the shape of no kind of record",
				Hint: "add --kind: " + strings.Join(Names(), ", ")}}}
	}
	return k.read(root, g)
}

// read screens, completes and checks a tree.
func (k *Kind) read(root *json.Value, g Given) (Record, error) {
	r := Record{Kind: k, Root: root, Stage: "schema"}
	if err := r.screen(&g); err != nil {
		return r, err
	}
	if k.table().x.Get("complete") != nil {
		k.complete(root, g)
	}
	if k.derive != nil {
		k.derive(&r, g)
	}
	r.Faults = append(r.Faults, k.schemaFaults(root)...)
	r.relax(g.AllowEmpty)
	if k.check != nil {
		k.check(&r, g)
	}
	r.place()
	return r, nil
}

// screen passes all texts to the scan for credentials. A right payload hash stays right.
func (r *Record) screen(g *Given) error {
	if g.Screen == nil {
		return nil
	}
	isRight := r.Text(hashPath) != "" && r.Text(hashPath) == payloadHash(r.Root)
	var all []Text
	r.Root.Walk("", nil, func(at string, in *json.Member, v *json.Value) {
		t := Text{Pointer: at, Value: new(string), Redactable: true}
		if in != nil {
			t.Name = in.Name
		}
		if v.Kind == json.String {
			t.Value = &v.Text
		}
		all = append(all, t)
	})
	allowed, isChanged, err := g.Screen(all)
	if found, is := errors.AsType[*fault.DocumentError](err); is {
		r.Faults = found.Faults
		r.place()
	}
	if g.allowed = allowed; isChanged && isRight {
		set(r.Root, hashPath, payloadHash(r.Root))
	}
	return err
}

// relax removes the faults of fields that are only empty and can be.
func (r *Record) relax(allowEmpty []string) {
	r.Faults = slices.DeleteFunc(r.Faults, func(f fault.Fault) bool {
		name, _, _ := strings.Cut(strings.TrimPrefix(f.Pointer, "/"), "/")
		v := r.Root.At(f.Pointer)
		return slices.Contains(allowEmpty, name) && v != nil && isBlank(v.Str()) && len(v.Items)+len(v.Members) == 0
	})
}

// CheckAllowEmpty refuses names that are not required fields of a packet.
func CheckAllowEmpty(names []string) error {
	k, _ := Of(Packet)
	var known []string
	for _, f := range k.table().fields {
		if f.need {
			known = append(known, f.name())
		}
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return fault.Invalid("use "+strings.Join(known, ", "), "--allow-empty: unknown field %q", name)
		}
	}
	return nil
}

// schemaFaults returns the faults that the schema finds, and the times that are none.
func (k *Kind) schemaFaults(root *json.Value) []fault.Fault {
	faults := schema.Of(k.schema)(root.Plain())
	for _, f := range k.table().fields {
		f.each(root, func(at string, v, _ *json.Value) {
			isKnown := func(f fault.Fault) bool { return f.Pointer == at }
			if _, ok := form.ISO(v.Str()); f.x.Get("time") != nil && v != nil && v.Kind == json.String && !ok &&
				!slices.ContainsFunc(faults, isKnown) {
				faults = append(faults, fault.Fault{Pointer: at, Problem: "is not a time with an offset",
					Hint: "write it like 2026-05-07T12:00:00Z"})
			}
		})
	}
	return faults
}

// complete gives a tree all its fields: other names and words become ours, plain strings become items, missing fields
// get their value, and null counts as missing.
func (k *Kind) complete(root *json.Value, g Given) {
	for _, f := range k.table().fields {
		f.each(root, func(at string, v, holder *json.Value) {
			v = f.rename(holder, v)
			f.wrap(v, nil)
			if meant := f.x.Get("means").Get(v.Str()); meant != nil {
				holder.Set(f.name(), meant.Text)
			}
			if v != nil && v.Kind != json.Null {
				return
			}
			if missing := f.missing(g); missing != nil {
				holder.Set(f.name(), missing)
			} else {
				holder.Delete(f.name())
			}
		})
	}
}

// missing returns the value of a missing field, nil if it has none.
func (f field) missing(g Given) *json.Value {
	if fill := f.x.Get("fill").Str(); fill != "" {
		if text := g.fill(fill); text != "" {
			return json.NewString(text)
		}
	}
	return f.x.Get("default").Clone()
}

// rename moves the values of other names of a field to it, and returns its value.
func (f field) rename(holder, v *json.Value) *json.Value {
	names := f.x.Get("names")
	if names == nil {
		return v
	}
	for _, m := range names.Members {
		other := holder.Get(m.Name)
		if holder.Delete(m.Name); other == nil || other.Kind == json.Null {
			continue
		}
		f.wrap(other, m.Value)
		if v.Is(json.Array) && other.Is(json.Array) {
			v.Items = append(v.Items, other.Items...)
			continue
		}
		holder.Set(f.name(), other)
		v = other
	}
	return v
}

// wrap makes objects of the plain strings in a list, and gives all items the missing members of with.
func (f field) wrap(list, with *json.Value) {
	main := f.x.Get("main").Str()
	for i, item := range list.All() {
		if main != "" && item.Kind == json.String {
			text := *item
			item.Kind, item.Members = json.Object, []json.Member{{Name: main, Value: &text}}
			list.Items[i] = item
		}
		if with == nil || item.Kind != json.Object {
			continue
		}
		for _, m := range with.Members {
			if item.Get(m.Name) == nil {
				item.Set(m.Name, m.Value.Clone())
			}
		}
	}
}

// place sets line and column of the faults: those of the value, or of the object that lacks it.
func (r *Record) place() {
	for _, all := range [][]fault.Fault{r.Faults, r.Warnings} {
		for i, f := range all {
			v := r.Root.At(f.Pointer)
			if v == nil {
				v = r.Root.At(above(f.Pointer))
			}
			if v != nil && f.Pointer != "" {
				all[i].Line, all[i].Column = v.Line, v.Column
			}
		}
	}
	fault.Sort(r.Faults)
}

// Unplaced removes line and column from the faults of a record whose text nobody has seen.
func (r Record) Unplaced() Record {
	for _, all := range [][]fault.Fault{r.Faults, r.Warnings} {
		for i := range all {
			all[i].Line, all[i].Column = 0, 0
		}
	}
	return r
}

// Err returns nil for a record without faults. If a wrong payload hash is the only fault, the error wraps
// fault.ErrIntegrity; otherwise it is a *fault.DocumentError.
func (r Record) Err() error {
	switch {
	case len(r.Faults) == 0:
		return nil
	case r.Mismatch && len(r.Faults) == 1:
		return fault.Integrity(r.Faults[0].Hint, "%s: %s", fault.Field(r.Faults[0].Pointer), r.Faults[0].Problem)
	}
	return &fault.DocumentError{Faults: r.Faults}
}

// Text returns the text at the first pointer of the record that has one.
func (r Record) Text(pointers ...string) string {
	for _, pointer := range pointers {
		if text := r.Root.At(pointer).Str(); text != "" {
			return text
		}
	}
	return ""
}

// Head returns the values for the frontmatter, "" for those that the record does not have. From and to
// are skills of a universal handoff; the from of a run record is its agent.
func (r Record) Head() (from, to, topic, stamp string) {
	head := r.table().x.Get("head")
	get := func(name string) string { return r.Text(head.Get(name).Str()) }
	if at, ok := form.ISO(get("time")); ok {
		stamp = at.UTC().Format(time.RFC3339Nano)
	}
	return get("from"), get("to"), get("topic"), stamp
}

// JSON returns the record as indented JSON. Members keep their order, numbers their text.
func (r Record) JSON() []byte { return r.Root.Indent() }

// isBlank reports whether a text is invisible: only spaces, and characters without a shape.
func isBlank(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool {
		return !unicode.IsSpace(r) && !unicode.IsControl(r) && !unicode.Is(unicode.Cf, r)
	})
}
