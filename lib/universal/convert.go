package universal

import (
	"path"
	"strconv"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/fields"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// convert turns a value into the shape that its field wants, where that is possible, after it has found it.
func convert(e *editor, f fields.Field, pointer string) {
	rename(e, f, pointer)
	v := e.root.At(pointer)
	if v == nil || v.Kind == jsontree.Null {
		return
	}
	if f.Type == "word" {
		convertWord(e, f, v, pointer)
	}
	if to, why := converted(f, v); to != nil {
		e.set(pointer, to, why)
		return
	}
	// What a list or an object of texts holds besides is written as a text, so that nothing that was said is lost.
	isText := func(part *jsontree.Value) bool {
		return scalar(part) || f.Type == "texts" && part.Kind == jsontree.Object
	}
	for i, item := range v.Items {
		if f.Type == "texts" && isText(item) {
			e.set(pointer+"/"+strconv.Itoa(i), jsontree.NewString(plain(item)), "converted to a string")
		}
	}
	for _, m := range v.Members {
		if f.Main == "tag" && isText(m.Value) {
			e.set(fault.Pointer(pointer, m.Name), jsontree.NewString(plain(m.Value)), "converted to a string")
		}
	}
}

// plain returns a value as a text.
func plain(v *jsontree.Value) string {
	if v.Kind == jsontree.Object {
		return v.String()
	}
	return v.Text
}

// converted returns the value that a field wants for another one, and what was done to it; nil if there is none.
func converted(f fields.Field, v *jsontree.Value) (to *jsontree.Value, why string) {
	isText := v.Kind == jsontree.String
	switch {
	case f.Type == "text" && scalar(v):
		return jsontree.NewString(v.Text), "converted to a string"
	case f.Type == "text":
		return joined(v, "; "), "converted to a string"
	case f.Type == "texts" && (isText || scalar(v)):
		return jsontree.NewArray(jsontree.NewString(v.Text)), "converted to a list"
	case f.Type == "list" && v.Kind != jsontree.Array:
		return jsontree.NewArray(v), "converted to a list"
	case f.Type == "flag" && v.Kind != jsontree.Bool:
		return truth(v), "converted to a boolean"
	case f.Type == "time":
		if text, why := inUTC(v); text != "" && text != v.Text {
			return jsontree.NewString(text), why
		}
	case f.Type == "link" && isText && isHost(v.Text):
		return jsontree.NewString("https://" + v.Text), "an address without a scheme"
	case f.Type == "object" && v.Kind != jsontree.Object:
		return asObject(f.Main, v)
	}
	return nil, ""
}

// scalar reports whether a value is one that people write where a string is due, such as a number.
func scalar(v *jsontree.Value) bool { return v.Kind == jsontree.Number || v.Kind == jsontree.Bool }

// truth reads the words that people write for true and false. Anything else is not guessed at.
func truth(v *jsontree.Value) *jsontree.Value {
	switch strings.ToLower(v.Text) {
	case "true", "yes", "1":
		return jsontree.NewBool(true)
	case "false", "no", "0":
		return jsontree.NewBool(false)
	}
	return nil
}

// joined returns the texts of a list as one, nil if it holds anything else, or nothing.
func joined(v *jsontree.Value, between string) *jsontree.Value {
	var all []string
	for _, item := range v.Items {
		if item.Kind != jsontree.String && !scalar(item) {
			return nil
		}
		all = append(all, item.Text)
	}
	if len(all) == 0 {
		return nil
	}
	return jsontree.NewString(strings.Join(all, between))
}

// asObject makes an object of a text, of which it becomes the main member, and of a list.
func asObject(main string, v *jsontree.Value) (to *jsontree.Value, why string) {
	why = "converted to an object with " + main
	isList := v.Kind == jsontree.Array
	switch {
	case main == "files": // of references, which are files and addresses
		return sorted(v), "converted to an object with files and urls"
	case main == "tag" && isList:
		if v = joined(v, ", "); v == nil {
			return nil, ""
		}
	case isList && main != "working":
		return jsontree.NewObject(member("items", v)), "converted to an object with items"
	case main == "name": // of an artifact
		return artifact(v.Text), why
	}
	return jsontree.NewObject(member(main, v)), why
}

// artifact returns the artifact that a path alone stands for.
func artifact(file string) *jsontree.Value {
	return jsontree.NewObject(member("name", jsontree.NewString(path.Base(file))), member("path", jsontree.NewString(file)),
		member("type", jsontree.NewString(TypeOf(file))))
}

// convertWord makes one of the allowed words out of another name for it. Where none is meant for sure the
// value stays, and validation names it.
func convertWord(e *editor, f fields.Field, v *jsontree.Value, pointer string) {
	isText, isConfidence := v.Kind == jsontree.String, f.Path == confidencePath
	text := strings.ToLower(strings.TrimSpace(v.Text))
	meant := f.Meant(strings.ReplaceAll(text, "_", "-"))
	near := form.Nearest(text, f.Words)
	switch {
	case f.Path == versionPath: // another version needs an adapter, not another name
		if isVersion(v.Text) && (!isText || v.Text != Version) {
			e.set(pointer, jsontree.NewString(Version), "another name of this version")
		}
	case isConfidence && level(v) != "":
		e.swap(pointer, jsontree.NewString(level(v)), "the level of that number")
	case isConfidence && !isText:
		e.swap(pointer, jsontree.NewString("medium"), "default for a value that is none")
	case !isText && strings.Contains(f.Path, "/*"): // what the rest of the entry says is worth more
		e.cut(pointer, "none of the values allowed")
	case !isText || meant == v.Text:
	case meant != "":
		e.swap(pointer, jsontree.NewString(meant), "what it means among the values allowed")
	case near != "" && (form.Edits(text, near) <= 2 || text[:min(6, len(text))] == near[:min(6, len(near))]): // or another ending
		e.swap(pointer, jsontree.NewString(near), "the closest of the values allowed")
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
