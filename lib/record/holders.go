package record

import (
	"cmp"
	"fmt"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"

	"github.com/seed-78daf238/handoff/lib/internal/fields"
	"github.com/seed-78daf238/handoff/lib/packet"
)

// packetOf returns the packet in a body.
func packetOf(body string) (packet.Record, bool) {
	r, ok := recordIn(body, packet.Kind).(packet.Record)
	return r, ok
}

// recordIn returns the record of a kind in a body. It returns nil for a body that is not exactly that, and for a record
// of a later version.
func recordIn(body, kind string) content {
	block, ok := fields.Extract(body)
	if k, known := kindOfBlock(block); ok && known && k.name == kind {
		return k.holds(block)
	}
	return nil
}

// WarnShared returns a warning for each of the stored packets whose token another packet has too. Call it after
// storing them.
func WarnShared(s *handoff.Store, ids []string) (warnings []string, err error) {
	rows, err := s.FindEach(ids)
	if err != nil {
		return nil, err
	}
	var failed error
	err = s.LoadEach(rows, func(got handoff.Stored, err error) bool {
		var all []string
		if r, ok := packetOf(got.Body); err == nil && ok {
			all, err = s.Records().Sharing(r.ResumeToken)
		}
		if failed = err; len(all) > 1 {
			warnings = append(warnings, fmt.Sprintf("%s has the resume token of another packet (%s): only one of them "+
				"can be resumed, once; give each its own token",
				got.Entry.ID, fault.Some(packet.Without(all, got.Entry.ID))))
		}
		return failed == nil
	})
	return warnings, cmp.Or(err, failed)
}
