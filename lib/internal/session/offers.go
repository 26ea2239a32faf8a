package session

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/store"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

// The file of offers has one Offer a line, newest last. If it is full, only its newer half stays. A forgotten offer
// only means that a handoff is listed as unread again.
const (
	maxBytes  = 4 << 20
	tailBytes = 256 << 10 // the bytes at the end in which an offer counts as recorded
)

// An Offer records that a session of an agent was told about handoffs, or about drafts: these have ids like draft:ID.
type Offer struct {
	Session  string   `json:"session_id"` // the agent's name of it, or ""
	Agent    string   `json:"agent"`
	Operator string   `json:"operator"` // the operator that the session works for
	Time     string   `json:"ts_utc"`
	IDs      []string `json:"handoff_ids,omitempty"`
}

// RecordOffer records that a session was told about handoffs, unless that is recorded already. A session without an
// id is recorded once a day. It reports whether it added a line. It sets the time itself.
//
// RecordOffer never waits. It records nothing while the lock is held, after an interrupted change, on another
// machine, or in a read-only state directory. An offer does not mark a handoff as read.
func RecordOffer(s *store.Store, o Offer) (recorded bool) {
	o.Time = s.Now()
	txn.TryLocked(context.Background(), s, 0, func(x *txn.Session) { recorded = record(x, o) == nil })
	return recorded
}

var errKnown = errors.New("recorded before")

func record(x *txn.Session, o Offer) error {
	file, _, err := x.State.OpenOrCreate(disk.Offers)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	tail := make([]byte, min(info.Size(), tailBytes))
	if _, err := file.ReadAt(tail, info.Size()-int64(len(tail))); err != nil && err != io.EOF {
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
		line = append([]byte{'\n'}, line...) // after a line that a crash cut
	}
	if info.Size()+int64(len(line)) > maxBytes {
		text, err := x.State.ReadFile(disk.Offers, 2*maxBytes)
		if err != nil {
			return err
		}
		_, newer, _ := bytes.Cut(text[len(text)/2:], []byte("\n"))
		return x.State.Replace(disk.Offers, append(newer, line...), 0o600)
	}
	_, err = file.WriteAt(line, info.Size())
	return err
}

// missing returns the ids that text does not record for the session.
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

// parse returns the offers of text. It skips malformed lines.
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

// Offers returns the recorded offers, oldest first. If they cannot be read, it warns and returns none.
func Offers(s *store.Store) []Offer {
	state, err := s.OpenPlace(s.Opt.StateDir)
	if err != nil || state == nil {
		return nil
	}
	defer state.Close()
	text, err := state.ReadIfThere(disk.Offers, 2*maxBytes)
	if err != nil {
		s.Opt.Warn("what sessions were offered cannot be read: " + err.Error())
	}
	return parse(text)
}
