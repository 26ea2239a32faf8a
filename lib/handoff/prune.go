package handoff

import (
	"bytes"
	"cmp"
	"context"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
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
	look, err := s.look(false)
	if err != nil {
		return nil, err
	}
	rules, ids := s.at.Rules(), []string(nil)
	may := func(v facts.View, h *facts.Handoff) bool {
		l := v.Life(h)
		return l.IsArchived && !l.ArchivedAt.After(v.Now.Add(-age)) && (l.Holder == nil || l.End != nil) &&
			rules.MayArchive(operator, h.From, h.To) == nil
	}
	for _, h := range look.Listed() {
		if may(look.View, h) {
			pruned, ids = append(pruned, entry(look.View, h)), append(ids, h.ID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	var text bytes.Buffer
	if _, err = s.Export(&text, ids, true); err == nil {
		err = save(text.Bytes())
	}
	if err != nil {
		return nil, err
	}
	return pruned, s.at.Change(ctx, func(c *store.Change) error {
		var all []*facts.Handoff
		for _, id := range ids {
			h := c.Of(id)
			if h == nil || !may(c.View, h) {
				return fault.Busy("run the same command again", "%s has changed meanwhile", id)
			}
			all = append(all, h)
		}
		c.Prune(all, operator)
		return nil
	})
}
