package record

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/packet"
	"github.com/seed-78daf238/handoff/lib/universal"
)

// packetFlags are what a new packet says, in the order in which a form asks.
var packetFlags = []Flag{
	{Name: "objective", Field: "objective", Usage: "what the work is for (`text`)", Needed: true},
	{Name: "completed", Field: "completed", Usage: "what is done (`text`)", List: true, Needed: true},
	{Name: "unresolved", Field: "unresolved", Usage: "what is open or in the way (`text`), such as 'No blockers'", List: true, Needed: true},
	{Name: "assumption", Field: "assumptions", Usage: "what was taken for granted (`text`)", List: true, Needed: true},
	{Name: "risk", Field: "risks", Usage: "what may go wrong (`text`)", List: true, Needed: true},
	{Name: "next-action", Field: "next_action", Usage: "what comes first now (`text`)", Needed: true},
	{Name: "expires-at", Field: "expires_at", Usage: "the `time` from which it is no use to resume"},
}

// newPacket issues the token: a person would take one that was taken before.
func newPacket(m *Making) ([]byte, error) {
	r := packet.Record{
		Objective: m.text("objective"), Completed: m.Said["completed"], Unresolved: m.Said["unresolved"], Assumptions: m.Said["assumption"],
		Risks: m.Said["risk"], NextAction: m.text("next-action"), ExpiresAt: m.text("expires-at"),
		UpdatedAt: cmp.Or(m.Head.Time, m.At.UTC().Format(time.RFC3339)), ResumeToken: packet.NewToken(), Agent: m.Head.From, Task: m.Head.Topic,
	}
	return r.JSON(), nil
}

// packet reads a packet that is to be stored.
func (o Options) packet(data []byte, _ screened) (content, error) {
	return packet.Parse(data, o.AllowEmpty...)
}

// storedPacket reads a packet that was stored: that a field may be empty was decided then.
func storedPacket(data []byte) (packet.Record, error) {
	return packet.Parse(data, packet.Required()...)
}

// checkAllowed refuses a name that is no field of a packet.
func checkAllowed(fields []string) error {
	for _, field := range fields {
		if !slices.Contains(packet.Required(), field) {
			return invalid("the fields are "+strings.Join(packet.Required(), ", "), "--allow-empty %q is not a field of a packet", field)
		}
	}
	return nil
}

// packetInput leaves a packet to the check as it is, which says all that is wrong with it.
func packetInput(data []byte, _ handoff.Rules) packet.Input { return packet.Input{Data: data} }

// validatePacket is the validation of the kind. What a packet says is judged by check.
func validatePacket(data []byte, _ universal.Options) (universal.Report, error) {
	_, err := packet.Parse(data)
	return schemaReport(err), nil
}
