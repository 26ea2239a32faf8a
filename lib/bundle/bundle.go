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
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"

	"github.com/seed-78daf238/handoff/lib/internal/canon"
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
// or put away: a line of the ledger.
type Consumed struct{ Token, ID, Operator, Time, Accepted, Reason, Session string }

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

// place is the place of a line among the others: its kind, and what orders it within.
func (l Line) place() (kind int, key string) {
	switch {
	case l.Handoff != nil:
		return kindHandoff, l.Handoff.ID
	case l.Read != nil:
		return kindRead, l.Read.ID + " " + l.Read.Operator
	}
	return kindConsumed, l.Consumed.Token
}

// about is the handoff that a line is about.
func (l Line) about() string {
	switch {
	case l.Handoff != nil:
		return l.Handoff.ID
	case l.Read != nil:
		return l.Read.ID
	}
	return l.Consumed.ID
}

// text returns the line without its newline. It fails on what is not UTF-8.
func (l Line) text() (text []byte, err error) {
	switch {
	case l.Handoff != nil:
		h := l.Handoff
		members := []canon.Member{{Key: "handoff", Text: h.Text}, {Key: "id", Text: h.ID}}
		if members = optional(members, "first_seen", h.FirstSeen); len(h.Signatures) > 0 {
			members = append(members, canon.Member{Key: "sigs", List: h.Signatures, IsList: true})
		}
		return canon.Object(members)
	case l.Read != nil:
		r := l.Read
		return nested("read", []canon.Member{{Key: "id", Text: r.ID}, {Key: "operator", Text: r.Operator}, {Key: "ts_utc", Text: r.Time}})
	}
	c := l.Consumed
	members := []canon.Member{{Key: "id", Text: c.ID}, {Key: "operator", Text: c.Operator}, {Key: "token", Text: c.Token}, {Key: "ts_utc", Text: c.Time}}
	return nested("consumed", optional(optional(optional(members, "accepted", c.Accepted), "reason", c.Reason), "session", c.Session))
}

// text is the first line of a bundle.
func (h Header) text() ([]byte, error) {
	origin, err := canon.Object(optional(nil, "writer", h.Writer))
	return fmt.Appendf(nil, `{"bundle":%q,"created_utc":%q,"origin":%s}`, Format, h.Created, origin), err
}

// optional adds a member that is left out when it is empty.
func optional(members []canon.Member, key, text string) []canon.Member {
	if text == "" {
		return members
	}
	return append(members, canon.Member{Key: key, Text: text})
}

// nested is an object in an object under one key, in canonical form: every line but the first is one.
func nested(key string, members []canon.Member) ([]byte, error) {
	inner, err := canon.Object(members)
	return fmt.Appendf(nil, `{"%s":%s}`, key, inner), err
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
