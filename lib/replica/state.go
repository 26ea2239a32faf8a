package replica

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/durable"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// A ctx is a context, where lines are long.
type ctx = context.Context

// maxHeld is how much of held.json is read.
const maxHeld = 64 << 20

// loadProgress returns how far the log was published. What is not known is found out by looking.
func (x *syncing) loadProgress() progress {
	var p progress
	if text, err := x.out.ReadFile(layout.SyncState, maxHeld); err != nil || json.Unmarshal(text, &p) != nil {
		return progress{Partly: true}
	}
	return p
}

// saveProgress remembers how far the log was published: a shortcut for the next exchange, and what a log that
// vanishes is told by.
func (x *syncing) saveProgress(p progress) error {
	log, done, err := x.openLog()
	if err != nil {
		return err
	}
	defer done()
	if p.Sent.End, err = store.EndOf(log, p.Offset); err != nil {
		return err
	}
	p.Last, p.Sent.Writer = x.Now().UTC().Format(time.RFC3339), x.writer
	if err := saveJSON(x.out, layout.SyncState, p); err != nil {
		return err
	}
	if _, err := x.state.Lstat(layout.Synced); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return x.state.Touch(layout.Synced, 0o600)
}

// saveJSON replaces a file. Its content is on the disk when its name is.
func saveJSON(d *durable.Dir, name string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return d.Replace(name, append(text, '\n'), 0o600)
}

// held is the content of held.json.
type held struct {
	Documents []heldDocument        `json:"documents"`
	Marks     map[string][]mark     `json:"marks"` // by handoff
	Tokens    []handoff.Consumption `json:"tokens"`
	Rules     string                `json:"rules,omitempty"` // by which they were judged

	Signatures []heldDocument  `json:"signatures,omitempty"` // of documents that came, or come, in another way; the blob is theirs
	Pruned     []heldTombstone `json:"pruned,omitempty"`     // elsewhere, and not past here yet
}

// A heldTombstone hides its handoff, and waits until that may go here too.
type heldTombstone struct {
	handoff.Tombstone
	Seen string `json:"seen"` // here, by the clock of this machine
}

// addMark adds a read mark. Of several of one operator the earliest counts.
func (h *held) addMark(id string, m mark) {
	i := slices.IndexFunc(h.Marks[id], func(one mark) bool { return one.Operator == m.Operator })
	if i < 0 {
		h.Marks[id] = append(h.Marks[id], m)
	} else if m.Time < h.Marks[id][i].Time {
		h.Marks[id][i] = m
	}
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

// A mark waits for its handoff: that of a held one, or of one that has not come yet.
type mark struct {
	Operator string `json:"operator"`
	Time     string `json:"ts_utc"`
}

// loadHeld reads what waits. A file that cannot be understood is fault.ErrIntegrity and not an empty one: what
// waits would be forgotten.
func loadHeld(d *durable.Dir) (h held, err error) {
	h = held{Documents: []heldDocument{}, Marks: map[string][]mark{}, Tokens: []handoff.Consumption{}}
	text, err := d.ReadFile(layout.SyncHeld, maxHeld)
	if errors.Is(err, fs.ErrNotExist) {
		return h, nil
	}
	if system := store.Odd(d.Path(), err); system != nil && !errors.Is(system, fault.ErrIntegrity) {
		return h, fault.Unreadable(err)
	}
	if err == nil {
		err = json.Unmarshal(text, &h)
	}
	if err != nil {
		return h, fault.New(fault.ErrIntegrity, "run `handoff sync`: what waits is fetched anew", "%s cannot be read: %v", filepath.Join(d.Path(), layout.SyncHeld), err)
	}
	if h.Marks == nil {
		h.Marks = map[string][]mark{}
	}
	return h, nil
}

// A Standing says how a store stands with the others, as far as it can be told without asking them.
type Standing struct {
	Synced string `json:"last_sync"` // when; "" if it never was
	Unsent int    `json:"unsent"`
	Held   int    `json:"held"`
}

// Stand returns how a store stands. Its cost grows with what was not sent.
func Stand(s *handoff.Store) (at Standing, err error) {
	x := &syncing{Store: s}
	if x.state, err = s.State(); err != nil || x.state == nil {
		return at, err
	}
	defer x.state.Close()
	path, err := s.OutsidePath()
	if err == nil {
		x.out, err = durable.OpenDir(path)
	}
	p := progress{}
	if err == nil {
		defer x.out.Close()
		p = x.loadProgress()
		at.Synced = p.Last
		h, err := loadHeld(x.out)
		if err != nil {
			return at, err
		}
		at.Held = len(h.Documents)
	} // else it was never exchanged
	x.logSize = 1 << 62
	at.Unsent, err = x.unsent(p)
	return at, err
}

// unsent counts the handoffs that were not sent yet.
func (x *syncing) unsent(p progress) (n int, err error) {
	log, done, err := x.openLog()
	if err != nil {
		return 0, err
	}
	defer done()
	n = len(p.Unsent)
	for e := range eventlog.Scan(log, max(p.Offset, p.Quiet), &err) {
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

// equals reports whether two say the same, so that a sync without news writes nothing.
func (h held) equals(other held) bool {
	a, errA := json.Marshal(h)
	b, errB := json.Marshal(other)
	return errA == nil && errB == nil && bytes.Equal(a, b)
}

// firstLine is as much of an error as one line of a report may have.
func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
