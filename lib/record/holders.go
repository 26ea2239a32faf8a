package record

import (
	"cmp"
	"fmt"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/fields"
	"github.com/seed-78daf238/handoff/lib/internal/life"
	"github.com/seed-78daf238/handoff/lib/packet"
)

// tokens finds the resume tokens of packets in documents.
var tokens = life.Subject{File: disk.Tokens, Mark: "handoff-record=" + packet.Kind + "/",
	Says: func(d handoff.Document) string {
		r, _ := packetOf(d.Body)
		return r.ResumeToken
	}}

// Holders returns a function that finds the ids of the stored packets with a resume token. It reads the store at its
// first call, and caches the result if keep is set, like [handoff.Store.Saying]. A handoff that cannot be read or
// proven is left out. It must not be called concurrently.
func Holders(s *handoff.Store, keep bool) func(token string) ([]string, error) {
	say := s.Records().Matching(tokens, keep)
	return func(token string) (ids []string, err error) {
		rows, err := say(token)
		if err != nil || token == "" {
			return nil, err
		}
		err = s.LoadEach(rows, func(got handoff.Stored, err error) bool {
			if r, ok := packetOf(got.Body); err == nil && ok && r.ResumeToken == token {
				ids = append(ids, got.Entry.ID)
			}
			return true
		})
		return ids, err
	}
}

// packetOf returns the packet in a body.
func packetOf(body string) (packet.Record, bool) {
	c, err := recordIn(body, packet.Kind)
	r, ok := c.(packet.Record)
	return r, ok && err == nil
}

// recordIn returns the record of a kind in a body. It returns nil if the body only quotes the mark of the kind, or if
// the record has a later version.
func recordIn(body, kind string) (c content, err error) {
	block, _, err := fields.Extract(body)
	if k, known := kindOfBlock(block); err == nil && known && k.name == kind {
		c, err = k.read(block.JSON)
	}
	return c, err
}

// WarnShared returns a warning for each of the stored packets whose token another packet has too. Call it after
// storing them. It caches what it reads.
func WarnShared(s *handoff.Store, ids []string) (warnings []string, err error) {
	rows, err := s.FindEach(ids)
	if err != nil {
		return nil, err
	}
	ask, known := Holders(s, true), make(map[string][]string)
	var failed error
	err = s.LoadEach(rows, func(got handoff.Stored, err error) bool {
		failed = err
		r, ok := packetOf(got.Body)
		if err != nil || !ok || r.ResumeToken == "" {
			return err == nil
		}
		all, asked := known[r.ResumeToken]
		if !asked {
			all, failed = ask(r.ResumeToken)
			known[r.ResumeToken] = all
		}
		if len(all) > 1 {
			warnings = append(warnings, fmt.Sprintf("%s has the resume token of another packet (%s): only one of them "+
				"can be resumed, once; give each its own token",
				got.Entry.ID, fault.Some(packet.Without(all, got.Entry.ID))))
		}
		return failed == nil
	})
	return warnings, cmp.Or(err, failed)
}
