package txn

import (
	"errors"
	"io/fs"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/canon"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// reindex gives an index file another text; its replacement commits it.
var reindex = Operation{Name: "repair", committed: indexIsReplaced}

// Reindex replaces an index file that reads old, and records events about it. The log may begin with them.
func (x *Session) Reindex(name string, old, text []byte, events []eventlog.Pending) error {
	return x.apply(step{
		op:     &reindex,
		intent: Intent{Index: name, IndexSHA256: canon.SHA256Hex(text)},
		begins: true,
		events: events,
		commit: func() error { return x.replaceIndex(name, old, text) },
	})
}

// indexIsReplaced reports whether the index file has the content that the intent names.
func indexIsReplaced(x *Session, intent *Intent) (bool, error) {
	text, err := store.ReadIndex(x.Dir, intent.Index)
	return canon.SHA256Hex(text) == intent.IndexSHA256, err
}

// replaceIndex is the commit of most changes: an index file that reads old becomes text. What people
// saved there since it was read is not overwritten: the file is looked at again as late as can be.
func (x *Session) replaceIndex(name string, old, text []byte) error {
	return x.putIndex(name, text, func() error {
		same, err := store.StillReads(x.Dir, name, old)
		if err == nil && !same {
			err = fault.New(fault.ErrBusy, "run the same command again", "%s was changed by something else meanwhile", x.Path(name))
		}
		return err
	})
}

// putIndex puts text behind the name of an index file, unless check, which may be nil, has something
// against it.
func (x *Session) putIndex(name string, text []byte, check func() error) error {
	replace := func() error { return x.Dir.ReplaceIf(name, text, 0o644, check) }
	if name != layout.Index {
		if _, err := x.Dir.Lstat(name); errors.Is(err, fs.ErrNotExist) {
			replace = func() error { return x.makeArchive(name, text) }
		}
	}
	if err := replace(); err != nil {
		return err
	}
	return x.Dir.Sync()
}
