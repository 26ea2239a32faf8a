package document

import (
	"slices"

	"github.com/seed-78daf238/handoff/lib/fault"
)

// Fill gives the head what it lacks: what was said beside it, and then what is usual for such a body.
// What is said must not contradict the head: Check reports that where the head says otherwise.
func (d *Draft) Fill(said Document, usual func(body string) Document) {
	if d.head == nil {
		return
	}
	beside := said.Instance()
	for key, value := range beside {
		own, has := d.head[key]
		switch pointer := fault.Pointer("", key); {
		case !has:
			d.head[key] = value
		case !same(own, value) && !d.faulted[pointer]:
			d.report(d.places[pointer], pointer, key+" is "+shown(own)+" in the frontmatter, and "+shown(value)+" was given with it", "leave one of them out")
		}
	}
	for key, value := range usual(d.body).Instance() {
		if _, has := d.head[key]; !has {
			d.head[key] = value
		}
	}
}

func same(a, b any) bool {
	listA, isA := a.([]any)
	listB, isB := b.([]any)
	if isA && isB {
		return slices.Equal(listA, listB)
	}
	return !isA && !isB && a == b
}

// shown is a value as a message has it.
func shown(value any) string {
	if text, ok := value.(string); ok {
		return fault.Quote(text)
	}
	return "another list"
}
