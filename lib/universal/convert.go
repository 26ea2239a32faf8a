package universal

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// convert turns a value into the shape that its field wants, where that is possible, after it has found it.
func convert(e *editor, f field, pointer string) {
	rename(e, f, pointer)
	v := e.root.At(pointer)
	if v == nil || v.Kind == jsontree.Null {
		return
	}
	switch f.shape {
	case text:
		if scalar(v) {
			e.set(pointer, jsontree.NewString(v.Text), "converted to a string")
		} else if all, ok := joined(v, "; "); ok {
			e.set(pointer, all, "converted to a string")
		}
	case texts:
		convertList(e, v, pointer)
	case flag:
		if yes, ok := truth(v); ok && v.Kind != jsontree.Bool {
			e.set(pointer, jsontree.NewBool(yes), "converted to a boolean")
		}
	case clock:
		if fixed, why := inUTC(v); fixed != "" && fixed != v.Text {
			e.set(pointer, jsontree.NewString(fixed), why)
		}
	case link:
		if v.Kind == jsontree.String && isHost(v.Text) {
			e.set(pointer, jsontree.NewString("https://"+v.Text), "an address without a scheme")
		}
	case object:
		convertObject(e, f, v, pointer)
	case list:
		if v.Kind != jsontree.Array {
			e.set(pointer, jsontree.NewArray(v), "converted to a list")
		}
	case word:
		convertWord(e, f, v, pointer)
	}
}

// scalar reports whether a value is one that people write where a string is due, such as a number.
func scalar(v *jsontree.Value) bool { return v.Kind == jsontree.Number || v.Kind == jsontree.Bool }

// truth reads the words that people write for true and false. Anything else is not guessed at.
func truth(v *jsontree.Value) (yes, ok bool) {
	switch strings.ToLower(v.Text) {
	case "true", "yes", "1":
		return true, true
	case "false", "no", "0":
		return false, true
	}
	return false, false
}

// convertList makes a list of what is a single item, and strings of items that are numbers or booleans:
// nothing that was said is lost.
func convertList(e *editor, v *jsontree.Value, pointer string) {
	if scalar(v) || v.Kind == jsontree.String {
		e.set(pointer, jsontree.NewArray(jsontree.NewString(v.Text)), "converted to a list")
		return
	}
	for i, item := range v.Items {
		if at := pointer + "/" + strconv.Itoa(i); scalar(item) {
			e.set(at, jsontree.NewString(item.Text), "converted to a string")
		} else if item.Kind == jsontree.Object {
			e.set(at, jsontree.NewString(item.String()), "converted to a string")
		}
	}
}

// joined returns the texts of a list as one, if it holds nothing else.
func joined(v *jsontree.Value, between string) (*jsontree.Value, bool) {
	var all []string
	for _, item := range v.Items {
		if item.Kind != jsontree.String && !scalar(item) {
			return nil, false
		}
		all = append(all, item.Text)
	}
	return jsontree.NewString(strings.Join(all, between)), len(all) > 0
}

// convertObject makes an object of a text, of which it becomes the main member, and of a list.
func convertObject(e *editor, f field, v *jsontree.Value, pointer string) {
	why := fmt.Sprintf("converted to an object with %s", f.main)
	switch {
	case v.Kind == jsontree.Object && f.main == "tag":
		for _, m := range v.Members {
			if scalar(m.Value) {
				e.set(fault.Pointer(pointer, m.Name), jsontree.NewString(m.Value.Text), "converted to a string")
			}
		}
	case v.Kind == jsontree.Object || v.Kind == jsontree.Null:
	case f.main == "files": // of references, which are files and addresses
		e.set(pointer, sorted(v), "converted to an object with files and urls")
	case v.Kind == jsontree.Array && f.main == "tag":
		if all, ok := joined(v, ", "); ok {
			e.set(pointer, jsontree.NewObject(jsontree.Member{Name: f.main, Value: all}), why)
		}
	case v.Kind == jsontree.Array && f.main != "working":
		e.set(pointer, jsontree.NewObject(jsontree.Member{Name: "items", Value: v}), "converted to an object with items")
	case f.main == "name": // of an artifact
		e.set(pointer, artifact(v), why)
	default:
		e.set(pointer, jsontree.NewObject(jsontree.Member{Name: f.main, Value: v}), why)
	}
}

// artifact returns the artifact that a path alone stands for.
func artifact(v *jsontree.Value) *jsontree.Value {
	return jsontree.NewObject(
		jsontree.Member{Name: "name", Value: jsontree.NewString(path.Base(v.Text))},
		jsontree.Member{Name: "path", Value: jsontree.NewString(v.Text)},
		jsontree.Member{Name: "type", Value: jsontree.NewString(TypeOf(v.Text))},
	)
}

// convertWord makes one of the allowed words out of another name for it. Where none is meant for sure the
// value stays, and validation names it.
func convertWord(e *editor, f field, v *jsontree.Value, pointer string) {
	switch {
	case f.path == versionPath: // another version needs an adapter, not another name
		if isVersion(v.Text) && (v.Kind != jsontree.String || v.Text != Version) {
			e.set(pointer, jsontree.NewString(Version), "another name of this version")
		}
		return
	case f.path == confidencePath && level(v) != "":
		e.swap(pointer, jsontree.NewString(level(v)), "the level of that number")
		return
	case v.Kind != jsontree.String && f.path == confidencePath:
		e.swap(pointer, jsontree.NewString("medium"), "default for a value that is none")
		return
	case v.Kind != jsontree.String:
		if strings.Contains(f.path, "/*") { // what the rest of the entry says is worth more
			e.cut(pointer, "none of the values allowed")
		}
		return
	}
	if meant := meaning(v.Text, f.words); meant != "" && meant != v.Text {
		e.swap(pointer, jsontree.NewString(meant), "what it means among the values allowed")
	} else if best := closest(v.Text, f.words); best != "" && best != v.Text {
		e.swap(pointer, jsontree.NewString(best), "the closest of the values allowed")
	}
}

// level is the confidence that a share or a percentage stands for, "" for what is neither.
func level(v *jsontree.Value) string {
	number, percent := strings.CutSuffix(strings.TrimSpace(v.Text), "%")
	n, err := strconv.ParseFloat(number, 64)
	if err != nil || v.Kind != jsontree.Number && v.Kind != jsontree.String || !(n >= 0 && n <= 100) {
		return ""
	}
	if percent || n > 1 {
		n /= 100
	}
	switch {
	case n >= 0.75:
		return "high"
	case n >= 0.4:
		return "medium"
	}
	return "low"
}

// closest returns the word that is meant: the same in another case, one that shares a beginning of
// four letters, or the one with the fewest edits. Where only one word is allowed, what is far from it
// is something else: then it returns "".
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
