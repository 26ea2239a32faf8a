package record

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/handoff"

	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
	"github.com/seed-78daf238/handoff/lib/packet"
	"github.com/seed-78daf238/handoff/lib/universal"
)

// newPacket issues the token: a person would take one that was taken before.
func newPacket(m *Making) ([]byte, error) {
	r := packet.Table().Say(m.Said)
	for name, text := range map[string]string{
		"updated_at": cmp.Or(m.Head.Time, m.At.UTC().Format(time.RFC3339)), "resume_token": packet.NewToken(),
		"agent": m.Head.From, "task": m.Head.Topic,
	} {
		if text != "" {
			r.Set(name, jsontree.NewString(text))
		}
	}
	return r.Append(nil), nil
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
