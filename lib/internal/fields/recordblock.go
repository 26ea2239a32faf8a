package fields

import (
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

const mark = "handoff-record="

// info matches the opening line of a block, with groups for its fence, kind and version.
var info = form.Pattern("(?m)^(```+)json handoff-record=([a-z]{1,32})/([0-9]{1,4}(?:\\.[0-9]{1,4})?)\n")

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

// Extract returns the record of a body, and whether the body is exactly what Build makes of it and its view.
func Extract(body string) (Block, bool) {
	if !Announces(body) {
		return Block{}, false
	}
	at := info().FindStringSubmatchIndex(body)
	if at == nil {
		return Block{}, false
	}
	record, _ := strings.CutSuffix(body[at[1]:], "\n"+body[at[2]:at[3]]+"\n")
	b := Block{body[at[4]:at[5]], body[at[6]:at[7]], []byte(record), normalize(body[:at[0]])}
	return b, Build(b.View, b.Kind, b.Version, b.JSON) == body
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
