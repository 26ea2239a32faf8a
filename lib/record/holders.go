package record

import (
	"bytes"
	"cmp"
	"fmt"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/fields"
	"github.com/seed-78daf238/handoff/lib/internal/life"
	"github.com/seed-78daf238/handoff/lib/packet"
)

// tokens asks documents for the resume tokens of their packets.
var tokens = life.Subject{File: disk.Tokens, Mark: "handoff-record=" + packet.Kind + "/", Says: func(d handoff.Document) string {
	r, _ := packetOf(d.Body)
	return r.ResumeToken
}}

// A holder is a stored packet.
type holder struct {
	id     string
	record packet.Record
}

// holders returns a function that gives the stored packets with a resume token. The store is read when
// it is first asked, and remembered if keep is set, as [handoff.Store.Saying] says. What cannot be proven or
// read holds none: there is nothing to resume from.
func holders(s *handoff.Store, keep bool) func(token string) ([]holder, error) {
	say := s.Records().Saying(tokens, keep)
	return func(token string) (found []holder, err error) {
		rows, err := say(token)
		if err != nil || token == "" {
			return nil, err
		}
		err = s.LoadEach(rows, func(got handoff.Stored, err error) bool {
			if err == nil {
				if r, ok := packetOf(got.Body); ok && r.ResumeToken == token {
					found = append(found, holder{got.Entry.ID, r})
				}
			}
			return true
		})
		return found, err
	}
}

// packetOf returns the packet that a body carries.
func packetOf(body string) (packet.Record, bool) {
	r, ok, err := carriedBy(body, packet.Kind, packet.Version, storedPacket)
	return r, ok && err == nil
}

// carriedBy returns the record of a kind in a body, false if its mark was only quoted there or the record
// is of a later version. The search for the mark is a search in text: a body may quote it.
func carriedBy[T any](body, kind, version string, read func([]byte) (T, error)) (r T, ok bool, err error) {
	block, ok, err := fields.Extract(body)
	if err != nil || !ok || block.Kind != kind || block.Version != version {
		return r, false, err
	}
	r, err = read(block.JSON)
	return r, err == nil, err
}

// Holders returns a function that names the stored packets with a token. The store is read when it is
// first asked. The function is for one goroutine.
func Holders(s *handoff.Store) func(token string) ([]string, error) {
	return idsOf(holders(s, false))
}

func idsOf(ask func(token string) ([]holder, error)) func(token string) ([]string, error) {
	return func(token string) (ids []string, err error) {
		found, err := ask(token)
		for _, h := range found {
			ids = append(ids, h.id)
		}
		return ids, err
	}
}

// Shared says of each of the stored handoffs that carries a packet whether another one has its token,
// in one sentence each. It is for who has stored them, and remembers what it has read.
func Shared(s *handoff.Store, ids []string) (warnings []string, err error) {
	rows, err := s.FindEach(ids)
	if err != nil {
		return nil, err
	}
	ask, known := idsOf(holders(s, true)), make(map[string][]string)
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
			warnings = append(warnings, fmt.Sprintf("%s has the resume token of another stored packet (%s): one of them can be resumed, once; give each a token of its own",
				got.Entry.ID, fault.Some(packet.Beside(all, got.Entry.ID))))
		}
		return failed == nil
	})
	return warnings, cmp.Or(err, failed)
}

// StoredAs returns the id of the stored handoff that a text is, or whose packet it is. A text that is
// not stored is handoff.ErrInvalid.
func StoredAs(s *handoff.Store, name string, text []byte, rules handoff.Rules) (string, error) {
	if !bytes.HasPrefix(bytes.TrimPrefix(text, []byte("\ufeff")), []byte("---")) {
		return packetAs(s, name, text)
	}
	doc, err := handoff.Parse(handoff.Source{Name: name, Text: text}, rules, 0)
	if err != nil {
		return "", err
	}
	id, err := handoff.ID(doc)
	if err != nil {
		return "", err
	}
	if _, err := s.Find(id); err != nil {
		return "", notStored(name)
	}
	return id, nil
}

// packetAs is StoredAs for a record as JSON.
func packetAs(s *handoff.Store, name string, text []byte) (string, error) {
	r, err := packet.Parse(text, packet.Required()...)
	if err != nil {
		return "", named(name, err)
	}
	found, err := holders(s, false)(r.ResumeToken)
	if err != nil {
		return "", err
	}
	for _, h := range found {
		if bytes.Equal(h.record.JSON(), r.JSON()) {
			return h.id, nil
		}
	}
	return "", notStored(name)
}

// notStored says why a record in a file cannot be resumed: a token is consumed in a store, once.
func notStored(name string) error {
	return invalid("store it with `handoff write` and resume what the receipt names", "%s is not stored here, so that nobody could see that it was resumed", name)
}
