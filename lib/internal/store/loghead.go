package store

import (
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/journal"
)

// A LogHead says how far the audit log goes that the journal proves.
type LogHead struct {
	End      int64  // in bytes; what informs may follow
	Hash     string // of the last event before that
	IsProven bool   // there is a journal that verifies
}

// HeadOf returns the head of the log as the head of a record has it.
func HeadOf(h *journal.Head) LogHead {
	head := LogHead{h.Log.End(), h.LogHead.String(), true}
	if h.LogHead == (journal.Hash{}) {
		head.Hash = eventlog.Genesis
	}
	return head
}

// LogHead returns the head of the log that the directories show.
func (d Dirs) LogHead() LogHead {
	if d.State == nil {
		return LogHead{}
	}
	v, ok := d.State.View().(*dirView)
	if !ok {
		return LogHead{}
	}
	v.once.Do(v.read)
	return v.logHead
}
