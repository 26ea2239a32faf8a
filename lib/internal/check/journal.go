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

// checkJournal compares the files of the state with the journal, at a moment without changes.
func (c *check) checkJournal() {
	for range patience {
		before, faults, warnings := c.stamps(), len(c.report.Faults), len(c.report.Warnings)
		if c.compareJournal(); c.stamps() == before {
			return
		}
		c.report.Faults, c.report.Warnings = c.report.Faults[:faults], c.report.Warnings[:warnings]
		time.Sleep(10 * time.Millisecond)
	}
	c.warn(journal.FileName, "try again when fewer commands write",
		"changes faster than it can be compared with the files")
}

// compareJournal compares the files of the state with the journal: only the journal proves their content.
func (c *check) compareJournal() {
	state, err := c.OpenPlace(c.Opt.StateDir) // without a view
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
			c.fault(journal.FileName, remedyRepair, "is missing, but there are events")
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
	refused := len(c.report.Faults) > before || c.isUnreadable(disk.LogFile) || c.isUnreadable(disk.Ledger)
	c.checkStateFiles(state, j)
	switch name := c.Changed(); {
	case refused: // the next writing command refuses them too
	case name != "":
		c.fault(name, "any writing command",
			"was changed by another program; the next writing command restores it from the journal")
	case c.Lags():
		c.warn(journal.FileName, "any writing command",
			"a change is in progress or was interrupted, or another program changed files; the next writing "+
				"command completes it")
	}
	if why := c.KeepsInside(state); why != nil {
		c.warn(store.StateSecret, "", "is in the state directory, so this store trusts all files there: %v", why)
	}
}

// checkLogHead finds events that no command of this store logged, and events that are missing.
func (c *check) checkLogHead(state *disk.Dir, j *journal.Journal) {
	last := j.Last()
	log, done, err := eventlog.Open(state)
	if err != nil {
		return // another finding covers the file itself
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
			c.fault(disk.LogFile, remedyRepair, "is not the log of this store: events were lost or replaced")
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
			c.fault(disk.LogFile, remedyRepair, "has events after byte %d that no command of this store logged", end)
			return
		}
		hash = next
	}
}

func (c *check) checkLedgerHead(state *disk.Dir, j *journal.Journal) {
	last := j.Last()
	text, err := state.ReadIfThere(disk.Ledger, disk.MaxLedger)
	if err != nil {
		return // another finding covers the file itself
	}
	text = text[:disk.WholeLines(text)]
	switch err := store.CheckLedger(disk.Ledger, text, last.Ledger.End(), last.LedgerHead); {
	case err != nil && (int64(len(text)) < j.First().Ledger.Offset || !c.Lags()):
		c.fault(disk.Ledger, remedyRepair, "%s", strings.TrimPrefix(store.OneLine(err), disk.Ledger+": "))
	case err == nil && int64(len(text)) > last.Ledger.End():
		c.fault(disk.Ledger, remedyRepair, "has lines after byte %d that no command of this store wrote",
			last.Ledger.End())
	}
}

// checkStateFiles reports files of the state that another program replaced. It also reports an unreadable
// journal: if the files agree with the last record, no other command notices that.
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
		if want, known := story.StateFile(name); (known != (hashes[name] != journal.Hash{}) || known &&
			want.SHA256 != hashes[name]) && !isBehind(state, story, name) {
			c.fault(filepath.Base(name), "any writing command, or "+remedyRepair,
				"was changed by another program; the text in the journal counts")
		}
	}
}

// isBehind reports whether a file of the state still has its content from before an unfinished record. It is
// also true for what a power cut left of the file. The warning about the journal covers such a file.
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
