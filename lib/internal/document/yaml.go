package document

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/adrg/frontmatter"
	"go.yaml.in/yaml/v3"
)

// closer is the delimiter that frontmatter looks for. It trims lines before comparing, so an indented
// --- inside a block scalar would end the head; Split has found the true end, and no head holds NUL.
const closer = "\x00"

var errSecond = errors.New("yaml: a second document")

// strict is the one format we read: YAML into a node, without resolving aliases or merging keys.
var strict = frontmatter.NewFormat("---", closer, func(data []byte, v any) error {
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	if err := decoder.Decode(v); err != nil {
		return err
	}
	switch err := decoder.Decode(new(yaml.Node)); { // what follows the first document would be hidden
	case err == nil:
		return errSecond
	case errors.Is(err, io.EOF):
		return nil
	default:
		return err
	}
})

// buffers are used again: frontmatter would make one for each document of a batch.
var buffers = sync.Pool{New: func() any { return bufio.NewReader(nil) }}

// decode parses the head. The root is nil when the head holds nothing but comments.
func decode(head []byte) (root *yaml.Node, fault *Fault) {
	defer func() {
		if recover() != nil { // the library panics on states that it calls impossible
			root, fault = nil, &Fault{Line: 2, Column: 1, Problem: "the head cannot be read as YAML"}
		}
	}()
	framed := make([]byte, 0, len(head)+8)
	framed = append(framed, "---\n"...)
	framed = append(framed, head...)
	framed = append(framed, closer+"\n"...)
	document := new(yaml.Node)
	buffered := buffers.Get().(*bufio.Reader)
	defer buffers.Put(buffered)
	buffered.Reset(bytes.NewReader(framed))
	_, err := frontmatter.MustParse(buffered, document, strict)
	switch {
	case errors.Is(err, io.EOF) || err == nil && len(document.Content) == 0:
		return nil, nil
	case err != nil:
		return nil, explain(err, head)
	}
	return document.Content[0], nil
}

// syntaxErrors turns what the YAML library says into a sentence. mark are the characters one of which
// the fault is about; the last error of a line is where the scanner stopped. The library counts the
// lines of its parser's errors from 0 and those of its scanner's from 1.
var syntaxErrors = []struct {
	text, problem, hint, mark string
	parser                    bool
}{
	{"cannot start any token", "an unquoted value cannot begin with @, ` or %", "put the value in single quotes", "@`%", false},
	{"',' or ']'", "the list that opens here is not closed", "end it with ], or put its values in single quotes", "[", true},
	{"',' or '}'", "the mapping that opens here is not closed", "end it with }, or put its values in single quotes", "{", true},
	{"unexpected end of stream", "the quoted value that opens here is not closed", "end it with the quote it begins with", `'"`, false},
	{"mapping values are not allowed", "a colon and a space stand where no key may be", "put the value in single quotes, and begin every key in the same column", "", false},
	{"unknown escape", "a double-quoted value holds an unknown escape", "use single quotes, or write the backslash twice", `\`, false},
	{"Unicode character escape", "an escape names a surrogate or no character", "write the character itself", `\`, false},
	{"hexdecimal number", "an escape lacks hexadecimal digits", "use single quotes, or write the backslash twice", `\`, false},
	{"sequence entries are not allowed", "a dash and a space stand where no list item may be", "put the value in single quotes", "-", false},
	{"expected ':'", "the line is no key and value", "write a colon and a space after the key", "", false},
	{"<document start>", "something follows the mapping of the head", "keep one mapping between the --- lines", "", true},
	{"node content", "a value begins with a character that it cannot begin with", "put the value in single quotes", "]},", true},
	{"expected key", "the line does not fit the mapping", "begin every key in the same column", "", true},
	{"'-' indicator", "the line does not fit the list", "begin every dash in the same column", "", true},
	{"max depth", "the head is nested too deep", "a head holds strings and lists of strings", "", false},
	{"alphabetic or numeric", "an anchor or alias has no name", "put values that begin with & or * in single quotes", "&*", false},
	{"comment or line break", "more text follows | or >", "put the value in single quotes", "|>", false},
	{"tag handle", "a tag is not defined", "remove it", "!", true},
}

var (
	errorLine    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^yaml: (?:line (\d+): )?`) })
	unknownAlias = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`unknown anchor '(.*)' referenced`) })
)

// explain gives an error of the YAML library its place and a sentence.
func explain(err error, head []byte) *Fault {
	message := err.Error()
	if m := unknownAlias().FindStringSubmatch(message); m != nil {
		fault := &Fault{Problem: "aliases are not allowed: " + show("*"+m[1]), Hint: "write the value out, or put it in single quotes"}
		fault.Line, fault.Column = placeOf(head, max(0, bytes.Index(head, []byte("*"+m[1]))))
		fault.Line++
		return fault
	}
	m := errorLine().FindStringSubmatch(message)
	line, _ := strconv.Atoi(m[1]) // no line means the first
	fault := &Fault{Problem: "the head is no YAML: " + strings.TrimPrefix(message, m[0]), Hint: "put values in single quotes"}
	mark := ""
	for _, e := range syntaxErrors {
		if strings.Contains(message, e.text) {
			fault.Problem, fault.Hint, mark = e.problem, e.hint, e.mark
			if e.parser || line == 0 {
				line++
			}
			break
		}
	}
	line = max(line, 1)
	fault.Line, fault.Column = line+1, columnOf(lineOf(head, line), mark)
	return fault
}

// lineOf returns line n, from 1, of the head.
func lineOf(head []byte, n int) []byte {
	var line []byte
	for ; n > 0; n-- {
		line, head = cutLine(head)
	}
	return line
}

// columnOf returns the column of the first marked character of the line, or of its first character.
func columnOf(line []byte, mark string) int {
	at := bytes.IndexAny(line, mark)
	if mark == "" || at < 0 {
		at = len(line) - len(bytes.TrimLeft(line, " "))
	}
	_, column := placeOf(line, at)
	return column
}

// slashes protects the escape \/ of double-quoted scalars (YAML 1.2 section 5.7), which the library
// does not know: its backslash becomes a character that no string of a head may hold and whose escape
// the head does not contain. restore undoes it in a scalar.
func slashes(head []byte) (protected []byte, stand rune) {
	if !bytes.Contains(head, []byte(`\/`)) {
		return head, 0
	}
	lower := bytes.ToLower(head)
	for stand = 0xfdd0; bytes.Contains(lower, fmt.Appendf(nil, "%x", stand)) || bytes.ContainsRune(head, stand); stand++ {
		if stand == 0xfdef {
			return head, 0
		}
	}
	for i := 0; i < len(head); i++ {
		switch {
		case head[i] != '\\' || i+1 == len(head):
			protected = append(protected, head[i])
		case head[i+1] == '/':
			protected = append(protected, string(stand)+"/"...)
			i++
		default:
			protected = append(protected, head[i], head[i+1])
			i++
		}
	}
	return protected, stand
}

func restore(n *yaml.Node, stand rune) {
	backslash := `\`
	if n.Style&yaml.DoubleQuotedStyle != 0 {
		backslash = ""
	}
	n.Value = strings.ReplaceAll(n.Value, string(stand), backslash)
}
