package document

import (
	"fmt"
	"reflect"

	"github.com/seed-78daf238/handoff/lib/fault"
)

// Fill adds missing fields to the frontmatter: first those of expected, then the defaults for the body. Check reports
// a field of expected that contradicts the frontmatter.
func (d *Draft) Fill(expected Document, defaults func(body string) Document) {
	if d.head == nil {
		return
	}
	wanted := expected.Instance()
	for key, value := range wanted {
		own, has := d.head[key]
		switch pointer := fault.Pointer("", key); {
		case !has:
			d.head[key] = value
		case !reflect.DeepEqual(own, value) && !d.faulted[pointer]:
			d.report(d.places[pointer], pointer, fmt.Sprintf("%s is %.80q in the frontmatter, but %.80q in the command",
				key, own, value), "remove one of them")
		}
	}
	for key, value := range defaults(d.body).Instance() {
		if _, has := d.head[key]; !has {
			d.head[key] = value
		}
	}
}
