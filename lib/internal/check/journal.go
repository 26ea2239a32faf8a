package check

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/journal"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// checkJournal compares the files of the state with the journal, at a moment in which nothing changes.
func (c *check) checkJournal() {
	for range patience {
		before, faults, warnings := c.stamps(), len(c.report.Faults), len(c.report.Warnings)
		if c.compareJournal(); c.stamps() == before {
			return
		}
		c.report.Faults, c.report.Warnings = c.report.Faults[:faults], c.report.Warnings[:warnings]
		time.Sleep(10 * time.Millisecond)
	}
	c.warn(journal.FileName, "try again when fewer commands write", "changes faster than it can be compared with the files")
}

// compareJournal holds the files of the state against what the journal authenticates: nothing that merely lies in
// the state directory proves anything.
func (c *check) compareJournal() {
	state, err := c.OpenPlace(c.Opt.StateDir) // as its files are
	if err != nil || state == nil {
		return
	}
	defer state.Close()
	key, err := c.Key(state, false)
	if err != nil {
		c.fault(journal.FileName, "", "cannot be proven: %v", err)
		return
	}
	newest := c.Newest()
	j, err := journal.Open(state, key, false)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if c.Log.Count+len(c.Ledger) > 0 {
			c.fault(journal.FileName, remedyRepair, "is missing, although there are events")
		}
		return
	case err != nil && key.IsZero():
		c.warn(journal.FileName, "run it as the user who wrote the store", "cannot be proven: this user has no secret")
		return
	case errors.Is(err, journal.ErrKey):
		c.fault(journal.FileName, c.RegenerateCommand(), "%s", store.OneLine(err))
		return
	case err != nil:
		c.fault(journal.FileName, remedyRepair, "%s", store.OneLine(err))
		return
	}
	defer j.Close()
	if err := c.CheckNewest(j.Last().Number, newest); err != nil {
		c.isOlder = true
		c.fault(journal.FileName, c.ContinueCommand(), "%s", store.OneLine(err))
	}
	before := len(c.report.Faults)
	c.checkLogHead(state, j)
	c.checkLedgerHead(state, j)
	refused := len(c.report.Faults) > before || c.isOdd(disk.LogFile) || c.isOdd(disk.Ledger)
	c.checkStateFiles(state, j)
	switch name := c.Changed(); {
	case refused: // by the next writing command too
	case name != "":
		c.fault(name, "any writing command", "was changed by something else; it counts as the journal has it, and the next writing command makes it so")
	case c.Lags():
		c.warn(journal.FileName, "any writing command", "a change is under way, was interrupted, or files were changed by something else; the next writing command completes it")
	}
	if why := c.KeepsInside(state); why != nil {
		c.warn(store.StateSecret, "", "lies in the state directory, so that this store believes whatever lies there: %v", why)
	}
}

// checkLogHead finds events that no command of this store has logged, and those that are gone.
func (c *check) checkLogHead(state *disk.Dir, j *journal.Journal) {
	last := j.Last()
	log, done, err := eventlog.Open(state)
	if err != nil {
		return // which is said of the file itself
	}
	defer done()
	end := min(last.Log.End(), log.Size())
	line, _, err := eventlog.Tail(io.NewSectionReader(log, 0, end), end)
	hash := eventlog.Genesis
	if err == nil && line != nil {
		hash, err = eventlog.HashLine(line)
	}
	if err != nil || end < last.Log.End() || journal.ParseHash(hash) != last.LogHead {
		if end < j.First().Log.Offset || !c.Lags() {
			c.fault(disk.LogFile, remedyRepair, "is not the log that this store wrote: it has lost events, or others are in their place")
		}
		return
	}
	behind := make([]byte, min(log.Size()-end, store.MaxBehind))
	if _, err := log.ReadAt(behind, end); err != nil && err != io.EOF {
		c.fault(disk.LogFile, "", "cannot be read: %v", err)
		return
	}
	for line := range bytes.Lines(behind[:disk.WholeLines(behind)]) {
		next, ok := eventlog.Informs(line, hash)
		if !ok {
			c.fault(disk.LogFile, remedyRepair, "has events behind byte %d that no command of this store logged", end)
			return
		}
		hash = next
	}
}

func (c *check) checkLedgerHead(state *disk.Dir, j *journal.Journal) {
	last := j.Last()
	text, err := state.ReadIfThere(disk.Ledger, disk.MaxLedger)
	if err != nil {
		return // which is said of the file itself
	}
	text = text[:disk.WholeLines(text)]
	switch err := store.CheckLedger(disk.Ledger, text, last.Ledger.End(), last.LedgerHead); {
	case err != nil && (int64(len(text)) < j.First().Ledger.Offset || !c.Lags()):
		c.fault(disk.Ledger, remedyRepair, "%s", strings.TrimPrefix(store.OneLine(err), disk.Ledger+": "))
	case err == nil && int64(len(text)) > last.Ledger.End():
		c.fault(disk.Ledger, remedyRepair, "has lines behind byte %d that no command of this store wrote", last.Ledger.End())
	}
}

// checkStateFiles names the files of the state that something else has replaced, and a journal that cannot be read:
// that of a store whose files are in line may be damaged and in nobody's way yet.
func (c *check) checkStateFiles(state *disk.Dir, j *journal.Journal) {
	story, err := j.Story()
	if err != nil {
		c.fault(journal.FileName, remedyRepair, "%s", store.OneLine(err))
		return
	}
	hashes, err := store.HashState(state)
	if err != nil || journal.SumState(hashes) == j.Last().State {
		return
	}
	for _, name := range store.StateFiles {
		if want, known := story.StateFile(name); (known != (hashes[name] != journal.Hash{}) || known && want.SHA256 != hashes[name]) && !isBehind(state, story, name) {
			c.fault(filepath.Base(name), "any writing command, or "+remedyRepair, "is not what this store wrote; it counts as the journal has it")
		}
	}
}

// isBehind reports whether a file of the state is as it was before a record that is not carried out yet, or what a
// power cut makes of that: the warning about the journal says so.
func isBehind(state *disk.Dir, story *journal.Story, name string) bool {
	n := journal.Name{Place: journal.State, File: name}
	want, replaced := story.Files()[n]
	have, err := state.ReadIfThere(name, disk.MaxLedger)
	if !replaced || err != nil {
		return false
	}
	_, before := story.State[name]
	switch {
	case have == nil:
		return !before
	case story.Had(n, journal.HashOf(have)):
		return true
	}
	isCut := len(have) == 0 || want != nil && disk.Begins(string(want.Bytes), have)
	return isCut && story.Records[len(story.Records)-1].Boot != store.BootOf()
}
