package exchange

import (
	"slices"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// A Parcel is what came by another way than an exchange, such as a bundle: handoffs, and what was done with them.
type Parcel struct {
	Sources []handoff.Source // each with the id that it has to have
	Marks   map[string][]handoff.Mark
	Acts    []handoff.Consumption

	KeepGoing bool // store those of the handoffs that can be stored; else all or none
	DryRun    bool // store nothing
}

// Unpack takes over a parcel as what peers have: it says what became of each handoff, in their order, and how many read
// marks and lines of the ledger are new. What was done with a handoff that is not stored is left out. Its errors are
// those of handoff.Store.Write and TakeOver.
func Unpack(ctx ctx, s *handoff.Store, p Parcel) (results []handoff.Result, marks, acts int, err error) {
	x := newExchange(s, Options{DryRun: p.DryRun})
	x.peer, x.asOwn = &unpacking{Parcel: p}, true
	defer x.close()
	if x.state, err = s.Exchange().State(); err == nil {
		err = x.take(ctx)
	}
	return x.peer.(*unpacking).results, x.got.Marks, x.got.Tokens, err
}

// An unpacking is the peer that is a parcel.
type unpacking struct {
	Parcel
	results []handoff.Result
}

// tell adds all of the parcel.
func (u *unpacking) tell(_ ctx, c *catch) error {
	c.isWhole = !u.KeepGoing
	for _, source := range u.Sources {
		c.add(heldDocument{ID: source.ID}, source)
	}
	for id, marks := range u.Marks {
		for _, m := range marks {
			c.held.tell(markOf(id, m.Operator, m.Time))
		}
	}
	c.held.tellLines(u.Acts)
	return nil
}

// choose has a dry run fail where the parcel would.
func (u *unpacking) choose(_ *catch, results []handoff.Result) error {
	if u.results = results; u.KeepGoing {
		return nil
	}
	return handoff.Faults(results)
}

// extend leaves out what was done with handoffs that are not stored.
func (u *unpacking) extend(_ ctx, c *catch) error {
	refused := make(map[string]bool)
	for i, r := range u.results {
		refused[u.Sources[i].ID] = r.Err != nil
	}
	c.held.Told = slices.DeleteFunc(c.held.Told, func(e effect) bool { return refused[e.HandoffID] })
	return nil
}

// again has nothing: what was pruned here is not brought back by a file.
func (u *unpacking) again(ctx, map[string]*past) ([]handoff.Source, error) { return nil, nil }

// keep has nothing to remember.
func (u *unpacking) keep(ctx, *catch) error { return nil }
