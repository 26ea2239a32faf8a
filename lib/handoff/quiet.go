package handoff

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/durable"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
	"github.com/seed-78daf238/handoff/lib/internal/store"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

const (
	quietFrom  = 256 << 10       // bytes of index from which remembering saves more than it costs
	quietAfter = 2 * time.Second // a file that was written just now may be written again within the same tick of its clock
	maxQuiet   = 16              // operators
)

// A quiet line says that nothing was unread by an operator in index files with these stamps.
type quiet struct {
	Operator   string      `json:"operator_id"`
	MaxAgeDays int         `json:"max_age_days"`
	Files      [][2]string `json:"files"` // name and stamp; INDEX.md first, then every archive, and the log if some are over
}

// UnreadQuickly is Unread for those who ask often, such as every session that starts, and have room
// for little of it: in a large store it remembers that nothing was unread, and does not read the index
// again until that is changed. Remembering is best effort, and never waits.
func (s *Store) UnreadQuickly(operator string, maxAgeDays int) (Inbox, error) {
	seen, large, settled := s.stamps()
	known := s.readQuiet()
	same := func(q quiet) bool { return q.Operator == operator && q.MaxAgeDays == maxAgeDays }
	remembered := func(files [][2]string) bool {
		return len(files) > 0 && slices.ContainsFunc(known, func(q quiet) bool { return same(q) && slices.Equal(q.Files, files) })
	}
	if remembered(seen) {
		return Inbox{}, nil
	}
	withLog := s.withLog(seen)
	if remembered(withLog) {
		return Inbox{}, nil
	}
	look, whole := &store.Store{Opt: s.at.Opt}, true
	look.Opt.Lost = func(err error) {
		whole = false
		s.opt.Lost(err)
	}
	in, err := (&Store{at: look, opt: s.opt, keys: s.keys}).Unread(operator, mostTold, maxAgeDays)
	if len(in.Over) > 0 { // an event may undo that
		seen = withLog
	}
	if err == nil && len(in.Newest) == 0 && operator != "" {
		if why, sure := s.Stranger(operator); sure {
			in.Stranger = why
		}
	}
	if err == nil && len(in.Newest) == 0 && operator != "" && large && settled && whole && in.Stranger == "" {
		known = slices.DeleteFunc(known, same)
		known = append(known[max(0, len(known)-maxQuiet+1):], quiet{operator, maxAgeDays, seen})
		s.writeQuiet(known)
	}
	return in, err
}

// stamps returns the stamps of the index files before they are read, whether they are large, and whether they
// have not been written for a while. Nothing is large where they cannot be had.
func (s *Store) stamps() (files [][2]string, large, settled bool) {
	d, err := s.at.Reader()
	if err != nil || d == nil {
		return nil, false, false
	}
	defer d.Close()
	if s.opt.Git == GitTracked { // whose archives only INDEX.md names
		return nil, false, false
	}
	settled = true
	for name, n := layout.Index, 1; ; n++ {
		stamp, changed, err := d.Stamp(name)
		if errors.Is(err, fs.ErrNotExist) && name != layout.Index {
			return files, large, settled
		}
		entry, entryErr := d.Lstat(name)
		if err != nil || entryErr != nil || !entry.Regular {
			return nil, false, false
		}
		files = append(files, [2]string{name, stamp})
		large = large || entry.Size >= quietFrom || n > 1
		settled = settled && s.opt.Now().Sub(changed) > quietAfter
		name = layout.Archive(n)
	}
}

// withLog adds the stamps of the audit log and of the operators file.
func (s *Store) withLog(seen [][2]string) [][2]string {
	state, err := s.at.OpenPlace(s.opt.StateDir)
	if err != nil || state == nil {
		return seen
	}
	defer state.Close()
	stamp, _, _ := state.Stamp(layout.Log)
	seen = append(slices.Clip(seen), [2]string{layout.Log, stamp})
	if file, err := os.Stat(s.opt.OperatorsFile); err == nil { // whose policies say what awaits approval
		seen = append(seen, [2]string{layout.OperatorsFile, file.ModTime().String()})
	}
	return seen
}

func (s *Store) readQuiet() []quiet {
	var known []quiet
	text, err := store.InState(s.at, func(state *durable.Dir) ([]byte, error) { return state.ReadFile(layout.UnreadCache, 1<<20) })
	if err != nil || json.Unmarshal(text, &known) != nil {
		return nil
	}
	return known
}

func (s *Store) writeQuiet(known []quiet) {
	text, err := json.Marshal(known)
	if err != nil {
		return
	}
	txn.Quietly(context.Background(), s.at, 0, func(x *txn.Session) {
		_ = x.State.Replace(layout.UnreadCache, append(text, '\n'), 0o600) // the next one may be able to
	})
}
