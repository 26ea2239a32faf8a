package handoff

import (
	"context"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/store"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

// Prunable returns the handoffs that were archived at least age ago and that the operator can prune. why has the
// reasons for the other archived ones, by id.
func (s *Store) Prunable(operator string, age time.Duration) (may []Entry, why map[string]string, err error) {
	all, err := s.List(Filter{})
	if err != nil {
		return nil, nil, err
	}
	facts, err := s.gather()
	if err != nil {
		return nil, nil, err
	}
	rules := s.rules()
	may, why = facts.Prunable(all, s.opt.Now().Add(-age), s.opt.Now(), func(e Entry) string {
		if err := rules.Allow(eventlog.ActArchive, operator, e); err != nil {
			return "is not theirs: " + fault.Plain(err)
		}
		return ""
	})
	return may, why, nil
}

// Prune removes handoffs for good, in one change. Their ids are recorded first: sync does not take them again.
// Then it removes their rows, and last their files. texts has the SHA-256 of each exported text by id, and
// bundle that of the export file. A handoff that cannot be pruned now, or differs from its export, stays. outcomes
// has the reason, in the order of entries.
func (s *Store) Prune(ctx context.Context, operator string, entries []Entry,
	texts map[string]string, bundle string) (outcomes []error, err error) {
	defer func() { err = fault.Unpublished(err) }()
	if err := s.guard(); err != nil {
		return nil, err
	}
	all := make([]txn.Removal, len(entries))
	for i, e := range entries {
		all[i] = txn.Removal{SHA256: texts[e.ID], Pruned: eventlog.Pruned{Bundle: bundle, HandoffID: e.ID,
			Operator: operator, Time: s.at.Now()}}
		if all[i].SHA256 == "" {
			return nil, fault.Invalid("export it first", "%s is not exported", e.ID)
		}
	}
	return txn.Prune(ctx, s.at, all)
}

// Pruned returns the ids of all handoffs that were ever pruned here. It returns none if they cannot be read.
func (x Exchange) Pruned() map[string]bool {
	known, _ := store.InState(x.s.at, txn.ReadTombstones)
	return known.IDs
}
