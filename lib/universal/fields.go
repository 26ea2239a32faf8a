package universal

import (
	_ "embed" // for the table of fields
	"strconv"
	"strings"
	"sync"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/fields"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

//go:embed fields.json
var file []byte

// Table returns the fields that a repair and the flags of a new document know. The schema validates others too.
var Table = sync.OnceValue(func() *fields.Table { return fields.Load(file, nil, nil) })

// A knowledge is the rest of the table: the share of the token budget for each part of a document, the layouts of times
// that a repair reads, the types of artifacts by their suffixes, and the directories of temporary files on any system.
type knowledge struct {
	Tiers []struct {
		Name  string
		Limit int
		Paths []string
	}
	Times []struct {
		Why     string
		Layouts []string // for single spaces and capital letters
	}
	Zones     map[string]string // of RFC 2822 section 4.3
	Suffixes  map[string]string // by type, separated by spaces
	Temporary []string
}

var known = form.Data[knowledge](file)

// fieldAt returns the field that contains a pointer. List indexes match any item.
func fieldAt(pointer string) (fields.Field, bool) {
	parts := strings.Split(pointer, "/")
	for i, part := range parts {
		if _, err := strconv.Atoi(part); err == nil {
			parts[i] = "*"
		}
	}
	pattern := strings.Join(parts, "/")
	if f, ok := Table().At(pattern); ok {
		return f, true
	}
	list, isItem := strings.CutSuffix(pattern, "/*")
	f, ok := Table().At(list)
	return f, ok && isItem && f.Type == "texts"
}

// everywhere calls visit with all places of all fields in the record.
func everywhere(root *jsontree.Value, visit func(f fields.Field, pointer string)) {
	for _, f := range Table().Fields {
		f.Each(root, func(pointer string, _, _ *jsontree.Value) { visit(f, pointer) })
	}
}

// member returns a member for a new object, with a value as jsontree.New makes it.
func member(name string, value any) jsontree.Member {
	return jsontree.Member{Name: name, Value: jsontree.New(value)}
}

// isField reports whether a pointer names a field of the schema.
func isField(pointer string) bool {
	_, ok := fieldAt(pointer)
	return ok
}

// otherName returns the missing field that a member of a closed object seems to mean, or "".
func otherName(root *jsontree.Value, pointer string) string {
	for _, f := range Table().Fields {
		name := fault.PointerName(pointer[strings.LastIndexByte(pointer, '/')+1:])
		if above(f.Path) == above(pointer) && alike(name, f) && root.At(f.Path) == nil {
			return f.Name()
		}
	}
	return ""
}
