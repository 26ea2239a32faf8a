package txn

import (
	"encoding/json"
	"io"
	"path/filepath"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/durable"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// ReadIntent returns the intent of an interrupted change, nil if there is none.
func ReadIntent(d *durable.Dir, key Key) (*Intent, error) {
	text, err := d.ReadIfThere(layout.Intent, layout.MaxIntent)
	path := filepath.Join(d.Path(), layout.Intent)
	if err != nil || text == nil {
		return nil, store.Odd(path, err)
	}
	intent, err := ParseIntent(text, key)
	if err != nil {
		return nil, &fault.CorruptError{File: path, Why: err.Error()}
	}
	return &intent, nil
}

// The states of the log where an intent wanted to append.
type logProgress int

const (
	logAbsent   logProgress = iota // nothing, or a beginning of the lines
	logComplete                    // all lines, perhaps with more after them
)

// LogState compares a log of the given size with what the intent wanted to append. A fragment that no
// crash of ours explains is a fault, and so is an intent that does not continue the chain: it was not
// made here. Nothing is touched then.
func LogState(s *store.Store, log io.ReaderAt, size int64, intent *Intent) (logProgress, error) {
	corrupt := func(why string) error {
		return &fault.CorruptError{File: filepath.Join(s.Opt.StateDir, layout.Log), Why: why}
	}
	if size < intent.LogOffset {
		return 0, corrupt("shorter than it was before the interrupted change")
	}
	if err := isOurs(s, log, intent); err != nil {
		return 0, err
	}
	tail := make([]byte, min(size-intent.LogOffset, int64(len(intent.LogLines))))
	if _, err := log.ReadAt(tail, intent.LogOffset); err != nil && err != io.EOF {
		return 0, err
	}
	switch {
	case string(tail) == intent.LogLines:
		return logComplete, nil
	case strings.HasPrefix(intent.LogLines, string(tail)):
		return logAbsent, nil
	case durable.Begins(intent.LogLines, tail) && size <= intent.LogOffset+int64(len(tail)):
		return logAbsent, nil // a power cut kept the new size and lost some of the content
	}
	return 0, corrupt("continues in another way than the interrupted change would have")
}

// isOurs says that an intent is one of this store. It lies where others may put files, as in a
// repository that is shared; what it is going to log continues a chain that is known here alone.
func isOurs(s *store.Store, log io.ReaderAt, intent *Intent) error {
	foreign := &fault.CorruptError{File: filepath.Join(s.Opt.Dir, layout.Intent), Why: "was not made by an interrupted command of this store"}
	for _, b := range intent.Bodies {
		if !index.IsFile(b.File) && !layout.IsArchive(b.File) {
			return foreign
		}
	}
	if intent.Index != "" && intent.Index != layout.Index && !layout.IsArchive(intent.Index) {
		return foreign
	}
	if intent.Op == cut.Name && intent.LogLines == "" {
		return nil
	}
	last, _, err := eventlog.Tail(log, intent.LogOffset)
	if err != nil {
		return err
	}
	head := eventlog.Genesis
	if last != nil {
		if head, err = eventlog.HashLine(last); err != nil {
			return foreign
		}
	}
	var first eventlog.Event
	line, _, whole := strings.Cut(intent.LogLines, "\n")
	if err := json.Unmarshal([]byte(line), &first); err != nil || !whole || first.Prev != head {
		return foreign
	}
	return nil
}
