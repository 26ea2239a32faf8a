package fault

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Quote returns text of others as a message to a person may hold it: in quotes, with what cannot be
// seen as escapes, cut to a length that can be read.
func Quote(text string) string {
	const most = 80
	if runes := []rune(text[:min(len(text), 4*most+4)]); len(runes) > most {
		return strconv.Quote(string(runes[:most])) + "…"
	}
	return strconv.Quote(text)
}

// Plain returns what an error says in our own words: its class, its place, and no name, path or text
// of others. It is what an agent is told, which might take such text for an instruction.
func Plain(err error) string {
	var own interface{ Plain() string }
	if errors.As(err, &own) {
		return own.Plain()
	}
	var system syscall.Errno
	if errors.As(err, &system) {
		return system.Error()
	}
	return classWords(err)
}

func classWords(err error) string {
	if class := Class(err); class != nil {
		return class.Error()
	}
	return "it failed"
}

// Own is a text among the arguments of [New] that is ours: the name of a file of the store, of an
// agent, of a flag.
type Own string

// elided stands for what others wrote, whatever the verb.
type elided struct{}

func (elided) Format(to fmt.State, _ rune) { _, _ = io.WriteString(to, "…") }

// plainly is fmt.Sprintf without the words of others: texts are left out, errors are told by [Plain].
func plainly(format string, args []any) string {
	own := make([]any, len(args))
	for i, arg := range args {
		switch a := arg.(type) {
		case Own, int, int64, uint64, bool, time.Duration:
			own[i] = arg
		case error:
			own[i] = Plain(a)
		default:
			own[i] = elided{}
		}
	}
	text := strings.TrimPrefix(fmt.Sprintf(format, own...), "…: ") // what a name was before
	if text == "…" {
		return ""
	}
	return text
}

// Plain returns the problem without what it quotes.
func (e *Error) Plain() string {
	switch {
	case e.plain != "":
		return e.plain
	case e.Cause != nil:
		return Plain(e.Cause)
	}
	return classWords(e.Class)
}

// Plain returns the faults without what they quote.
func (e *DocumentError) Plain() string { return PlainFaults(e.Faults) }

// Plain says no more than Error does about what is wrong.
func (e *IDMismatchError) Plain() string { return "handoff_id is not the id of the content" }

// Plain returns the place, as far as others did not name it.
func (e *CorruptError) Plain() string {
	place := ""
	if name := filepath.Base(e.File); strings.HasSuffix(name, ".jsonl") {
		place = name + ": " // a log of ours
	}
	if e.Line > 0 {
		place += fmt.Sprintf("line %d: ", e.Line)
	}
	return place + "what is stored is not what was written"
}

const maxPlain = 20 // faults

// PlainFaults returns a line for each fault, up to a number: its place, and our words.
func PlainFaults(faults []Fault) string {
	var lines []string
	for _, f := range faults[:min(len(faults), maxPlain)] {
		lines = append(lines, f.plain())
	}
	if more := len(faults) - len(lines); more > 0 {
		lines = append(lines, "and "+Count(more, "more fault"))
	}
	return strings.Join(lines, "\n")
}

var quotation = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^required field )?"(?:[^"\\]|\\.)*"…?`)
})

// unquoted leaves out what a text quotes, but for the name of a field that is required: those are ours.
func unquoted(text string) string {
	return quotation().ReplaceAllStringFunc(text, func(quoted string) string {
		if strings.HasPrefix(quoted, "required") {
			return quoted
		}
		return "…"
	})
}

func (f Fault) plain() string {
	f.Problem, f.Hint = unquoted(f.Problem), unquoted(f.Hint)
	if strings.Contains(f.Hint, "--") { // flags are for people, and some of them a way around
		f.Hint = ""
	}
	if !isOwnPointer(f.Pointer) {
		f.Pointer = ""
	}
	return f.String()
}

// ownNames are those that a pointer into a handoff may have: others are keys that somebody made up.
var ownNames = []string{"handoff_id", "schema_version", "from", "to", "topic", "ts_utc", "references", "tags", "body"}

func isOwnPointer(pointer string) bool {
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if !slices.Contains(ownNames, token) && strings.Trim(token, "0123456789") != "" {
			return false
		}
	}
	return true
}
