package document

import (
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// node returns a node for one of the library, and reports the faults in it.
func (r *yamlReader) node(n *yaml.Node, pointer string) *Node {
	at := place{n.Line, n.Column}
	made := &Node{Line: at.line + r.Line - 1, Column: at.column, Faulty: r.extras(n, pointer, at)}
	switch n.Kind {
	case yaml.MappingNode:
		made.Kind = Mapping
		r.members(made, n, pointer)
	case yaml.SequenceNode:
		made.Kind = List
		for i, item := range n.Content {
			made.Items = append(made.Items, r.node(item, pointer+"/"+strconv.Itoa(i)))
		}
	case yaml.AliasNode:
		made.Kind = Alias
	default:
		made.Text, made.Tag, made.Plain, made.Comment = n.Value, n.ShortTag(), n.Style == 0, n.LineComment
		made.Faulty = made.Faulty || r.spoilt[at.line] && strings.ContainsFunc(n.Value, form.IsHidden)
	}
	return made
}

// members reads the keys of a mapping and their values. If a key occurs twice, the first counts.
func (r *yamlReader) members(made *Node, n *yaml.Node, pointer string) {
	first := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		at := place{key.Line, key.Column}
		if key.Kind == yaml.ScalarNode {
			k := r.node(key, pointer)
			line, twice := first[k.Text]
			switch {
			// The library does not merge into a node, but other readers would.
			case key.Tag == "!!merge":
				r.add(at, pointer, "merge keys are not allowed", "write the values out")
			case twice:
				r.add(at, pointer, fmt.Sprintf("the key %s is given twice, first on line %d",
					fault.Quote(k.Text), line), "keep one of them")
			default:
				first[k.Text] = k.Line
				made.Members = append(made.Members, Member{k, r.node(n.Content[i+1], fault.Pointer(pointer, k.Text))})
			}
			continue
		}
		r.extras(key, pointer, at)
		r.add(at, pointer, "a key is not a plain word", "write lines of the form key: 'value'")
	}
}

// extras reports an anchor, an alias or a tag of a node, and returns whether it found one.
func (r *yamlReader) extras(n *yaml.Node, pointer string, at place) bool {
	problem, hint := "", "remove it, or put the value in single quotes"
	explicit := n.Style&yaml.TaggedStyle != 0
	switch {
	case n.Kind == yaml.AliasNode:
		problem, hint = "aliases are not allowed: "+fault.Quote("*"+n.Value), "write the value out"
	case n.Anchor != "":
		problem = "anchors are not allowed: " + fault.Quote("&"+n.Anchor)
	case explicit && (n.Tag != "!!str" || n.Kind != yaml.ScalarNode):
		problem = "tags other than !!str are not allowed: " + fault.Quote(n.Tag)
	case !explicit && r.beginsWith('!', at):
		problem = `tags other than !!str are not allowed: "!"`
	default:
		return false
	}
	r.add(at, pointer, problem, hint)
	return true
}

// beginsWith reports whether the text at a place begins with a character. The library does not report the tag "!", so
// this looks at the source. An empty value can be behind its line, and YAML has more line breaks.
func (r *yamlReader) beginsWith(char rune, at place) bool {
	if at.line > len(r.lines) || !strings.ContainsRune(r.lines[at.line-1], char) {
		return false
	}
	line := []rune(r.lines[at.line-1])
	return at.column <= len(line) && line[at.column-1] == char
}
