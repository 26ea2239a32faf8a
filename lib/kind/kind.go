// Package kind reads, makes, checks and shows records: resume packets (packet/1), universal handoffs (universal/3.0)
// and run records (run/1). It knows no store.
//
// # The table
//
// The JSON Schema of a kind, published in the directory schema, is also the table of its fields. The keyword x next to
// a property says what a schema cannot:
//
//	main     the member that a plain string stands for, if an object belongs here
//	names    other names of the field, each with the members that it gives to an item
//	means    other words for a value
//	default  the value of a missing field
//	fill     a missing field gets: now, me, from, to, project, root, token, uuid
//	flags    the flags of create that set it
//	fact     what check and resume read there; unless names the state in which they do not
//	time     the value is a time, which a repair can convert
//	drop     compression removes it
//	closed   the states that end an item of this list; without them it stays open for later records
//
// At the root, x has the title of the view and its first paragraph, the members by which JSON is detected, and the
// places of the fields of the frontmatter; with complete, a record that is read gets all its fields.
//
// To change a field, change the schema. A new kind is a schema, a row in kinds and at most one file of checks.
//
// # The body
//
// A body is a record only if it is exactly its Markdown view and one fenced block with the JSON:
//
//	# Resume packet: Retry failed uploads
//
//	- **Objective:** Retry failed uploads
//	…
//
//	```json handoff-record=packet/1
//	{ … }
//	```
//
// The fence is longer than any run of backquotes in the JSON. The JSON is the truth, and the view is made from it.
package kind

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/json"
	"github.com/seed-78daf238/handoff/schema"
)

// A Kind is a kind of record.
type Kind struct {
	Name, Version string

	schema string
	table  func() *table
	derive func(*Record, Given) // completes a record that is read or made; can be nil
	check  func(*Record, Given) // what no schema can say; can be nil
	shown  func(r *json.Value)  // prepares a copy for its view; can be nil
}

// kinds is the table of kinds. JSON is compared with them in this order.
var kinds = []*Kind{
	{Name: Universal, Version: "3.0", schema: "universal-handoff-v3.0", check: checkUniversal},
	{Name: Packet, Version: "1", schema: "packet-1"},
	{Name: Run, Version: "1", schema: "run-1", derive: deriveAudit, shown: explainAudit},
}

// The names of the kinds.
const (
	Packet    = "packet"
	Universal = "universal"
	Run       = "run"
)

func init() {
	for _, k := range kinds {
		k.table = sync.OnceValue(k.load)
	}
}

// Names returns the names of the kinds.
func Names() []string { return []string{Packet, Universal, Run} }

// Of returns the kind with a name. The error is fault.ErrInvalid.
func Of(name string) (*Kind, error) {
	for _, k := range kinds {
		if k.Name == name {
			return k, nil
		}
	}
	return nil, fault.Invalid("use "+strings.Join(Names(), ", "), "unknown kind %q", name)
}

// Shape returns the name of the kind of a JSON text by its shape, "" for another shape. The error is that of another
// text.
func Shape(text []byte) (name string, err error) {
	root, err := json.Parse(text)
	if k := detect(root); k != nil {
		name = k.Name
	}
	return name, err
}

func detect(root *json.Value) *Kind {
	for _, k := range kinds {
		for _, shape := range k.table().x.Get("detect").All() {
			if !slices.ContainsFunc(shape.Items, func(m *json.Value) bool { return root.Get(m.Text) == nil }) {
				return k
			}
		}
	}
	return nil
}

// Label returns the name with the version, such as packet/1.
func (k *Kind) Label() string { return k.Name + "/" + k.Version }

// A table has the fields of a kind, in the order of its schema, and the keyword x of its root.
type table struct {
	fields []field
	x      *json.Value
}

// A field is a row of the table.
type field struct {
	path  string // with * for each item of a list
	kind  string // its type: string, array, object, integer, boolean
	words []string
	need  bool
	most  int // the maximum length of a string, 0 for none
	x     *json.Value
}

// load reads the table of a kind. A test loads every table.
func (k *Kind) load() *table {
	root, _ := json.Parse(schema.Text(k.schema))
	t := &table{x: root.Get("x")}
	t.add(root, root, "")
	return t
}

// add adds the fields of an object of the schema, and those below them.
func (t *table) add(root, node *json.Value, path string) {
	properties := node.Get("properties")
	if properties == nil {
		return
	}
	for _, m := range properties.Members {
		whole := m.Value
		if ref := whole.Get("$ref").Str(); ref != "" {
			whole = root.At(strings.TrimPrefix(ref, "#"))
		}
		f := field{path: path + "/" + m.Name, x: m.Value.Get("x")}
		for _, name := range append(whole.Get("type").All(), whole.Get("type")) {
			if name.Str() != "null" && f.kind == "" {
				f.kind = name.Str()
			}
		}
		for _, word := range append(whole.Get("enum").All(), whole.Get("const")) {
			if word.Str() != "" {
				f.words = append(f.words, word.Text)
			}
		}
		f.need = slices.ContainsFunc(node.Get("required").All(), func(v *json.Value) bool { return v.Text == m.Name })
		if most := whole.Get("maxLength"); most != nil {
			f.most, _ = strconv.Atoi(most.Text)
		}
		t.fields = append(t.fields, f)
		t.add(root, whole, f.path)
		if items := whole.Get("items"); items != nil {
			t.add(root, items, f.path+"/*")
		}
	}
}

// named returns the field at a path or pointer.
func (t *table) named(pointer string) (field, bool) {
	parts := strings.Split(pointer, "/")
	for i, part := range parts {
		if _, err := strconv.Atoi(part); err == nil {
			parts[i] = "*"
		}
	}
	i := slices.IndexFunc(t.fields, func(f field) bool { return f.path == strings.Join(parts, "/") })
	if i < 0 {
		return field{}, false
	}
	return t.fields[i], true
}

// below returns the names of the fields directly below a pointer.
func (t *table) below(pointer string) (names []string) {
	for _, f := range t.fields {
		if above(f.path) == pointer {
			names = append(names, f.name())
		}
	}
	return names
}

func (f field) name() string { return last(f.path) }

// each calls visit for each place of the field whose object exists. v is nil if the field is missing there.
func (f field) each(root *json.Value, visit func(pointer string, v, holder *json.Value)) {
	expand(root, above(f.path), func(pointer string) {
		if holder := root.At(pointer); holder.Is(json.Object) {
			visit(fault.Pointer(pointer, f.name()), holder.Get(f.name()), holder)
		}
	})
}

// expand calls visit for each pointer that a path with * stands for.
func expand(root *json.Value, path string, visit func(pointer string)) {
	head, tail, inList := strings.Cut(path, "/*")
	if !inList {
		visit(path)
		return
	}
	for i := range root.At(head).All() {
		expand(root, head+"/"+strconv.Itoa(i)+tail, visit)
	}
}

// above returns the pointer of the parent.
func above(pointer string) string { return pointer[:max(0, strings.LastIndexByte(pointer, '/'))] }

// last returns the last name of a pointer.
func last(pointer string) string {
	return fault.PointerName(pointer[strings.LastIndexByte(pointer, '/')+1:])
}

// set sets a member, or an item that exists. Missing objects on the way are made.
func set(root *json.Value, pointer string, value any) {
	holder := root.At(above(pointer))
	if holder == nil {
		holder = json.NewObject()
		set(root, above(pointer), holder)
	}
	if i, err := strconv.Atoi(last(pointer)); err == nil && i < len(holder.Items) {
		holder.Items[i] = json.New(value)
	} else if holder.Is(json.Object) {
		holder.Set(last(pointer), value)
	}
}
