package document

import (
	"bytes"
	_ "embed" // for the messages
	"strconv"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/form"
)

//go:embed yamlerrors.json
var syntaxErrorsFile []byte

// syntaxErrors has better messages for errors of the YAML library with a text. The fault is at the first of the
// characters in mark. The library counts lines from 0 in errors of its parser, and from 1 in errors of its scanner.
var syntaxErrors = form.Data[[]struct {
	Text, Problem, Hint, Mark string
	Parser                    bool
}](syntaxErrorsFile)

// explain adds a place and a better message to an error of the YAML library.
func (r *yamlReader) explain(err error, text []byte) *fault.Fault {
	message := strings.TrimPrefix(err.Error(), "yaml: ")
	if _, name, ok := strings.Cut(message, "unknown anchor '"); ok {
		name = "*" + strings.TrimSuffix(name, "' referenced")
		line, column := form.Place(text, max(0, bytes.Index(text, []byte(name))))
		return &fault.Fault{Line: line + r.Line - 1, Column: column,
			Problem: "aliases are not allowed: " + fault.Quote(name),
			Hint:    "write the value out, or put it in single quotes"}
	}
	line := 0 // no number means line 1
	if number, rest, ok := strings.Cut(message, ": "); ok && strings.HasPrefix(number, "line ") {
		if n, err := strconv.Atoi(number[len("line "):]); err == nil {
			line, message = n, rest
		}
	}
	problem, hint, mark := r.Name+" is not YAML: "+message, "put values in single quotes", ""
	for _, e := range syntaxErrors() {
		if strings.Contains(message, e.Text) {
			problem, hint, mark = e.Problem, e.Hint, e.Mark
			if e.Parser || line == 0 {
				line++
			}
			break
		}
	}
	last := 1 + bytes.Count(bytes.TrimRight(text, "\n"), []byte("\n"))
	line = min(max(line, 1), last)
	return &fault.Fault{Line: line + r.Line - 1, Column: columnOf(lineOf(text, line), mark), Problem: problem,
		Hint: hint}
}

// lineOf returns line n, from 1.
func lineOf(text []byte, n int) []byte {
	var line []byte
	for ; n > 0; n-- {
		line, text, _ = bytes.Cut(text, []byte("\n"))
	}
	return line
}

// columnOf returns the column of the first character of the line that is in mark, otherwise of its first character.
func columnOf(line []byte, mark string) int {
	at := bytes.IndexAny(line, mark)
	if mark == "" || at < 0 {
		at = len(line) - len(bytes.TrimLeft(line, " "))
	}
	_, column := form.Place(line, at)
	return column
}
