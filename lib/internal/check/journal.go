package check

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/journal"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

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
	newest, unknown := c.Newest()
	j, err := journal.Open(state, key, false)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if c.log.Size()+int64(len(c.Ledger)) > 0 {
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
	if unknown != nil {
		c.warn(journal.FileName, "", "may be older than your last change: %v", unknown)
	}
	if err := c.CheckNewest(j.Last().Number, newest); err != nil {
		c.isOlder = true
		c.fault(journal.FileName, c.ContinueCommand(), "%s", store.OneLine(err))
	}
	before := len(c.report.Faults)
	tails, err := store.ReadTails(state, j)
	c.checkTails(err)
	refused := len(c.report.Faults) > before || c.isUnreadable(disk.LogFile) || c.isUnreadable(disk.Ledger)
	isNow := j.Last().Boot == store.BootOf()
	c.checkStateFiles(state, j, isNow)
	switch {
	case refused: // the next writing command refuses them too
	case isNow && tails.Changed != "":
		c.fault(tails.Changed, remedyWrite,
			"was changed by another program; the next writing command restores it from the journal")
	case c.Lags():
		c.warn(journal.FileName, remedyWrite,
			"a change is in progress or was interrupted, or another program changed files; the next writing "+
				"command completes it")
	}
	if why := c.KeepsInside(state); why != nil {
		c.warn(store.StateSecret, "", "is in the state directory, so this store trusts all files there: %v", why)
	}
}

// checkTails finds events and tokens that no command of this store logged, and those that are missing. err is the
// error of store.ReadTails. Other findings cover unreadable files.
func (c *check) checkTails(err error) {
	unknown, corrupt := (*store.UnknownLinesError)(nil), (*fault.CorruptError)(nil)
	switch {
	case errors.As(err, &unknown):
		c.fault(unknown.Name, remedyRepair, "has lines after byte %d that no command of this store wrote",
			unknown.Offset)
	case errors.As(err, &corrupt):
		if name := filepath.Base(corrupt.File); !c.isUnreadable(name) {
			c.fault(name, remedyRepair, "%s", corrupt.Why)
		}
	case err == nil && !c.isUnreadable(disk.LogFile):
		head := c.LogHead()
		if hash, _, err := eventlog.HeadAt(c.log, head.End); head.IsProven && (err != nil || hash != head.Hash) {
			c.fault(disk.LogFile, remedyRepair, "is not the log of this store: events were lost or replaced")
		}
		if c.ledgerWhy != "" {
			c.fault(disk.Ledger, remedyRepair, "%s", c.ledgerWhy)
		}
	}
}

// checkStateFiles reports files of the state that another program replaced: those that differ from the journal,
// unless the last record replaces them or the system has restarted since. It also reports an unreadable journal: if
// the files agree with the last record, no other command notices that.
func (c *check) checkStateFiles(state *disk.Dir, j *journal.Journal, isNow bool) {
	story, err := j.Story()
	if err != nil {
		c.fault(journal.FileName, remedyRepair, "%s", store.OneLine(err))
		return
	}
	hashes, err := store.HashState(state)
	if err != nil || !isNow {
		return
	}
	for _, name := range store.StateFiles {
		want := story.StateFile(name)
		isLast := len(story.Records) > 0 && slices.ContainsFunc(story.Records[len(story.Records)-1].Put,
			func(f journal.File) bool { return f.Place == journal.State && f.File == name })
		if hash, there := hashes[name]; !isLast && (want != nil != there || there && want.SHA256 != hash) {
			c.fault(name, remedyWrite+", or "+remedyRepair,
				"was changed by another program; the text in the journal counts")
		}
	}
}
