package txn

import (
	"errors"

	"github.com/seed-78daf238/handoff/lib/internal/journal"
	"github.com/seed-78daf238/handoff/lib/internal/parallel"
)

// syncers is the number of files that are synced in parallel: the disk commits waiting files together.
const syncers = 16

// syncAll syncs files. It skips a missing file, which was removed since.
func (x *Session) syncAll(names []journal.Name) error {
	errs := make([]error, len(names))
	parallel.Each(len(names), min(syncers, max(1, len(names)/syncers)), func(i int) {
		d, done, err := x.dirOf(names[i])
		if err == nil {
			err = d.SyncFile(names[i].File)
		}
		done()
		errs[i] = err
	})
	return errors.Join(errs...)
}
