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

// maxHeld is the maximum size of held.json in bytes.
const maxHeld = 64 << 20

// held is the content of held.json.
type held struct {
	Documents []heldDocument `json:"documents"`
	// of documents that came in another way; Blob is the signature
	Signatures []heldDocument `json:"signatures,omitempty"`
	// effects on missing handoffs, and effects that do not count yet
	Effects []effect `json:"effects,omitempty"`
	Rules   string   `json:"rules,omitempty"` // the stamp of the rules that judged them

	places map[effect]int // the indexes of the effects, by key
}

// A heldDocument is a document that was received and refused for now.
type heldDocument struct {
	ID     string `json:"handoff_id"`
	Writer string `json:"writer"`
	Commit string `json:"commit"`
	Blob   string `json:"blob"`
	Why    string `json:"why"`

	Signature string `json:"signature,omitempty"` // the blob of its signature
}

// origin returns where the document comes from.
func (d heldDocument) origin() *handoff.Origin {
	return &handoff.Origin{Writer: d.Writer, Commit: d.Commit}
}

// loadHeld reads held.json, and returns its text too. An unreadable file is fault.ErrIntegrity, because treating it
// as empty would lose the held documents.
func loadHeld(d *disk.Dir) (h held, text []byte, err error) {
	h.Documents = []heldDocument{}
	text, err = d.ReadFile(disk.SyncHeld, maxHeld)
	if errors.Is(err, fs.ErrNotExist) {
		return h, nil, nil
	}
	if system := store.AsCorrupt(d.Path(), err); system != nil && !errors.Is(system, fault.ErrIntegrity) {
		return h, nil, fault.Unreadable(err)
	}
	if err == nil {
		err = json.Unmarshal(text, &h)
	}
	if err != nil {
		err = fault.New(fault.ErrIntegrity, "run `handoff sync`: held handoffs are fetched again",
			"%s cannot be read: %v",
			filepath.Join(d.Path(), disk.SyncHeld), err)
	}
	return h, text, err
}

// A Status is what is known about the exchange of a store without the network.
type Status struct {
	Synced string `json:"last_sync"`        // when; "" means never
	Unsent int    `json:"unsent"`           // the number of handoffs that are not sent
	Held   int    `json:"held"`             // the number of held documents
	Failed string `json:"failed,omitempty"` // why the last background sync failed
}

// ReadStatus returns the status of a store. It takes longer if more is unsent.
func ReadStatus(s *handoff.Store) (at Status, err error) {
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
			return Status{Synced: p.Last}, err
		}
		at.Synced, at.Held = p.Last, len(h.Documents)
		var last attempt
		if _, err := load(x.out, disk.SyncAttempt, &last); err == nil && last.Began > p.Last {
			at.Failed = last.Failed
		}
	} // otherwise the store has never synced
	at.Unsent, err = x.unsent(p)
	return at, err
}

// unsent returns the number of handoffs that are not sent yet.
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
