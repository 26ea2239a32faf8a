package universal

import (
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

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
