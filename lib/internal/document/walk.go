package document

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// readHead fills the draft from the lines between the delimiters.
func (d *Draft) readHead(head []byte) {
	faults, cut := scanHead(head)
	d.faults = append(d.faults, faults...)
	if cut {
		return
	}
	source, stand := slashes(head)
	root, fault := decode(source)
	switch {
	case fault != nil && len(faults) == 0: // bad characters upset the YAML: one cause, one fault
		d.fail(*fault)
	case fault != nil:
	case root == nil:
		d.fail(Fault{Line: 1, Column: 1, Problem: "the head is empty", Hint: "it needs " + strings.Join(required(), ", ")})
	case root.Kind != yaml.MappingNode:
		d.fail(Fault{Line: root.Line + 1, Column: root.Column, Problem: "the head is not a mapping", Hint: "write lines of the form key: 'value'"})
	case count(root, maxNodes+1) > maxNodes:
		d.fail(Fault{Line: 1, Column: 1, Problem: fmt.Sprintf("the head has more than %d YAML nodes", maxNodes), Hint: "a head has eight keys and two lists"})
	default:
		w := walker{Draft: d, source: source, line: 1, column: 1, stand: stand, spoilt: map[int]bool{}}
		for _, f := range faults {
			w.spoilt[f.Line] = true
		}
		d.head = w.fields(root)
		d.places[""] = place{1, 1} // what is missing is missing between the delimiters
		sortFaults(d.faults)
	}
}

func required() []string {
	return []string{"schema_version", "from", "to", "topic", "ts_utc"}
}

// count counts nodes up to a limit. It does not follow aliases.
func count(n *yaml.Node, limit int) int {
	total := 1
	for _, child := range n.Content {
		if total >= limit {
			break
		}
		total += count(child, limit-total)
	}
	return total
}

// A walker turns nodes into values, in the order of the source.
type walker struct {
	*Draft
	source       []byte // what is not yet passed, beginning at line and column of the head
	line, column int
	stand        rune         // what stands for the backslash of \/, or 0
	spoilt       map[int]bool // lines whose characters were reported already
}

func (w *walker) value(n *yaml.Node, pointer string) any {
	at := place{n.Line + 1, n.Column}
	w.places[pointer] = at
	w.faulted[pointer] = w.extras(n, pointer, at)
	if n.Kind == yaml.AliasNode {
		return nil
	}
	switch n.Kind {
	case yaml.MappingNode:
		w.report(at, pointer, "the value is a mapping, not text", "put it in single quotes; a colon and a space make a mapping")
		return nil
	case yaml.SequenceNode:
		items := make([]any, len(n.Content))
		for i, item := range n.Content {
			items[i] = w.value(item, pointerTo(pointer, strconv.Itoa(i)))
		}
		return items
	}
	return w.scalar(n, pointer, at)
}

// scalar returns the string, or nil for null. An unquoted scalar of another type is a fault, so that
// every YAML library reads the head alike.
func (w *walker) scalar(n *yaml.Node, pointer string, at place) any {
	if w.stand != 0 {
		restore(n, w.stand)
	}
	if _, bad := badRune(n.Value); bad && w.spoilt[at.line] {
		w.faulted[pointer] = true
	} else {
		w.checkRunes(n.Value, pointer, at)
	}
	if n.Style != 0 {
		return n.Value
	}
	kind := plainKind(n.Value, n.Tag)
	switch {
	case kind == "null" && strings.Count(pointer, "/") == 1: // a field, not an item
		return nil
	case kind == "" || kind == timestamp && pointer == "/ts_utc" || w.faulted[pointer]:
	case n.Value == "":
		w.report(at, pointer, "the item is empty", "remove its dash, or write a value in single quotes")
	default:
		w.report(at, pointer, fmt.Sprintf("YAML reads %s without quotes as %s", show(n.Value), kind), "write "+clip(quote(n.Value)))
	}
	return n.Value
}

// clip shortens a quoted value in a hint; such values hold no character that needs escaping.
func clip(s string) string {
	if utf8.RuneCountInString(s) > 40 {
		return "it in single quotes"
	}
	return s
}

// fields returns the values of the head by key. Null counts as absent; of a key given twice the first
// counts.
func (w *walker) fields(root *yaml.Node) map[string]any {
	w.extras(root, "", place{root.Line + 1, root.Column})
	values := map[string]any{}
	first := map[string]int{}
	for i := 0; i+1 < len(root.Content); i += 2 {
		key := root.Content[i]
		if !w.key(key, first) {
			continue
		}
		if value := w.value(root.Content[i+1], pointerTo("", key.Value)); value != nil {
			values[key.Value] = value
		}
	}
	return values
}

// key reports whether the value of a key counts. first holds the lines of the keys before it.
func (w *walker) key(n *yaml.Node, first map[string]int) bool {
	fault := Fault{Line: n.Line + 1, Column: n.Column}
	if w.stand != 0 {
		restore(n, w.stand)
	}
	w.extras(n, "", place{fault.Line, fault.Column})
	line, twice := first[n.Value]
	switch {
	case n.Kind != yaml.ScalarNode:
		fault.Problem, fault.Hint = "a key is not a plain word", "write lines of the form key: 'value'"
	case n.Tag == "!!merge":
		fault.Problem, fault.Hint = "merge keys are not allowed", "write the values out"
	case twice:
		fault.Problem, fault.Hint = fmt.Sprintf("the key %s is given twice, first on line %d", show(n.Value), line), "keep one of them"
	case !slices.Contains(headKeys, n.Value):
		fault.Problem, fault.Hint = "unknown key "+show(n.Value), hintKey(n.Value)
	default:
		first[n.Value] = fault.Line
		return true
	}
	w.faults = append(w.faults, fault)
	return false
}

func hintKey(key string) string {
	if near := Nearest(key, headKeys); near != "" {
		return "did you mean " + near + "?"
	}
	return "known are " + strings.Join(headKeys, ", ")
}

// extras refuses what YAML can hang on a node: anchor, alias, tag. It reports whether it found any.
func (w *walker) extras(n *yaml.Node, pointer string, at place) bool {
	fault := Fault{Line: at.line, Column: at.column, Pointer: pointer, Hint: "remove it, or put the value in single quotes"}
	explicit := n.Style&yaml.TaggedStyle != 0
	switch {
	case n.Kind == yaml.AliasNode:
		fault.Problem, fault.Hint = "aliases are not allowed: "+show("*"+n.Value), "write the value out"
	case n.Anchor != "":
		fault.Problem = "anchors are not allowed: " + show("&"+n.Anchor)
	case explicit && (n.Tag != "!!str" || n.Kind != yaml.ScalarNode):
		fault.Problem = "tags other than !!str are not allowed: " + show(n.Tag)
	case !explicit && w.at(n.Line, n.Column) == '!':
		fault.Problem = `tags other than !!str are not allowed: "!"`
	default:
		return false
	}
	w.faults = append(w.faults, fault)
	return true
}

// at returns the byte at a place of the head. The library does not report the tag "!", so the source
// is looked at; nodes come in source order, so the whole walk passes it once.
func (w *walker) at(line, column int) byte {
	for len(w.source) > 0 && (w.line < line || w.line == line && w.column < column) {
		r, size := utf8.DecodeRune(w.source)
		w.source = w.source[size:]
		w.column++
		if r == '\n' {
			w.line, w.column = w.line+1, 1
		}
	}
	if len(w.source) == 0 || w.line != line || w.column != column {
		return 0
	}
	return w.source[0]
}
