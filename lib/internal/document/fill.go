package document

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/seed-78daf238/handoff/lib/fault"
)

// fill adds missing fields to the frontmatter: first the given ones, then the defaults for the body. Check reports a
// given field that contradicts the frontmatter.
func (d *Draft) fill(f Filling) {
	if d.head == nil {
		return
	}
	for key, value := range f.Given.Instance() {
		own, has := d.head[key]
		switch pointer := fault.Pointer("", key); {
		case !has:
			d.head[key] = value
		case key == "references" && d.Lacks("handoff_id") && !d.faulted[pointer]:
			d.head[key] = union(own, value)
		case !reflect.DeepEqual(own, value) && !d.faulted[pointer]:
			d.report(d.places[pointer], pointer, fmt.Sprintf("%s is %.80q in the frontmatter, but %.80q in the command",
				key, own, value), "remove one of them")
		}
	}
	for key, value := range f.Defaults(d.body).Instance() {
		if _, has := d.head[key]; !has {
			d.head[key] = value
		}
	}
}

// union returns the items of two lists, each once.
func union(own, more any) any {
	all, isList := own.([]any)
	if !isList {
		return own
	}
	for _, item := range more.([]any) {
		if !slices.Contains(all, item) {
			all = append(all, item)
		}
	}
	return all
}
