package store

import (
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/journal"
)

// A LogHead is the part of the audit log that the journal proves.
type LogHead struct {
	End      int64  // in bytes; informing lines may follow
	Hash     string // the last event before End
	IsProven bool   // the journal exists and verifies
}

// HeadOf returns the LogHead of a head of the journal.
func HeadOf(h *journal.Head) LogHead {
	head := LogHead{h.Log.End(), h.LogHead.String(), true}
	if h.LogHead == (journal.Hash{}) {
		head.Hash = eventlog.Genesis
	}
	return head
}
