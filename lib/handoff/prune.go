package handoff

import (
	"bytes"
	"cmp"
	"context"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/facts"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// Prune removes the documents of handoffs that were archived at least a time ago and that nobody holds, from this store
// alone. Before, save gets a bundle with them and what happened to them, and must make it durable. A sync does not
// bring them back; Import of the bundle does, and so does writing a document again. Those that the operator may not
// archive stay. Errors are those of Act, Export and save.
func (s *Store) Prune(ctx context.Context, operator string, age time.Duration, save func(bundle []byte) error) (
	pruned []Entry, err error) {
	if err := cmp.Or(s.Maintenance().Ready(), checkOperator(operator)); err != nil {
		return nil, err
	}
	rules := s.at.Rules()
	err = s.at.Change(ctx, func(c *store.Change) error {
		var all []*facts.Handoff
		for _, h := range c.All() {
			l := c.Life(h)
			if !h.Lost && l.IsArchived && !l.ArchivedAt.After(c.Now.Add(-age)) && !l.IsHeld() &&
				rules.MayArchive(operator, h.From, h.To) == nil {
				all, pruned = append(all, h), append(pruned, entry(c.View, h))
			}
		}
		if len(all) == 0 {
			return nil
		}
		var text bytes.Buffer
		_, err := s.Export(&text, idsOf(pruned), true)
		if err == nil {
			err = save(text.Bytes())
		}
		if err == nil {
			c.Prune(all, operator)
		}
		return err
	})
	return pruned, err
}
