// Package bundle moves handoffs between stores as one file: by mail, on a stick, or out of a sandbox without network.
//
// The format handoff-bundle/1 is JSON Lines. Each line is in RFC 8785 canonical form and ends with a newline. A
// bundle has no paths, links or modes. It has these lines, in this order:
//
//	{"bundle":"handoff-bundle/1","created_utc":…,"origin":{"writer":…}}
//	{"handoff":"<the stored document>","id":…,"sigs":[…]}
//	{"read":{"id":…,"operator":…,"ts_utc":…}}
//	{"consumed":{"accepted":…,"handoff_id":…,"operator_id":…,"reason":…,"session_id":…,
//		"token":…,"ts_utc":…}}
//	{"end":{"handoffs":N,"sha256":"<of all bytes before this line>"}}
//
// Handoffs are sorted by id, read marks by id and operator, consumed tokens by token. No line occurs twice. Marks and
// tokens belong to handoffs of the bundle. Unknown values are omitted: writer, sigs, accepted, reason and
// session_id. Times have the form of ts_utc. created_utc is the newest time in the bundle. The same handoffs of the
// same store therefore make the same bytes.
//
// A bundle has at most 256 MiB and 100,000 lines. A file can be compressed with gzip; a Reader takes it unpacked.
//
// [Writer] and [Reader] handle the format, [Export] and [Import] handle stores.
package bundle

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// Format is the name of the format.
const Format = "handoff-bundle/1"

// The limits of a bundle.
const (
	MaxBytes = 256 << 20
	MaxLines = 100_000
	maxSigs  = 16
	maxText  = 8 << 10 // bytes of a signature or a reason
)

// A Header is the first line of a bundle.
type Header struct {
	Format  string `json:"bundle"`      // always Format
	Created string `json:"created_utc"` // the newest time in the bundle
	Origin  Origin `json:"origin"`
}

// An Origin is the store that made a bundle.
type Origin struct {
	Writer string `json:"writer,omitempty"` // its id, or ""
}

// A Handoff is the line of a stored document.
type Handoff struct {
	ID         string   `json:"id"`
	Text       string   `json:"handoff"`
	Signatures []string `json:"sigs,omitempty"` // armored
}

// A Read is the line of a read mark.
type Read struct {
	ID       string `json:"id"`
	Operator string `json:"operator"`
	Time     string `json:"ts_utc"`
}

// A Consumed is a line of the ledger: a used resume token or an action. A bundle omits who
// confirmed answers and the ends of leases.
type Consumed = handoff.Consumption

// A Line is a line between the header and the end. Exactly one of its pointers is set.
type Line struct {
	Number int `json:"-"` // from 1
	*Handoff
	Read     *Read
	Consumed *Consumed
}

// The kinds of lines, in order.
const (
	kindHeader = iota
	kindHandoff
	kindRead
	kindConsumed
	kindEnd
)

// A place is the position of a line: its kind, and its sort key. of is the handoff that the line is about.
type place struct {
	kind    int
	key, of string
}

// compare compares places by their order in a bundle.
func (p place) compare(other place) int {
	return cmp.Or(cmp.Compare(p.kind, other.kind), cmp.Compare(p.key, other.key))
}

func (l Line) place() place {
	switch {
	case l.Handoff != nil:
		return place{kindHandoff, l.Handoff.ID, l.Handoff.ID}
	case l.Read != nil:
		return place{kindRead, l.Read.ID + " " + l.Read.Operator, l.Read.ID}
	}
	return place{kindConsumed, l.Consumed.Token, l.Consumed.HandoffID}
}

// text returns the line without its newline.
func (l Line) text() []byte {
	switch {
	case l.Handoff != nil:
		return encode(l.Handoff)
	case l.Read != nil:
		return encode(map[string]*Read{"read": l.Read})
	}
	c := *l.Consumed
	c.ConfirmedBy, c.Until, c.Over = "", "", ""
	return encode(map[string]Consumed{"consumed": c})
}

// text returns the first line of a bundle.
func (h Header) text() []byte {
	h.Format = Format
	return encode(h)
}

func encode(v any) []byte {
	text, _ := jsontree.CanonicalOf(v) // strings cannot fail
	return text
}

// A tally is the content of the end line.
type tally struct {
	handoffs int
	sum      hash.Hash
}

// newTally returns the tally of an empty bundle.
func newTally() tally { return tally{sum: sha256.New()} }

// text returns the last line of a bundle, which proves all lines before it.
func (t tally) text() []byte {
	return fmt.Appendf(nil, `{"end":{"handoffs":%d,"sha256":"%s"}}`, t.handoffs, hex.EncodeToString(t.sum.Sum(nil)))
}
