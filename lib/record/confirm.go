package record

import (
	"context"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/packet"
)

// Confirmed records in the audit log who confirmed answers in other words to the handoff of the id, ""
// for one that is not stored. It returns why that was not possible, "" if it was or nobody confirmed
// any.
func Confirmed(ctx context.Context, s *handoff.Store, id string, r packet.Report) string {
	switch {
	case r.ConfirmedBy == "":
		return ""
	case id == "":
		return "the artifact is not stored: no audit log records who confirmed the answers"
	}
	v := handoff.Validation{HandoffID: id, Kind: r.Kind, Valid: r.Class == packet.Clean, Stage: packet.Replay, Faults: len(r.Faults), ConfirmedBy: r.ConfirmedBy}
	if !s.RecordValidation(ctx, v) {
		return "the audit log is busy or cannot be written: it does not record who confirmed the answers"
	}
	return ""
}
