package txn

// An Operation is one kind of change of a store. Its file has all of it: the plan, which makes a step
// and applies it, and what an intent of its kind means to whoever finds one after a crash.
//
// The three functions look at what is on the disk and may be repeated at any time under the lock.
type Operation struct {
	Name string // in the intent

	// committed reports whether the one file whose replacement commits the change was replaced.
	committed func(*Session, *Intent) (bool, error)

	// redo brings the change about where the log has it already: where an index file was put back to
	// an older state. nil for an operation whose files cannot be.
	redo func(*Session, *Intent) error

	// settle does what follows the commit and precedes the events; nil if nothing does.
	settle func(*Session, *Intent) error
}

var operations = []*Operation{&write, &markRead, &rotate, &reindex, &resume, &act, &prune, &regenerate, &cut, &begin, &sign, &trust}

// operationOf returns the operation that an intent names, nil for one of a newer version.
func operationOf(i *Intent) *Operation {
	for _, op := range operations {
		if op.Name == i.Op {
			return op
		}
	}
	return nil
}

// bringAbout does again what an operation does besides its commit. Most do nothing besides.
func (op *Operation) bringAbout(x *Session, i *Intent) error {
	if op.redo == nil {
		return nil
	}
	return op.redo(x, i)
}
