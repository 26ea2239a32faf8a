package universal

import (
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// sortReferences moves addresses from the files to the addresses, and paths the other way.
func sortReferences(e *editor) {
	moveReferences(e, "urls", "url", "files", "path", isPath)
	moveReferences(e, "files", "path", "urls", "url", func(text string) bool { return strings.Contains(text, "://") })
}

// moveReferences moves entries with a wrong text to another list, where the text has another name.
func moveReferences(e *editor, from, name, to, called string, wrong func(string) bool) {
	const at, why = "/handoff/payload/references", "moved to the list of its kind"
	all := e.root.At(at + "/" + from)
	if !all.Is(jsontree.Array) {
		return
	}
	isWrong := func(item *jsontree.Value) bool {
		return item.Get(name).Is(jsontree.String) && wrong(item.Get(name).Text)
	}
	if !slices.ContainsFunc(all.Items, isWrong) {
		return
	}
	e.set(at+"/"+from, jsontree.NewArray(slices.DeleteFunc(slices.Clone(all.Items), isWrong)...), why)
	for _, item := range all.Items {
		if isWrong(item) {
			others := item.Clone()
			others.Delete(name)
			e.add(at, to, jsontree.NewObject(append([]jsontree.Member{member(called, item.Get(name))},
				others.Members...)...), why)
		}
	}
}

// isPath reports whether a text is the path of a file. Otherwise it is an address without scheme.
func isPath(text string) bool {
	return strings.ContainsAny(text, "./") && !strings.ContainsAny(text, ": \t\n") && !isHost(text)
}

// isHost reports whether a text begins with a host name.
func isHost(text string) bool {
	host, _, deeper := strings.Cut(text, "/")
	return strings.Contains(strings.Trim(host, "."), ".") && !strings.ContainsAny(text, ": \t\n") &&
		(deeper || TypeOf(text) == "code")
}

// sorted converts references that are one list, or one entry.
func sorted(v *jsontree.Value) *jsontree.Value {
	files, urls := jsontree.NewArray(), jsontree.NewArray()
	all := v.Items
	if v.Kind != jsontree.Array {
		all = []*jsontree.Value{v}
	}
	for _, item := range all {
		if item.Get("url") != nil || strings.Contains(item.Text, "://") {
			urls.Items = append(urls.Items, item)
		} else {
			files.Items = append(files.Items, item)
		}
	}
	return jsontree.NewObject(member("files", files), member("urls", urls))
}
