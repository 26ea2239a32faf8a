package universal

import (
	"strconv"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// convert turns a value into the shape that its field wants, where that is possible.
func convert(e *editor, f field, pointer string) {
	v := e.root.At(pointer)
	if v == nil {
		return
	}
	switch f.shape {
	case text:
		if scalar(v) {
			e.set(pointer, jsontree.NewString(v.Text), "converted to a string")
		}
	case texts:
		convertList(e, v, pointer)
	case flag:
		if v.Kind == jsontree.String && (v.Text == "true" || v.Text == "false") {
			e.set(pointer, jsontree.NewBool(v.Text == "true"), "converted to a boolean")
		}
	case clock:
		if fixed := inUTC(v); fixed != "" && fixed != v.Text {
			e.set(pointer, jsontree.NewString(fixed), "converted to UTC with Z")
		}
	case word:
		convertWord(e, f, v, pointer)
	}
}

// scalar reports whether a value is a number or boolean that may have been meant as text.
func scalar(v *jsontree.Value) bool { return v.Kind == jsontree.Number || v.Kind == jsontree.Bool }

// convertList makes a list of what stands alone, and texts of its items.
func convertList(e *editor, v *jsontree.Value, pointer string) {
	if scalar(v) || v.Kind == jsontree.String {
		e.set(pointer, jsontree.NewArray(jsontree.NewString(v.Text)), "converted to a list")
		return
	}
	for i, item := range v.Items {
		if scalar(item) {
			e.set(pointer+"/"+strconv.Itoa(i), jsontree.NewString(item.Text), "converted to a string")
		}
	}
}

// convertWord replaces a value by the allowed one that was probably meant. What it replaces is kept.
func convertWord(e *editor, f field, v *jsontree.Value, pointer string) {
	if v.Kind == jsontree.Number && f.path == "/handoff/version" && v.String() == "3" {
		e.set(pointer, jsontree.NewString(Version), "converted to a string")
		return
	}
	if v.Kind != jsontree.String && f.path == confidencePath {
		e.swap(pointer, jsontree.NewString("medium"), "default for a value that is none")
		return
	}
	if v.Kind != jsontree.String || f.path == "/handoff/version" { // another version needs an adapter, not another name
		return
	}
	if best := closest(v.Text, f.words); best != "" && best != v.Text {
		e.swap(pointer, jsontree.NewString(best), "the closest of the values allowed")
	}
}

// naive are the forms of a time without a zone that are read as UTC.
var naive = []string{"2006-01-02T15:04:05", "2006-01-02T15:04"}

// inUTC returns the time in UTC with Z, "" for what cannot be read.
func inUTC(v *jsontree.Value) string {
	if _, ok := instant(v); ok || v.Kind != jsontree.String {
		return v.Text
	}
	source := strings.ToUpper(strings.TrimSpace(v.Text))
	// A space for the T is what most languages print.
	if len(source) > 10 && source[10] == ' ' {
		source = source[:10] + "T" + strings.TrimSpace(source[11:])
	}
	for _, layout := range append([]string{time.RFC3339Nano, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05Z0700"}, naive...) {
		if t, err := time.Parse(layout, source); err == nil {
			return t.UTC().Format(time.RFC3339Nano)
		}
	}
	return ""
}

// closest returns the word that is meant: the same in another case, one that shares a beginning of four letters, or the one
// with the fewest edits. Where only one word is allowed, what is far from it is something else: then it returns "".
func closest(text string, words []string) string {
	text = strings.ToLower(strings.TrimSpace(cutTo(text, 40)))
	best, fewest := "", len(text)+40
	for _, w := range words {
		n := form.Edits(text, w)
		if len(text) >= 4 && len(w) >= 4 && text[:4] == w[:4] {
			n = 1
		}
		if n < fewest {
			best, fewest = w, n
		}
	}
	if len(words) == 1 && fewest > 2 {
		return ""
	}
	return best
}
