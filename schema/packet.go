package schema

import "github.com/seed-78daf238/handoff/lib/fault"

var packet = rules("packet-1")

// Packet returns the rules of a resume packet, packet-1.schema.json.
func Packet() fault.Rules { return packet }
