package txn

import (
	"errors"

	"github.com/seed-78daf238/handoff/lib/internal/journal"
	"github.com/seed-78daf238/handoff/lib/internal/parallel"
)

// syncers is how many files are synced side by side: the disk commits what waits together.
const syncers = 16

// syncAll syncs files. One that is not there was removed by somebody else since.
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
