// Package bundle carries handoffs from store to store as one file: by mail, on a stick, out of a
// sandbox without a network.
//
// A bundle of the format handoff-bundle/1 is JSON Lines, each line in RFC 8785 canonical form, ended
// by a newline. It holds no paths, links or modes. The lines, in this order:
//
//	{"bundle":"handoff-bundle/1","created_utc":…,"origin":{"writer":…}}
//	{"first_seen":…,"handoff":"<the stored document>","id":…,"sigs":[…]}
//	{"read":{"id":…,"operator":…,"ts_utc":…}}
//	{"consumed":{"accepted":…,"id":…,"operator":…,"reason":…,"session":…,"token":…,"ts_utc":…}}
//	{"end":{"handoffs":N,"sha256":"<of all bytes before this line>"}}
//
// Handoffs come in the order of their ids, read marks in that of id and operator, consumed tokens in
// that of their tokens; none comes twice, and marks and tokens are of handoffs of the bundle. What is
// not known or not there is left out: writer, first_seen, sigs, accepted, reason, session. created_utc
// is the newest time that a bundle tells of, so that the same set from the same store gives the same
// bytes. All times are as ts_utc has them.
//
// A bundle may be compressed with gzip. Unpacked it has at most 256 MiB and 100,000 lines.
//
// [Writer] and [Reader] know the format alone; [Export] and [Import] know stores.
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

// Format is what a bundle says that it is.
const Format = "handoff-bundle/1"

// What a bundle may have at most.
const (
	MaxBytes = 256 << 20 // unpacked
	MaxLines = 100_000
	maxSigs  = 16
	maxText  = 8 << 10 // bytes of a signature, or of a reason
)

// A Header is the first line.
type Header struct {
	Created string // a time
	Writer  string // the store that it comes from, "" if it has no name
}

// A Handoff is a stored document.
type Handoff struct {
	ID, Text   string
	Signatures []string // armored
	FirstSeen  string   // when it came into the store; "" if that is not known
}

// A Read mark says that an operator has read a handoff, and when.
type Read struct{ ID, Operator, Time string }

// A Consumed token says that work was resumed from a handoff, or that it was taken, given back, ended
// or put away: a line of the ledger. A bundle has no approvals and who confirmed what.
type Consumed = handoff.Consumption

// A Line is one of them: of its pointers one is not nil.
type Line struct {
	Number   int // from 1
	Handoff  *Handoff
	Read     *Read
	Consumed *Consumed
}

// The kinds of lines, in their order.
const (
	kindHeader = iota
	kindHandoff
	kindRead
	kindConsumed
	kindEnd
)

// A place says where a line stands among the others: its kind, and what orders it within. It names the handoff that
// the line is about.
type place struct {
	kind    int
	key, of string
}

// compare orders places.
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
	var p, in jsontree.Printer
	switch {
	case l.Handoff != nil:
		in.Some("first_seen", l.Handoff.FirstSeen)
		in.Text("handoff", l.Handoff.Text)
		in.Text("id", l.Handoff.ID)
		if len(l.Handoff.Signatures) > 0 {
			in.Texts("sigs", l.Handoff.Signatures)
		}
		return in.End()
	case l.Read != nil:
		in.Text("id", l.Read.ID)
		in.Text("operator", l.Read.Operator)
		in.Text("ts_utc", l.Read.Time)
		p.JSON("read", in.End())
		return p.End()
	}
	in.Some("accepted", l.Consumed.Accepted)
	in.Text("id", l.Consumed.HandoffID)
	in.Text("operator", l.Consumed.Operator)
	in.Some("reason", l.Consumed.Reason)
	in.Some("session", l.Consumed.Session)
	in.Text("token", l.Consumed.Token)
	in.Text("ts_utc", l.Consumed.Time)
	p.JSON("consumed", in.End())
	return p.End()
}

// text is the first line of a bundle.
func (h Header) text() []byte {
	var p, origin jsontree.Printer
	origin.Some("writer", h.Writer)
	p.Text("bundle", Format)
	p.Text("created_utc", h.Created)
	p.JSON("origin", origin.End())
	return p.End()
}

// A tally is what the end line says.
type tally struct {
	handoffs int
	sum      hash.Hash
}

// newTally counts what a bundle has, from its first byte on.
func newTally() tally { return tally{sum: sha256.New()} }

// text is the last line of a bundle, which proves all before it.
func (t tally) text() []byte {
	return fmt.Appendf(nil, `{"end":{"handoffs":%d,"sha256":"%s"}}`, t.handoffs, hex.EncodeToString(t.sum.Sum(nil)))
}
