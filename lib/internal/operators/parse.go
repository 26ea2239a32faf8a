package operators

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// MaxBytes is the largest head that Parse reads.
const MaxBytes = 1 << 20

// A Problem is one thing that is wrong with the file.
type Problem struct {
	Line int    `json:"line"` // 1-based line in the file
	Text string `json:"text"` // what is wrong and what to do: lower case, no final stop
}

// String returns the problem as one line: place, text.
func (p Problem) String() string { return fmt.Sprintf("line %d: %s", p.Line, p.Text) }

// Parse reads the YAML head of an operators file, without its delimiter lines. firstLine is the
// number of the head's first line in the file. It returns either a list or every problem, sorted
// by line.
func Parse(head []byte, firstLine int) (*List, []Problem) {
	r := &reader{before: firstLine - 1}
	list := []Operator{}
	if root := r.decode(head); root != nil && r.plain(root) {
		list = r.file(root)
	}
	if len(r.problems) > 0 {
		slices.SortStableFunc(r.problems, func(a, b Problem) int { return cmp.Compare(a.Line, b.Line) })
		return nil, r.problems
	}
	return &List{operators: list}, nil
}

type reader struct {
	before   int // lines of the file before the head
	problems []Problem
}

func (r *reader) fault(lineOfHead int, format string, args ...any) {
	r.problems = append(r.problems, Problem{r.before + max(lineOfHead, 1), fmt.Sprintf(format, args...)})
}

// readable reports what would make YAML see other lines than a person does, and whether there is none.
func (r *reader) readable(head []byte) bool {
	before := len(r.problems)
	switch {
	case len(head) > MaxBytes:
		r.fault(1, "the frontmatter is larger than %d bytes; make it smaller", MaxBytes)
		return false
	case !utf8.Valid(head):
		r.fault(1, "the frontmatter is not valid UTF-8; save the file as UTF-8")
	}
	for i, text := range bytes.Split(head, []byte("\n")) {
		if bytes.HasPrefix(text, []byte("...")) { // ends the document for YAML and hides what follows
			r.fault(i+1, "a line must not begin with %q; remove it", "...")
		}
		if bytes.ContainsAny(text, "\u0085\u2028\u2029") { // a comment could hide an operator
			r.fault(i+1, "a Unicode line separator, which YAML takes for a line break; remove it")
		}
	}
	return len(r.problems) == before
}

// decode returns the root of the one document in head, or nil after reporting why there is none.
func (r *reader) decode(head []byte) *yaml.Node {
	if !r.readable(head) {
		return nil
	}
	decoder := yaml.NewDecoder(bytes.NewReader(head))
	var document, second yaml.Node
	if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
		r.fault(1, "the frontmatter is empty; it needs the keys %s", strings.Join(fileKeys, ", "))
		return nil
	} else if err != nil {
		r.syntax(err)
		return nil
	}
	if err := decoder.Decode(&second); err == nil {
		r.fault(second.Line, "a second YAML document; keep everything in one")
		return nil
	} else if !errors.Is(err, io.EOF) {
		r.syntax(err)
		return nil
	}
	return document.Content[0]
}

// syntax reports an error of the YAML library, whose text may begin with a line number of the head.
func (r *reader) syntax(err error) {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	at := 1
	if rest, ok := strings.CutPrefix(text, "line "); ok {
		if number, problem, ok := strings.Cut(rest, ": "); ok {
			if n, err := strconv.Atoi(number); err == nil {
				at, text = n, problem
			}
		}
	}
	r.fault(at, "not valid YAML near here: %s", text)
}

// plain reports every anchor, alias and tag below n, and whether there is none.
func (r *reader) plain(n *yaml.Node) bool {
	before := len(r.problems)
	switch {
	case n.Kind == yaml.AliasNode:
		r.fault(n.Line, "aliases are not allowed; write the value of *%s again", n.Value)
		return false // an alias may point at a node that contains it
	case n.Anchor != "":
		r.fault(n.Line, "anchors are not allowed; remove &%s", n.Anchor)
	case n.Style&yaml.TaggedStyle != 0 && n.ShortTag() != "!!str":
		r.fault(n.Line, "tags are not allowed; remove %s", n.Tag)
	}
	for _, child := range n.Content {
		r.plain(child)
	}
	return len(r.problems) == before
}
