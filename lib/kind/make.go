package kind

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/json"
)

// A Flag is a command line flag that sets a field of a new record.
type Flag struct {
	Name     string   // such as next-action
	Usage    string   // the name of its value is in backquotes
	List     bool     // it can repeat
	Rare     bool     // not in the help of create
	File     bool     // its value is the name of a file with JSON
	Absolute bool     // its value is a path that is made absolute
	States   []string // a value can end in =STATE, one of these
	Key      bool     // the value can be the key of an open item, followed by =STATE
	Path     string   // of the field

	field field
	x     *json.Value
}

// Flags returns the flags of a kind, in the order of its fields.
func (k *Kind) Flags() (all []Flag) {
	for _, f := range k.table().fields {
		for _, x := range f.x.Get("flags").All() {
			has := func(word string) bool { return x.Get(word) != nil }
			flag := Flag{Name: x.Get("name").Str(), Usage: x.Get("usage").Str(), List: f.kind == "array",
				Rare: has("rare"), File: has("file"), Absolute: has("absolute"), Key: has("key"), Path: f.path,
				field: f, x: x}
			if state := x.Get("state").Str(); state != "" {
				of, _ := k.table().named(f.path + "/*/" + state)
				flag.States = of.words
				for _, word := range x.Get("states").All() {
					flag.States = append(flag.States, word.Text)
				}
				for _, m := range members(of.x.Get("means")) {
					flag.States = append(flag.States, m.Name)
				}
			}
			all = append(all, flag)
		}
	}
	return all
}

func members(v *json.Value) []json.Member {
	if v == nil {
		return nil
	}
	return v.Members
}

// Cut cuts =STATE off the value of a flag. word is the end that looks like a state but is none.
func (f Flag) Cut(value string) (text, state, word string) {
	at := strings.LastIndexByte(value, '=')
	if at <= 0 || f.States == nil {
		return value, "", ""
	}
	if end := value[at+1:]; slices.Contains(f.States, end) {
		return value[:at], end, ""
	} else if end != "" && strings.Trim(end, "abcdefghijklmnopqrstuvwxyz_") == "" {
		word = end
	}
	return value, "", word
}

// A Value is the value of a flag, in the order of the command line. A value without a flag sets the field at Path.
type Value struct {
	Flag, Path, Text string

	item *json.Value // of a list, in place of the text
}

// Executed returns the value of a test that was run. Its exit code is negative if a signal ended it; state says so.
func Executed(command string, code int, took time.Duration, state string) Value {
	item := json.NewObject(json.Member{Name: "command", Value: json.NewString(command)})
	item.Set("kind", "test")
	item.Set("result", map[bool]string{true: "passed", false: "failed"}[code == 0])
	item.Set("exit_code", code)
	if item.Set("duration_ms", int(took.Milliseconds())); code < 0 {
		item.Set("summary", state)
	}
	return Value{Flag: "test-run-exec", Text: command, item: item}
}

// Make makes and checks a record of the values of flags. After is the record that it follows, nil for none: its fields
// are kept, except those that a flag sets.
func (k *Kind) Make(values []Value, after *Tree, g Given) (Record, error) {
	root := json.NewObject()
	if after != nil {
		root = k.next(after.Clone())
	}
	flags, said := k.Flags(), map[string]bool{}
	for _, f := range k.table().fields {
		if strings.Contains(f.path, "/*") || !f.need || root.At(f.path) != nil {
			continue
		}
		missing := f.missing(g)
		switch isEmpty := slices.Contains(g.AllowEmpty, f.name()); {
		case missing != nil:
		case f.kind == "object":
			missing = json.NewObject()
		case isEmpty && f.kind == "array":
			missing = json.NewArray()
		case isEmpty:
			missing = json.NewString("")
		default:
			continue
		}
		set(root, f.path, missing)
	}
	for _, v := range values {
		i := slices.IndexFunc(flags, func(f Flag) bool { return f.Name == v.Flag })
		switch {
		case i < 0:
			set(root, v.Path, v.Text)
		default:
			if err := flags[i].set(root, v, said); err != nil {
				return Record{}, err
			}
		}
	}
	if k.Name == Universal {
		seal(root)
	}
	r, err := k.read(root, g)
	if err != nil {
		return r, err
	}
	r.Root = ordered(root, k.table().below(""))
	for i, f := range r.Faults {
		for _, flag := range flags {
			if flag.Path == f.Pointer {
				r.Faults[i].Hint = "use --" + flag.Name
			}
		}
	}
	return r, nil
}

// set sets the field of a flag. said has the lists that a flag has begun.
func (f Flag) set(root *json.Value, v Value, said map[string]bool) error {
	path, at, inItem := strings.Cut(f.Path, "/*")
	list := root.At(path)
	switch {
	case inItem:
		if n := len(list.All()); n > 0 && said[path] {
			set(list.Items[n-1], at, v.Text)
			return nil
		}
		return fault.Invalid("put it after the flag of its item", "--%s belongs to the step before it", f.Name)
	case f.File:
		object, err := json.ParseObject([]byte(v.Text), MaxBytes, "the file of --"+f.Name)
		if err == nil {
			set(root, path, object)
		}
		return err
	case !f.List:
		set(root, path, v.Text)
		return nil
	}
	if !said[path] || list == nil {
		list, said[path] = json.NewArray(), true
		set(root, path, list)
	}
	list.Items = append(list.Items, cmp.Or(v.item, f.item(v.Text)))
	return nil
}

// item returns the item that the value of a flag stands for.
func (f Flag) item(value string) *json.Value {
	main := f.field.x.Get("main").Str()
	if main == "" {
		return json.NewString(value)
	}
	text, state, _ := f.Cut(value)
	item := json.NewObject(json.Member{Name: main, Value: json.NewString(text)})
	for _, m := range members(f.x.Get("with")) {
		item.Set(m.Name, m.Value.Clone())
	}
	if state != "" {
		item.Set(f.x.Get("state").Str(), state)
	}
	return item
}

// fill returns the text that a missing field gets.
func (g Given) fill(what string) string {
	switch what {
	case "now":
		return g.Now
	case "me":
		return g.Me
	case "from":
		return g.From
	case "to":
		return g.To
	case "project":
		return g.Project
	case "root":
		return g.Root
	case "uuid":
		return uuid.NewString()
	case "token":
		bits := make([]byte, 16)
		_, _ = rand.Read(bits) // never fails
		return hex.EncodeToString(bits)
	}
	return what
}

// next turns a record into the beginning of the one that follows it: without the fields that are filled in, and, of
// a universal handoff, from its target.
func (k *Kind) next(root *json.Value) *json.Value {
	target := root.At("/handoff/target/skill").Str()
	for _, f := range k.table().fields {
		f.each(root, func(_ string, _, holder *json.Value) {
			if fill := f.x.Get("fill").Str(); fill != "" && fill != "uuid" { // all of a chain have one trace_id
				holder.Delete(f.name())
			}
		})
	}
	if meta := root.At("/handoff/meta"); target != "" {
		set(root, sourcePath, target)
		meta.Delete("handoff_reason") // of the hop before
		meta.Delete("user_approved")
	}
	return root
}

// number returns an integer for a tree.
func number(n int) *json.Value { return &json.Value{Kind: json.Number, Text: strconv.Itoa(n)} }
