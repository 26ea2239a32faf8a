package handoff

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/facts"
	"github.com/seed-78daf238/handoff/lib/internal/log"
	"github.com/seed-78daf238/handoff/lib/kind"
)

// Records gives access to the records that handoffs carry, and to the used resume tokens.
type Records struct{ s *Store }

// Records returns the records of the store.
func (s *Store) Records() Records { return Records{s} }

// Resume takes a packet and uses up its resume token. The caller checks the handoff first. If several resume at once,
// one succeeds. The others get a *TakenError. Other errors are those of Act.
func (r Records) Resume(ctx context.Context, id string, who Who) (ActReceipt, error) {
	return r.s.Act(ctx, actResume, id, who)
}

// Sharing returns the ids of the packets with a resume token that came before a handoff; of all if the id is "". A
// later packet with its token spoils none.
func (r Records) Sharing(token, id string) (ids []string, err error) {
	look, err := r.s.look(false)
	if err != nil {
		return nil, err
	}
	this := look.Of(id)
	for _, h := range look.Listed() {
		if h.Record.Token == tokenHash(token) && (this == nil || h.Order < this.Order) {
			ids = append(ids, h.ID)
		}
	}
	return ids, nil
}

// Carrying returns the handoffs that carry a record of a kind, newest first. Each is proven as Read does; withheld has
// the errors of those that cannot be proven.
func (r Records) Carrying(kind string) (found []Stored, withheld []error, err error) {
	look, err := r.s.look(false)
	if err != nil {
		return nil, nil, err
	}
	carry := entries(look, func(e Entry) bool { return e.of.Record.Kind == kind })
	err = r.s.LoadEach(NewestFirst(carry), func(got Stored, err error) bool {
		if err != nil {
			withheld = append(withheld, err)
		} else {
			found = append(found, got)
		}
		return true
	})
	return found, withheld, err
}

// sharedTokens returns a note for each new packet whose token another packet has, or had.
func sharedTokens(v facts.View, docs []*accepted) (notes []string) {
	for _, d := range docs {
		if d.Record == nil || d.Record.Token == "" || v.Of(d.HandoffID) != nil {
			continue
		}
		var others []string
		for _, h := range v.All() {
			if h.Record.Token == d.Record.Token {
				others = append(others, h.ID)
			}
		}
		if others != nil {
			notes = append(notes, d.HandoffID+" has the resume token of another packet ("+fault.Some(others)+
				"): only one of them can be resumed, once; give each its own token")
		}
	}
	return notes
}

func tokenHash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// recordOf returns what the log says about the record in a body, nil if there is none.
func recordOf(body string) *log.Record {
	r, is := kind.Extract(body)
	if !is {
		return nil
	}
	recorded := &log.Record{Kind: r.Name, Task: r.Text("/task_id")}
	if token := r.Text("/resume_token"); r.Name == kind.Packet && token != "" {
		recorded.Token = tokenHash(token)
	}
	return recorded
}

// CarriesPacket reports whether the body is a packet: the only record with a resume token.
func CarriesPacket(d Document) bool {
	r, is := kind.Extract(d.Body)
	return is && r.Name == kind.Packet
}

// A Made document was made from something else, such as a record.
type Made struct {
	Document
	Redacted []string // the secret rules whose findings were replaced
}
