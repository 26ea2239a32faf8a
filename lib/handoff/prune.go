package handoff

import (
	"context"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/trust"

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
		if err := rules.Allow(trust.ActPrune, operator, e); err != nil {
			return "is not theirs: " + fault.Plain(err)
		}
		return ""
	})
	return may, why, nil
}

// Prune removes handoffs for good, in one change. Their tombstones are written first and keep them from being stored
// again. Then it removes their rows, and last their files. texts has the SHA-256 of each exported text by id, and
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
		all[i] = txn.Removal{SHA256: texts[e.ID], Pruned: Tombstone{Bundle: bundle, HandoffID: e.ID, Operator: operator,
			Time: s.at.Now()}}
		if all[i].SHA256 == "" {
			return nil, fault.Invalid("export it first", "%s is not exported", e.ID)
		}
	}
	return txn.Prune(ctx, s.at, all, txn.CheckPrunable)
}

// Bury adds the tombstones of another store. A handoff is removed, and counted in gone, if it is archived here too
// and can be pruned. Otherwise it stays, and its tombstone is returned in waiting.
func (x Exchange) Bury(ctx context.Context, all []Tombstone) (gone int, waiting []Tombstone, err error) {
	defer func() { err = fault.Unpublished(err) }()
	if len(all) == 0 {
		return 0, nil, nil
	}
	burials, ids := make([]txn.Removal, len(all)), make([]string, len(all))
	for i, t := range all {
		burials[i].Pruned, ids[i] = t, t.HandoffID
	}
	rows, err := x.Here(ids)
	if err != nil {
		return 0, nil, err
	}
	facts, now := x.s.life(), x.s.opt.Now()
	outcomes, err := txn.Prune(ctx, x.s.at, burials, func(row index.Row, l eventlog.Life) error {
		if why := facts.WhyKept(rows[row.ID], now, now); rows[row.ID].ID != "" && why != "" {
			return fault.Invalid("", "%s %s", row.ID, why)
		}
		return txn.CheckPrunable(row, l)
	})
	for i, refused := range outcomes {
		if id := all[i].HandoffID; refused != nil {
			waiting = append(waiting, all[i])
		} else if rows[id].ID != "" {
			gone++
		}
	}
	return gone, waiting, err
}

// Pruned returns the ids of all handoffs that were ever pruned here. It returns none if they cannot be read.
func (x Exchange) Pruned() map[string]bool {
	known, _ := store.InState(x.s.at, txn.ReadTombstones)
	return known.IDs
}
