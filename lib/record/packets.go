package record

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/handoff"

	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/packet"
)

// newPacket makes the JSON of a packet. It issues the token: a person might reuse an old one.
func newPacket(m *Making) ([]byte, error) {
	r := packet.Table().FromFlags(m.Said)
	for name, text := range map[string]string{
		"updated_at": cmp.Or(m.Head.Time, m.At.UTC().Format(time.RFC3339)), "resume_token": packet.NewToken(),
		"agent": m.Head.From, "task": m.Head.Topic,
	} {
		if text != "" {
			r.Set(name, text)
		}
	}
	return r.Append(nil), nil
}

// packet reads a packet before it is stored, and warns of what a check will find, without quotations.
func (o Options) packet(data []byte, _ screenedRecord) (content, error) {
	r, err := packet.Parse(data, o.AllowEmpty...)
	if err != nil || o.Warn == nil {
		return r, err
	}
	c := packet.CheckOptions{AllowEmpty: o.AllowEmpty}
	if o.Now != nil {
		c.Now, _ = form.Instant(o.Now())
	}
	for _, found := range packet.Check(packet.Input{Data: data}, c).Checks {
		if !found.Pass {
			o.Warn("`handoff check` will find: " + found.Check + ": " + found.Ours())
		}
	}
	return r, nil
}

// storedPacket reads a stored packet. Which fields can be empty was decided when it was stored.
func storedPacket(data []byte) (packet.Record, error) {
	return packet.Parse(data, packet.Required()...)
}

// checkAllowed refuses names that are not fields of a packet.
func checkAllowed(fields []string) error {
	for _, field := range fields {
		if !slices.Contains(packet.Required(), field) {
			return invalid("use "+strings.Join(packet.Required(), ", "), "--allow-empty: unknown field %q", field)
		}
	}
	return nil
}

// packetInput passes a packet to the check unparsed. The check reports all its faults.
func packetInput(data []byte, _ handoff.Rules) packet.Input { return packet.Input{Data: data} }
