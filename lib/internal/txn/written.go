package txn

import (
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// Written returns the event of a document that is stored as file. adopted means that the file existed before.
func Written(s *store.Store, d Publication, file string, adopted bool) eventlog.Pending {
	tags := d.Tags
	if tags == nil {
		tags = []string{}
	}
	key := ""
	if d.Signature != nil {
		key = d.Signature.Key
	}
	return eventlog.Pending{Type: eventlog.TypeWrite, Redacted: d.Redacted, Payload: eventlog.Written{
		Adopted: adopted, HandoffID: d.HandoffID, From: d.From, To: d.To, Topic: d.Topic,
		Time:          d.Time,
		FilePath:      s.RelPath(file),
		SchemaVersion: d.SchemaVersion, ReferencesCount: len(d.References), Tags: tags,
		BodyByteSize: d.BodySize, OperatorVerification: d.Operators, SecretsAllowed: d.Allowed, SigningKey: key,
	}}
}
