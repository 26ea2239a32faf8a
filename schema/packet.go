package schema

import "github.com/seed-78daf238/handoff/lib/handoff"

var packet = rules("packet-1")

// Packet returns the rules of a resume packet, packet-1.schema.json.
func Packet() handoff.Rules { return packet }
