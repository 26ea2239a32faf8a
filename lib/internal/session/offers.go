package session

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/store"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

// The files of what sessions were told of: one Offer a line, newer ones at the end. When the first one is
// full its lines move to the second, whose older ones are given up: what is kept is bounded, and an offer
// that nobody remembers costs no more than a handoff that is listed as unread.
const (
	maxBytes  = 4 << 20
	tailBytes = 256 << 10 // how far back an offer is looked for before it is recorded again
)

// An Offer says that a session of an agent was told of handoffs.
type Offer struct {
	Session  string   `json:"session_id"` // as the agent calls it; "" if it does not say
	Agent    string   `json:"agent"`
	Operator string   `json:"operator_id"` // who the session works for
	Time     string   `json:"ts_utc"`
	IDs      []string `json:"handoff_ids,omitempty"`
}

// Record records that a session was told of handoffs, unless the record says so already; a session without
// an id is told once a day. It reports whether a line was added, and leaves the time out of its argument.
//
// It never waits: nothing is recorded while the lock is held, after an interrupted change, on another
// machine, or where the state directory cannot be written. A handoff that was offered is not read by it.
func RecordOffer(s *store.Store, o Offer) (recorded bool) {
	o.Time = s.Now()
	txn.Quietly(context.Background(), s, 0, func(x *txn.Session) { recorded = record(x, o) == nil })
	return recorded
}

var errKnown = errors.New("recorded before")

func record(x *txn.Session, o Offer) error {
	log, err := x.State.OpenLog(disk.Offers, true)
	if err != nil {
		return err
	}
	defer log.Close()
	info, err := log.Stat()
	if err != nil {
		return err
	}
	tail := make([]byte, min(info.Size(), tailBytes))
	if _, err := log.ReadAt(tail, info.Size()-int64(len(tail))); err != nil && err != io.EOF {
		return err
	}
	if o.IDs = o.missing(tail); len(o.IDs) == 0 {
		return errKnown
	}
	line, err := json.Marshal(o)
	if err != nil {
		return err
	}
	line = append(line, '\n')
	if len(tail) > 0 && tail[len(tail)-1] != '\n' {
		line = append([]byte{'\n'}, line...) // after a line that a crash has torn
	}
	if info.Size()+int64(len(line)) > maxBytes {
		if err := setAside(x, log); err != nil {
			return err
		}
	}
	return log.Append(line)
}

// missing returns those ids that text does not say the session was told of.
func (o Offer) missing(text []byte) []string {
	var told []string
	for _, old := range parse(text) {
		same := old.Session == o.Session && old.Agent == o.Agent && old.Operator == o.Operator
		if same && (o.Session != "" || len(old.Time) >= 10 && strings.HasPrefix(o.Time, old.Time[:10])) {
			told = append(told, old.IDs...)
		}
	}
	return slices.DeleteFunc(slices.Clone(o.IDs), func(id string) bool { return slices.Contains(told, id) })
}

// setAside empties the log once its lines stand in the other file: a reader may see them twice, never
// not at all.
func setAside(x *txn.Session, log *disk.Log) error {
	text, err := x.State.ReadFile(disk.Offers, 2*maxBytes)
	if err != nil {
		return err
	}
	if err := x.State.Replace(disk.OlderOffers, text, 0o600); err != nil {
		return err
	}
	return log.Truncate(0)
}

// parse returns the offers of text. A line that is none is passed over.
func parse(text []byte) []Offer {
	var offers []Offer
	for line := range bytes.Lines(text) {
		var o Offer
		if json.Unmarshal(line, &o) == nil && len(o.IDs) > 0 {
			offers = append(offers, o)
		}
	}
	return offers
}

// All returns the offers that are recorded, older ones first. Where the record cannot be read that is
// warned about, and there are none.
func Offers(s *store.Store) []Offer {
	state, err := s.OpenPlace(s.Opt.StateDir)
	if err != nil || state == nil {
		return nil
	}
	defer state.Close()
	var texts [2][]byte
	for i, name := range []string{disk.Offers, disk.OlderOffers} {
		texts[1-i], err = state.ReadFile(name, 2*maxBytes)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			s.Opt.Warn("what sessions were offered cannot be read: " + err.Error())
		}
	}
	seen := make(map[string]bool) // a line that is being set aside stands in both
	var offers []Offer
	for _, text := range texts {
		for line := range bytes.Lines(text) {
			if o := parse(line); o != nil && !seen[string(line)] {
				seen[string(line)] = true
				offers = append(offers, o...)
			}
		}
	}
	return offers
}
