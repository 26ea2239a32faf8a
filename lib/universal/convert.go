package universal

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/fields"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// convert finds the fields of a record and converts their values to the required types, if possible.
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
	}
	if v = e.root.At(pointer); v == nil {
		return
	}
	if short := cutTo(v.Str(), max(int(f.Most), 4)); f.Most > 0 && short != v.Str() {
		e.swap(pointer, short, fmt.Sprintf("cut to %d characters", f.Most))
	}
	// Other values in a list or object of texts become texts, so that nothing is lost.
	isText := func(part *jsontree.Value) bool {
		return scalar(part) || f.Type == "texts" && part.Kind == jsontree.Object
	}
	for i, item := range v.Items {
		if f.Type == "texts" && isText(item) {
			e.set(pointer+"/"+strconv.Itoa(i), asText(item), "converted to a string")
		}
	}
	for _, m := range v.Members {
		if f.Main == "tag" && isText(m.Value) {
			e.set(fault.Pointer(pointer, m.Name), asText(m.Value), "converted to a string")
		}
	}
}

// asText returns a value as text.
func asText(v *jsontree.Value) string {
	if v.Kind == jsontree.Object {
		return v.String()
	}
	return v.Text
}

// converted returns a value converted to the type of a field, and the change; nil if that is impossible.
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
	case f.Type == "object" && v.Kind != jsontree.Object:
		return asObject(f.Main, v)
	}
	return nil, ""
}

// scalar reports whether a value is a number or boolean, which people write for strings.
func scalar(v *jsontree.Value) bool { return v.Kind == jsontree.Number || v.Kind == jsontree.Bool }

// truth converts words that people write for true and false. It does not guess others.
func truth(v *jsontree.Value) *jsontree.Value {
	switch strings.ToLower(v.Text) {
	case "true", "yes", "1":
		return jsontree.New(true)
	case "false", "no", "0":
		return jsontree.New(false)
	}
	return nil
}

// joined joins the texts of a list. It returns nil if the list is empty or holds another value.
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

// asObject converts a text or a list to an object. A text becomes the main member.
func asObject(main string, v *jsontree.Value) (to *jsontree.Value, why string) {
	why = "converted to an object with " + main
	isList := v.Kind == jsontree.Array
	switch {
	case main == "files": // references: files and addresses
		return sorted(v), "converted to an object with files and urls"
	case main == "tag" && isList:
		if v = joined(v, ", "); v == nil {
			return nil, ""
		}
	case isList && main != "working":
		return jsontree.NewObject(member("items", v)), "converted to an object with items"
	case main == "name": // an artifact
		return artifact(v.Text), why
	}
	return jsontree.NewObject(member(main, v)), why
}

// artifact returns an artifact for a path.
func artifact(file string) *jsontree.Value {
	return jsontree.NewObject(member("name", path.Base(file)),
		member("path", file),
		member("type", TypeOf(file)))
}

// convertWord replaces a value by the allowed word that it means. If that is not certain, the value stays, and
// validation reports it.
func convertWord(e *editor, f fields.Field, v *jsontree.Value, pointer string) {
	isText, isConfidence := v.Kind == jsontree.String, f.Path == confidencePath
	text := strings.ToLower(strings.TrimSpace(v.Text))
	meant := f.Word(strings.ReplaceAll(text, "_", "-"))
	near := form.Nearest(text, f.Words)
	switch {
	// Another version needs an adapter, not another name.
	case f.Path == versionPath:
		if isVersion(v.Text) && (!isText || v.Text != Version) {
			e.set(pointer, Version, "another name of this version")
		}
	case isConfidence && level(v) != "":
		e.swap(pointer, level(v), "the level of that number")
	case isConfidence && !isText:
		e.swap(pointer, "medium", "default for an invalid value")
	case !isText && strings.Contains(f.Path, "/*"): // the rest of the entry is worth more
		e.cut(pointer, "not an allowed value")
	case !isText || meant == v.Text:
	case meant != "":
		e.swap(pointer, meant, "the allowed value with this meaning")
	case near != "" &&
		(form.Edits(text, near) <= 2 || text[:min(6, len(text))] == near[:min(6, len(near))]): // or another ending
		e.swap(pointer, near, "the closest allowed value")
	}
}

// level returns the confidence level for a share or percentage, "" for another value.
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
