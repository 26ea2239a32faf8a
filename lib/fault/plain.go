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

// Quote quotes untrusted text for a message. Invisible characters are escaped, and long text is cut.
func Quote(text string) string {
	const most = 80
	if runes := []rune(text[:min(len(text), 4*most+4)]); len(runes) > most {
		return strconv.Quote(string(runes[:most])) + "…"
	}
	return strconv.Quote(text)
}

// Plain returns the message of an error for an agent: its class and place, without names, paths or text of others. An
// agent could take such text for an instruction.
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

// Own is a trusted string among the arguments of [New], such as the name of a file of the store, an agent or a flag.
type Own string

// elided formats as "…" with any verb.
type elided struct{}

func (elided) Format(to fmt.State, _ rune) { _, _ = io.WriteString(to, "…") }

// plainly is like fmt.Sprintf, but omits untrusted strings and formats errors with [Plain].
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
	text := strings.TrimPrefix(fmt.Sprintf(format, own...), "…: ") // omit the name at the start
	if text == "…" {
		return ""
	}
	return text
}

// Plain returns the problem without untrusted text.
func (e *Error) Plain() string {
	switch {
	case e.Words != "":
		return e.Words
	case e.Cause != nil:
		return Plain(e.Cause)
	}
	return classWords(e.Class)
}

// Plain returns the faults without untrusted text.
func (e *DocumentError) Plain() string { return PlainFaults(e.Faults) }

// Plain returns the error without the ids.
func (e *IDMismatchError) Plain() string { return "handoff_id is not the id of the content" }

// Plain returns the error without the path, unless it is that of a log of the store.
func (e *CorruptError) Plain() string {
	place := ""
	if name := filepath.Base(e.File); strings.HasSuffix(name, ".jsonl") {
		place = name + ": " // a log of the store
	}
	if e.Line > 0 {
		place += fmt.Sprintf("line %d: ", e.Line)
	}
	return place + "what is stored is not what was written"
}

// PlainFaults returns a line for each of the first faults: its place, and its problem without quoted text.
func PlainFaults(faults []Fault) string { return strings.Join(Lines(faults, Fault.plain), "\n") }

var quotation = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^required field )?"(?:[^"\\]|\\.)*"…?`)
})

// unquoted replaces quoted text by "…", except for the names of required fields: the schema defines these.
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
	if strings.Contains(f.Hint, "--") { // flags are for people, and some bypass a check
		f.Hint = ""
	}
	if !isOwnPointer(f.Pointer) {
		f.Pointer = ""
	}
	return f.String()
}

// ownNames are the names in pointers that the format defines. Other names may be chosen by the sender.
var ownNames = []string{"handoff_id", "schema_version", "from", "to", "topic", "ts_utc", "references", "tags", "body"}

func isOwnPointer(pointer string) bool {
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if !slices.Contains(ownNames, token) && strings.Trim(token, "0123456789") != "" {
			return false
		}
	}
	return true
}
