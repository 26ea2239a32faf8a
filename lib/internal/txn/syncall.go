package txn

import (
	"errors"
	"slices"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/journal"
	"github.com/seed-78daf238/handoff/lib/internal/parallel"
)

// syncers is the number of files that are synced in parallel: the disk commits waiting files together.
const syncers = 16

// syncAll syncs files, the audit log, the ledger and INDEX.md, and then the directories. It skips a missing file,
// which was removed since.
func (x *Session) syncAll(names []journal.Name) error {
	names = append(names, journal.Name{Place: journal.State, File: disk.LogFile},
		journal.Name{Place: journal.State, File: disk.Ledger},
		journal.Name{Place: journal.Handoffs, File: disk.IndexFile})
	errs := make([]error, len(names))
	parallel.Each(len(names), min(syncers, max(1, len(names)/syncers)), func(i int) {
		d, done, err := x.dirOf(names[i])
		if err == nil {
			err = d.SyncFile(names[i].File)
		}
		done()
		errs[i] = err
	})
	if slices.ContainsFunc(names, func(n journal.Name) bool { return n.Place == journal.Signatures }) {
		d, done, err := x.dirOf(journal.Name{Place: journal.Signatures})
		if err == nil {
			err = d.Sync()
		}
		done()
		errs = append(errs, err)
	}
	return errors.Join(append(errs, x.Dir.Sync(), x.State.Sync())...)
}
