package fields

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// A Block is the record that a body carries.
type Block struct {
	Kind    string // such as packet
	Version string // such as 1
	JSON    []byte // the record as it stands between the fences
	View    string // what stands before it, with one final newline; "" for none
}

// A BlockError says why a body that announces a record does not carry one.
type BlockError struct {
	Line    int    // 1-based line of the body
	Problem string // lower case, no final stop
}

// Plain returns the line alone.
func (e *BlockError) Plain() string {
	return fmt.Sprintf("line %d of the body: the record cannot be read", e.Line)
}

// Error returns the problem with its line.
func (e *BlockError) Error() string { return fmt.Sprintf("line %d of the body: %s", e.Line, e.Problem) }

const mark = "handoff-record="

var info = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^json handoff-record=([a-z]{1,32})/([0-9]{1,4}(?:\.[0-9]{1,4})?)$`)
})

// Announces reports whether a body may carry a record. Extract finds none in a body that does not.
func Announces(body string) bool { return strings.Contains(body, mark) }

// Build returns the body for a view and a record. It fails when the record is not JSON, kind or version
// cannot be written in an info string, or the view has an open fence or a record of its own.
func Build(view, kind, version string, record []byte) (string, error) {
	label := "json " + mark + kind + "/" + version
	switch {
	case !info().MatchString(label):
		return "", fmt.Errorf("kind %q or version %q cannot name a record", kind, version)
	case !json.Valid(record) || strings.ContainsRune(string(record), '\r'):
		return "", errors.New("the record is not JSON with plain line ends")
	}
	view = normal(view)
	fences := scan(view)
	if n := len(fences); n > 0 && fences[n-1].end < 0 {
		return "", &BlockError{fences[n-1].line, "the view opens a fence and does not close it"}
	}
	for _, f := range fences {
		if strings.Contains(f.info, mark) {
			return "", &BlockError{f.line, "the view carries a record of its own"}
		}
	}
	fence := strings.Repeat("`", max(3, longestRun(string(record))+1))
	if view != "" {
		view += "\n"
	}
	return view + fence + label + "\n" + string(record) + "\n" + fence + "\n", nil
}

// Extract returns the record that a body carries, and false when it carries none. A *BlockError says
// that the body announces a record but is broken: two of them, an open fence, an unknown info string,
// text behind it.
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
			return Block{}, false, &BlockError{f.line, fmt.Sprintf("a second record; the first begins in line %d", block.line)}
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
	return Block{label[1], label[2], []byte(record), normal(body[:block.start])}, true, nil
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

// normal drops empty lines at the beginning, which a stored body cannot have, and ends text with one newline.
func normal(view string) string {
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
