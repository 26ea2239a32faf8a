package document

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"go.yaml.in/yaml/v3"

	"github.com/seed-78daf238/handoff/lib/fault"
)

// A Kind says what a Node is.
type NodeKind uint8

// The kinds. An alias is a fault and has no value.
const (
	Scalar NodeKind = iota
	List
	Mapping
	Alias
)

// A Node is one value of a text.
type Node struct {
	Kind         NodeKind
	Text         string   // of a scalar: its characters
	Tag          string   // of a scalar: as what YAML 1.2 reads it, such as !!str or !!null
	Plain        bool     // a scalar without quotes and tag
	Items        []*Node  // of a list
	Members      []Member // of a mapping, in order, each key once
	Line, Column int      // 1-based, in the file
	Faulty       bool     // a fault of the node itself was reported
}

// A Member is a key of a mapping with its value.
type Member struct {
	Key, Value *Node
}

// Options describe a text.
type YAMLOptions struct {
	Name               string // what messages call it, such as "the head"
	Line               int    // the number of its first line in the file; 0 for 1
	MaxBytes, MaxNodes int
}

// Read returns the root of a text, nil for a text that holds nothing, and every fault that was found.
// Of a text that is not YAML there is no root. Lines must end in LF.
func ReadYAML(text []byte, o YAMLOptions) (root *Node, faults []fault.Fault) {
	r := &yamlReader{YAMLOptions: o, rest: text, line: 1, column: 1, spoilt: map[int]bool{}}
	r.Line = max(o.Line, 1)
	if !r.readable(text) {
		return nil, r.faults
	}
	source, stand := slashes(text)
	r.rest, r.stand = source, stand
	top, problem := r.decode(source)
	switch {
	case problem != nil && len(r.faults) == 0: // bad characters upset the YAML: one cause, one fault
		r.faults = append(r.faults, *problem)
	case problem != nil, top == nil:
	case count(top, o.MaxNodes+1) > o.MaxNodes:
		r.add(placeOfNode{1, 1}, "", fmt.Sprintf("%s has more than %d YAML nodes", o.Name, o.MaxNodes), "make it smaller")
	default:
		return r.node(top, ""), r.faults
	}
	return nil, r.faults
}

// A place is a line of the text and a column, both from 1.
type placeOfNode struct{ line, column int }

// A reader turns the nodes of the library into ours, in the order of the source.
type yamlReader struct {
	YAMLOptions
	faults       []fault.Fault
	rest         []byte // what is not yet passed, beginning at line and column of the text
	line, column int
	stand        rune         // what stands for the backslash of \/, or 0
	spoilt       map[int]bool // lines of the text whose characters were reported already
}

// add reports a fault at a place of the text; the fault names the line of the file.
func (r *yamlReader) add(at placeOfNode, pointer, problem, hint string) {
	r.faults = append(r.faults, fault.Fault{Line: at.line + r.Line - 1, Column: at.column, Pointer: pointer,
		Problem: problem, Hint: hint})
}

// decode returns the root of the one document, nil when it holds nothing but comments.
func (r *yamlReader) decode(text []byte) (root *yaml.Node, problem *fault.Fault) {
	defer func() {
		if recover() != nil { // the library panics on states that it calls impossible
			root, problem = nil, &fault.Fault{Line: r.Line, Column: 1, Problem: r.Name + " cannot be read as YAML"}
		}
	}()
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	document := new(yaml.Node) // a node: aliases are not resolved, keys not merged
	err := decoder.Decode(document)
	if errors.Is(err, io.EOF) || err == nil && len(document.Content) == 0 {
		return nil, nil
	}
	if err == nil { // what follows the first document would be hidden
		var second yaml.Node
		if err = decoder.Decode(&second); err == nil {
			return nil, &fault.Fault{Line: second.Line + r.Line - 1, Column: 1,
				Problem: "a second YAML document begins here", Hint: "keep one mapping"}
		}
	}
	if !errors.Is(err, io.EOF) {
		return nil, r.explain(err, text)
	}
	return document.Content[0], nil
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
