package document

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/seed-78daf238/handoff/lib/fault"
)

// A NodeKind is the kind of a Node.
type NodeKind uint8

// The kinds of nodes. An alias is a fault and has no value.
const (
	Scalar NodeKind = iota
	List
	Mapping
	Alias
)

// A Node is a YAML value.
type Node struct {
	Kind         NodeKind
	Text         string   // the characters of a scalar
	Tag          string   // what YAML 1.2 reads a scalar as, such as !!str or !!null
	Plain        bool     // a scalar without quotes and tag
	Comment      string   // what follows a scalar in its line, with its #
	Items        []*Node  // the items of a list
	Members      []Member // the members of a mapping, in order, each key once
	Line, Column int      // 1-based, in the file
	Faulty       bool     // the node itself has a reported fault
	Comments     []int    // of the root: the lines of the file that have comments
}

// A Member is a key of a mapping with its value.
type Member struct {
	Key, Value *Node
}

// YAMLOptions describe a text to parse.
type YAMLOptions struct {
	Name               string // its name in messages, such as "the head"
	Line               int    // the number of its first line in the file; 0 means 1
	MaxBytes, MaxNodes int
}

// ReadYAML returns the root of a text and all faults. The root is nil if the text is empty or not YAML. Lines must
// end in LF.
func ReadYAML(text []byte, o YAMLOptions) (root *Node, faults []fault.Fault) {
	r := &yamlReader{YAMLOptions: o, lines: strings.Split(string(text), "\n"), spoilt: map[int]bool{}}
	r.Line = max(o.Line, 1)
	if !r.readable(text) {
		return nil, r.faults
	}
	top, problem := r.decode(text)
	switch {
	case problem != nil && len(r.faults) == 0: // bad characters cause YAML errors: report one fault for one cause
		r.faults = append(r.faults, *problem)
	case problem != nil, top == nil:
	case count(top, o.MaxNodes+1) > o.MaxNodes:
		r.add(place{1, 1}, "", fmt.Sprintf("%s has more than %d YAML nodes", o.Name, o.MaxNodes),
			"make it smaller")
	default:
		root = r.node(top, "")
		root.Comments = r.commented()
		return root, r.faults
	}
	return nil, r.faults
}

// A yamlReader converts the nodes of the library, in source order.
type yamlReader struct {
	YAMLOptions
	lines    []string
	faults   []fault.Fault
	spoilt   map[int]bool // lines with reported characters
	comments []string     // the lines of comments, without a place
}

// add reports a fault at a place of the text, with the line of the file.
func (r *yamlReader) add(at place, pointer, problem, hint string) {
	r.faults = append(r.faults, fault.Fault{Line: at.line + r.Line - 1, Column: at.column, Pointer: pointer,
		Problem: problem, Hint: hint})
}

// decode returns the root of the only document, nil if it contains nothing but comments.
func (r *yamlReader) decode(text []byte) (root *yaml.Node, problem *fault.Fault) {
	defer func() {
		if recover() != nil { // the library panics in states that it considers impossible
			root, problem = nil, &fault.Fault{Line: r.Line, Column: 1, Problem: r.Name + " cannot be read as YAML"}
		}
	}()
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	document := new(yaml.Node) // decoding into a node resolves no aliases and merges no keys
	err := decoder.Decode(document)
	if errors.Is(err, io.EOF) || err == nil && len(document.Content) == 0 {
		return nil, nil
	}
	if err == nil { // text after the first document would be hidden
		var second yaml.Node
		if err = decoder.Decode(&second); err == nil {
			return nil, &fault.Fault{Line: second.Line + r.Line - 1, Column: 1,
				Problem: "a second YAML document begins here", Hint: "keep one mapping"}
		}
	}
	if !errors.Is(err, io.EOF) {
		return nil, r.explain(err, text)
	}
	r.collect(document)
	return document.Content[0], nil
}

// collect finds the comments of a node, which the library keeps in three places.
func (r *yamlReader) collect(n *yaml.Node) {
	for _, text := range []string{n.HeadComment, n.LineComment, n.FootComment} {
		for line := range strings.SplitSeq(text, "\n") {
			if line != "" {
				r.comments = append(r.comments, line)
			}
		}
	}
	for _, child := range n.Content {
		r.collect(child)
	}
}

// commented returns the lines of the file that end in one of the comments.
func (r *yamlReader) commented() (lines []int) {
	for i, line := range r.lines {
		if slices.ContainsFunc(r.comments, func(comment string) bool {
			return strings.HasSuffix(strings.TrimRight(line, " "), comment)
		}) {
			lines = append(lines, r.Line+i)
		}
	}
	return lines
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
