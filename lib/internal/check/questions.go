package check

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/index"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/store"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

// isUnreadable reports whether a file exists but cannot be read. Then its content does not count as missing.
func (s *Snapshot) isUnreadable(name string) bool {
	return slices.ContainsFunc(s.unreadable, func(f Finding) bool { return f.Place == name })
}

// hidesRows reports whether there may be rows that were not read.
func (s *Snapshot) hidesRows() bool {
	return slices.ContainsFunc(s.Indexes, func(f IndexFile) bool { return s.isUnreadable(f.Name) })
}

// hidesEvents reports whether there may be events that were not read or are unproven, or the log is missing.
func (s *Snapshot) hidesEvents() bool {
	return s.Log.Bad != "" || s.isUnreadable(disk.LogFile) || s.lacksLog()
}

// lacksLog reports whether the log is missing or empty.
func (s *Snapshot) lacksLog() bool {
	return s.Log.Count == 0 && s.Log.Bad == "" && !s.isUnreadable(disk.LogFile)
}

// lists reports whether any index file lists a handoff.
func (s *Snapshot) lists() bool {
	return slices.ContainsFunc(s.Indexes, func(f IndexFile) bool { return !index.IsEmpty([]byte(f.Text)) })
}

// IsElsewhere reports whether a handoff without a row is on another branch. The store must be committed with
// the code, and the document must be missing too.
func (s *Snapshot) IsElsewhere(h eventlog.Handoff) bool {
	if s.Opt.Git != disk.GitTracked || h.Line == 0 || s.hidesRows() {
		return false
	}
	w, err := s.Log.Written(h)
	_, isHere := slices.BinarySearch(s.names, path.Base(w.FilePath))
	return err == nil && !isHere
}

// LosesIndex reports whether INDEX.md lists nothing although there are handoffs: see
// [store.Dirs.HasLostIndex].
func (s *Snapshot) LosesIndex() bool {
	text := s.Indexes[0].Text
	return index.ListsNothing([]byte(text)) && (index.Lacks(text) != "" || s.log.Size() > 0 ||
		s.isUnreadable(disk.LogFile)) &&
		slices.ContainsFunc(s.names, func(name string) bool { return index.IsFile(name) && s.isThere(name) })
}

// isThere reports whether a name still exists. The names were read first, so a change may have removed some
// since.
func (s *Snapshot) isThere(name string) bool {
	_, err := s.Dir.Lstat(name)
	return !errors.Is(err, fs.ErrNotExist)
}

// FarLinks returns the archives that INDEX.md links but readers cannot reach.
func (s *Snapshot) FarLinks() []string {
	return slices.DeleteFunc(index.Archives(s.Indexes[0].Text), s.reads)
}

// Files returns the names of all stored documents, in order.
func (s *Snapshot) Files() []string {
	return slices.DeleteFunc(slices.Clone(s.names), func(name string) bool { return !index.IsFile(name) })
}

// LooseArchives returns the archives that exist but readers cannot reach.
func (s *Snapshot) LooseArchives() []string {
	return slices.DeleteFunc(slices.Clone(s.names), func(name string) bool {
		return !disk.IsArchive(name) ||
			s.reads(name)
	})
}

// reads reports whether a file was read as a part of the index.
func (s *Snapshot) reads(name string) bool {
	return slices.ContainsFunc(s.Indexes, func(f IndexFile) bool { return f.Name == name })
}

// isUnlinked reports whether INDEX.md does not link an archive that exists.
func (s *Snapshot) isUnlinked(archive string) bool {
	return !s.hidesRows() && !slices.Contains(index.Archives(s.Indexes[0].Text), archive) && s.isThere(archive)
}

// Unlogged counts the rows, read marks and consumed tokens without an event, for the handoffs that choose
// accepts.
func (s *Snapshot) Unlogged(choose func(id string) bool) (found eventlog.Adoption) {
	for _, row := range s.order {
		if choose(row.ID) {
			found.Count(row.Row, s.Log.Of(row.ID))
		}
	}
	whole := txn.WholeRecords(s.Ledger)
	for n, line := range (&txn.Ledger{Text: s.Ledger}).Lines() {
		key := txn.LineKey(line)
		if key == "" || n > whole { // a repair drops it
			continue
		}
		consumed, _ := txn.ParseConsumption(line)
		_, logged := s.Log.Resumes[key]
		if !logged && choose(consumed.HandoffID) {
			found.Tokens++
		}
	}
	return found
}

// Adoptable counts what has no events if the log of an open store is missing or empty. Otherwise it returns
// zeros.
func Adoptable(ctx context.Context, d store.Dirs) (eventlog.Adoption, error) {
	if has, err := d.HasEvents(); err != nil || has {
		return eventlog.Adoption{}, err
	}
	s, err := LookIn(ctx, d)
	if err != nil {
		return eventlog.Adoption{}, err
	}
	defer s.Release()
	s.ListRows(nil)
	return s.Unlogged(func(string) bool { return true }), nil
}

// checkAdoption reports if more is without events than was adopted. It cannot know which of it was adopted.
func (c *check) checkAdoption() {
	known := c.Log.Adopted
	if known.Rows == 0 || c.Log.Bad != "" {
		return
	}
	if found := c.Unlogged(c.Log.MayLack); !known.Covers(found) {
		c.fault(disk.LogFile, remedyRepair,
			"lacks the events of %s, %s and %s, but only %d, %d and %d were adopted: its end may have been cut",
			fault.Count(found.Rows, "handoff"), fault.Count(found.Marks, "read mark"), fault.Count(found.Tokens,
				"consumed token"),
			min(found.Rows, known.Rows), min(found.Marks, known.Marks), min(found.Tokens, known.Tokens))
	}
}
