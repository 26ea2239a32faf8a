package document

import (
	"bytes"

	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// Split splits a document into the lines between the delimiter lines and the body, without interpreting them. It
// drops a leading byte-order mark and the leading blank lines of the body. CRLF and lone CR become LF. Line n of head
// is line n+1 of the file.
//
// The fault is why there is no frontmatter: the text is not UTF-8, contains NUL, does not begin with a delimiter
// line, or has no second one. A delimiter line is exactly three dashes, optionally followed by spaces and tabs.
func Split(src []byte) (head, body []byte, fault *Fault) {
	text := form.Normal(src)
	if fault := checkText(text); fault != nil {
		return nil, nil, fault
	}
	first, rest := cutLine(text)
	if !isDelimiter(first) {
		return nil, nil, notOpened(first)
	}
	for at := 0; at < len(rest); {
		line, after := cutLine(rest[at:])
		if isDelimiter(line) {
			return rest[:at], trimBlankLines(after), nil
		}
		at = len(rest) - len(after)
	}
	return nil, nil, &Fault{Line: 1, Column: 1, Problem: "the frontmatter is not closed",
		Hint: "end it with a line that is --- and nothing else"}
}

func checkText(text []byte) *Fault {
	fault := &Fault{Hint: "save the document as UTF-8"}
	switch bad, nul := form.Invalid(text), bytes.IndexByte(text, 0); {
	case len(text) == 0:
		return &Fault{Problem: "the document is empty", Hint: "begin it with a line --- and a head"}
	case bad >= 0:
		fault.Line, fault.Column = form.Place(text, bad)
		fault.Problem = "the document is not valid UTF-8 here"
	case nul >= 0:
		fault.Line, fault.Column = form.Place(text, nul)
		fault.Problem = "the document holds a NUL byte"
	default:
		return nil
	}
	return fault
}

func notOpened(first []byte) *Fault {
	fault := &Fault{Line: 1, Column: 1, Problem: "the document has no frontmatter: the first line is not ---"}
	if isDelimiter(bytes.TrimLeft(first, " \t")) && len(first) > 0 {
		fault.Hint = "remove the text before the dashes"
	}
	return fault
}

func isDelimiter(line []byte) bool {
	rest, ok := bytes.CutPrefix(line, []byte("---"))
	return ok && isBlank(rest)
}

func isBlank(line []byte) bool {
	return len(bytes.TrimLeft(line, " \t")) == 0
}

func trimBlankLines(body []byte) []byte {
	for len(body) > 0 {
		line, after := cutLine(body)
		if !isBlank(line) {
			break
		}
		body = after
	}
	return body
}

// cutLine returns the first line without its LF, and the text after it.
func cutLine(text []byte) (line, rest []byte) {
	line, rest, _ = bytes.Cut(text, []byte("\n"))
	return line, rest
}
