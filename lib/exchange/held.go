package exchange

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// maxHeld is how much of held.json is read.
const maxHeld = 64 << 20

// held is the content of held.json.
type held struct {
	Documents  []heldDocument `json:"documents"`
	Signatures []heldDocument `json:"signatures,omitempty"` // of documents that came in another way; the blob is theirs
	Told       []effect       `json:"effects,omitempty"`    // on handoffs that are not here, or that do not count yet
	Rules      string         `json:"rules,omitempty"`      // by which they were judged

	places map[effect]int // of the effects, by their keys
}

// A heldDocument waits until it may be stored: where git has it, and why it was refused so far.
type heldDocument struct {
	ID     string `json:"handoff_id"`
	Writer string `json:"writer"`
	Commit string `json:"commit"`
	Blob   string `json:"blob"`
	Why    string `json:"why"`

	Signature string `json:"signature,omitempty"` // a blob too
}

// origin says where a document comes from.
func (d heldDocument) origin() *handoff.Origin {
	return &handoff.Origin{Writer: d.Writer, Commit: d.Commit}
}

// loadHeld reads what waits, and returns its text too. A file that cannot be understood is fault.ErrIntegrity and
// not an empty one: what waits would be forgotten.
func loadHeld(d *disk.Dir) (h held, text []byte, err error) {
	h.Documents = []heldDocument{}
	text, err = d.ReadFile(disk.SyncHeld, maxHeld)
	if errors.Is(err, fs.ErrNotExist) {
		return h, nil, nil
	}
	if system := store.Odd(d.Path(), err); system != nil && !errors.Is(system, fault.ErrIntegrity) {
		return h, nil, fault.Unreadable(err)
	}
	if err == nil {
		err = json.Unmarshal(text, &h)
	}
	if err != nil {
		err = fault.New(fault.ErrIntegrity, "run `handoff sync`: what waits is fetched anew", "%s cannot be read: %v",
			filepath.Join(d.Path(), disk.SyncHeld), err)
	}
	return h, text, err
}

// A Standing says how a store stands with the others, as far as it can be told without asking them.
type Standing struct {
	Synced string `json:"last_sync"` // when; "" if it never was
	Unsent int    `json:"unsent"`
	Held   int    `json:"held"`
}

// Stand returns how a store stands. Its cost grows with what was not sent.
func Stand(s *handoff.Store) (at Standing, err error) {
	x := newExchange(s, Options{})
	defer x.close()
	if x.state, err = s.Exchange().State(); err != nil || x.state == nil {
		return at, err
	}
	path, err := s.Exchange().OutsidePath()
	if err == nil {
		x.out, err = disk.OpenDir(path)
	}
	p := progress{}
	if err == nil {
		p = x.loadProgress()
		h, _, err := loadHeld(x.out)
		if err != nil {
			return Standing{Synced: p.Last}, err
		}
		at.Synced, at.Held = p.Last, len(h.Documents)
	} // else it was never exchanged
	at.Unsent, err = x.unsent(p)
	return at, err
}

// unsent counts the handoffs that were not sent yet.
func (x *exchange) unsent(p progress) (n int, err error) {
	n = len(p.Unsent)
	for e := range x.events(max(p.Offset, p.Quiet), &err) {
		switch w := e.Content.(type) {
		case eventlog.Written:
			if parse(e).isOwn() {
				n++
			}
		case eventlog.Imported:
			n += len(w.HandoffIDs)
		}
	}
	return n, err
}
