package fields

import (
	"fmt"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// A Block is the record in a body.
type Block struct {
	Kind    string // such as packet
	Version string // such as 1
	JSON    []byte // the record as it is between the fences
	View    string // the text before it, with one final newline; "" for none
}

// A BlockError explains why a body with a record mark has no valid record.
type BlockError struct {
	Line    int    // 1-based line of the body
	Problem string // lower case, no final stop
}

// Plain returns only the line, for agents.
func (e *BlockError) Plain() string {
	return fmt.Sprintf("line %d of the body: the record cannot be read", e.Line)
}

// Error returns the problem with its line.
func (e *BlockError) Error() string { return fmt.Sprintf("line %d of the body: %s", e.Line, e.Problem) }

const mark = "handoff-record="

var info = form.Pattern(`^json handoff-record=([a-z]{1,32})/([0-9]{1,4}(?:\.[0-9]{1,4})?)$`)

// Announces reports whether a body contains the mark of a record. Without it, Extract finds no record.
func Announces(body string) bool { return strings.Contains(body, mark) }

// Build returns the body with a view and a record. The view must be made of Text, so that it opens no fence. The record
// must be JSON with plain line ends.
func Build(view, kind, version string, record []byte) string {
	fence := strings.Repeat("`", max(3, longestRun(string(record))+1))
	if view = normalize(view); view != "" {
		view += "\n"
	}
	return view + fence + "json " + mark + kind + "/" + version + "\n" + string(record) + "\n" + fence + "\n"
}

// Extract returns the record of a body, and whether there is one. The error is a *BlockError if there is a record
// mark, but no valid record: two records, an unclosed fence, an unknown info string, or text after it.
func Extract(body string) (Block, bool, error) {
	if !strings.Contains(body, mark) {
		return Block{}, false, nil
	}
	var block *fence
	for _, f := range scan(body) {
		if !strings.Contains(f.info, mark) {
			continue
		}
		if block != nil {
			problem := fmt.Sprintf("a second record; the first begins in line %d", block.line)
			return Block{}, false, &BlockError{f.line, problem}
		}
		block = &f
	}
	if block == nil {
		return Block{}, false, nil
	}
	label := info().FindStringSubmatch(block.info)
	if problem := block.problem(body, label != nil); problem != "" {
		return Block{}, false, &BlockError{block.line, problem}
	}
	record := body[block.content:block.contentEnd]
	return Block{label[1], label[2], []byte(record), normalize(body[:block.start])}, true, nil
}

func (f *fence) problem(body string, known bool) string {
	switch {
	case !known || f.char != '`' || f.indent > 0:
		return "the line announces a record, but not in the form ```json handoff-record=<kind>/<version>"
	case f.end < 0:
		return "the record's fence is not closed"
	case strings.TrimSpace(body[f.end:]) != "":
		return "there is text after the record, which must come last"
	}
	return ""
}

// normalize removes leading empty lines, which a stored body cannot have, and ends text with one newline.
func normalize(view string) string {
	for {
		line, rest, more := strings.Cut(view, "\n")
		if strings.Trim(line, " \t") != "" {
			break
		}
		if view = rest; !more {
			return ""
		}
	}
	return strings.TrimRight(view, "\n") + "\n"
}

func longestRun(s string) int {
	longest, run := 0, 0
	for i := range len(s) {
		if s[i] != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}
