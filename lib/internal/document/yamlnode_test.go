package document_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/form"
)

func readYAML(text string) (*document.Node, string) {
	root, faults := document.ReadYAML([]byte(text), document.YAMLOptions{Name: "the text", Line: 2, MaxBytes: 1 << 16, MaxNodes: 50})
	var all []string
	for _, f := range faults {
		all = append(all, fmt.Sprintf("%d:%d %s %s", f.Line, f.Column, f.Pointer, f.Problem))
	}
	return root, strings.Join(all, "\n")
}

// print writes a tree in one line: scalars with their tags, "" around those that were quoted.
func print(n *document.Node) string {
	if n == nil {
		return "nothing"
	}
	var parts []string
	switch n.Kind {
	case document.Scalar:
		if n.Plain {
			return n.Text + n.Tag
		}
		return fmt.Sprintf("%q", n.Text) + n.Tag
	case document.List:
		for _, item := range n.Items {
			parts = append(parts, print(item))
		}
		return "[" + strings.Join(parts, " ") + "]"
	case document.Mapping:
		for _, m := range n.Members {
			parts = append(parts, m.Key.Text+":"+print(m.Value))
		}
		return "{" + strings.Join(parts, " ") + "}"
	}
	return "alias"
}

func TestRead(t *testing.T) {
	for text, want := range map[string]string{
		"":                                  "nothing",
		"# c\n":                             "nothing",
		"a: b\n":                            "{a:b!!str}",
		"{a: [1, true, ~, 2026-01-01, x]}":  "{a:[1!!int true!!bool ~!!null 2026-01-01!!timestamp x!!str]}",
		"a: |\n  b\n  c\nd:\n- e\n- {f: g}": `{a:"b\nc\n"!!str d:[e!!str {f:g!!str}]}`,
		"a: !!str 12\n":                     `{a:"12"!!str}`,
		"just text":                         "just text!!str",
	} {
		root, faults := readYAML(text)
		if got := print(root); got != want || faults != "" {
			t.Errorf("%q: got %s, want %s; %s", text, got, want, faults)
		}
	}
}

func TestReadPlaces(t *testing.T) {
	root, _ := readYAML("a: é\n{b: [c, dd, e]: f\n")
	if root != nil {
		t.Errorf("read %s", print(root))
	}
	root, faults := readYAML("a:  x\nlist: [\u00e9, dd]\n")
	for _, c := range []struct {
		node         *document.Node
		line, column int
	}{{root, 2, 1}, {root.Members[0].Value, 2, 5}, {root.Members[1].Key, 3, 1}, {root.Members[1].Value.Items[1], 3, 11}} {
		if c.node.Line != c.line || c.node.Column != c.column {
			t.Errorf("%s is in line %d, column %d, want %d, %d; %s", print(c.node), c.node.Line, c.node.Column, c.line, c.column, faults)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"a: b\xff\n":                    "2:5  the text is not valid UTF-8 here",
		"a: b\tc\n":                     "2:5  the text holds a tab",
		"a: \x1b\n":                     "2:4  the text holds the character U+001B",
		"# \u2028a: b\n":                "2:3  the text holds the character U+2028",
		"a: b\n\ufeffc: d\n":            "3:1  a byte-order mark stands inside the text",
		"a: b\n...\nc: d\n":             `3:1  a line that begins with "..." ends the YAML document`,
		"a: b\n--- c\n":                 "3:1  a second YAML document begins here",
		"a: b\n---\nc: d\n":             "3:1  a second YAML document begins here",
		"a: &x b\n":                     `2:4 /a anchors are not allowed: "&x"`,
		"a: *x\n":                       `2:4  aliases are not allowed: "*x"`,
		"a: &x b\nc: [*x]\n":            `3:5 /c/0 aliases are not allowed: "*x"`,
		"a: !!int 1\n":                  `2:4 /a tags other than !!str are not allowed: "!!int"`,
		"a: ! b\n":                      `2:4 /a tags other than !!str are not allowed: "!"`,
		"<<: {a: b}\n":                  "2:1  merge keys are not allowed",
		"a: {b: c, 'b': d}\n":           `2:11 /a the key "b" is given twice, first on line 2`,
		"? [a]\n: b\n":                  "2:3  a key is not a plain word",
		"a/b: {'~': &x c}\n":            `2:12 /a~1b/~0 anchors are not allowed: "&x"`,
		strings.Repeat("- a\n", 60):     "2:1  the text has more than 50 YAML nodes",
		strings.Repeat("#", 1<<16+1):    "2:1  the text is larger than 65536 bytes",
		"a: [b\n":                       "the list that opens here is not closed",
		"a: 'b\n":                       "2:4  the quoted value that opens here is not closed",
		"a: b: c\n":                     "a colon and a space are not allowed here",
		"a: @b\n":                       "an unquoted value cannot begin with @",
		strings.Repeat("\x01\n", 1<<10): "21:1  the text holds the character U+0001",
	} {
		_, faults := readYAML(text)
		if !strings.Contains(faults, want) {
			t.Errorf("%.40q: got %s, want %s", text, faults, want)
		}
		if n := strings.Count(faults, "\n"); n > 25 {
			t.Errorf("%.40q: %d lines of faults", text, n)
		}
	}
}

// What is read stands in the text, each key once; what is not is told with a place.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{"a: b\n", "a: &a [*a]\n", "{a: b, a: c}", "? {a: b}\n: c\n", "...\n", "--- a\n--- b\n", "%YAML 1.1\n---\n", "a: |\n  b\n---\n",
		"\ufeffa: b", "'a': \"\\x1b\\/\"\n", "a: ! b\n", "- - - x", "a: 'it''s'\n", strings.Repeat("[", 300), "! :", "a: \u2028! b"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		text = form.Normal(text)
		root, faults := document.ReadYAML(text, document.YAMLOptions{Name: "it", MaxBytes: 1 << 16, MaxNodes: 1000})
		for _, f := range faults {
			if f.Line < 1 || f.Line > bytes.Count(text, []byte("\n"))+2 || f.Column < 1 || f.Problem == "" || strings.ContainsFunc(f.Problem+f.Hint, form.IsHidden) {
				t.Errorf("bad fault %+v", f)
			}
		}
		walk(t, root)
	})
}

func walk(t *testing.T, n *document.Node) {
	if n == nil {
		return
	}
	if n.Line < 1 || n.Column < 1 {
		t.Errorf("%s has no place", print(n))
	}
	for _, item := range n.Items {
		walk(t, item)
	}
	seen := map[string]bool{}
	for _, m := range n.Members {
		if seen[m.Key.Text] || m.Key.Kind != document.Scalar {
			t.Errorf("the key %q stands twice, or is no word", m.Key.Text)
		}
		seen[m.Key.Text] = true
		walk(t, m.Value)
	}
}
