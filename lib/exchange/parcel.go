package exchange

import (
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// A Parcel has handoffs, marks and ledger lines that came without an exchange, such as in a bundle.
type Parcel struct {
	Sources []handoff.Source // each with its required id
	Marks   map[string][]handoff.Mark
	Acts    []handoff.Consumption

	DryRun bool // store nothing
}

// Unpack adds a parcel to a store, with the checks of an exchange. It returns the result of each handoff, in order,
// and the numbers of new read marks and ledger lines.
// Errors are those of handoff.Store.Write and TakeOver.
func Unpack(ctx ctx, s *handoff.Store, p Parcel) (results []handoff.Result, marks, acts int, err error) {
	x := newExchange(s, Options{DryRun: p.DryRun})
	x.peer, x.publishes = &unpacking{Parcel: p}, true
	defer x.close()
	if x.state, err = s.Exchange().State(); err == nil {
		err = x.take(ctx)
	}
	return x.peer.(*unpacking).results, x.got.Marks, x.got.Tokens, err
}

// An unpacking is a parcel as a peer.
type unpacking struct {
	Parcel
	results []handoff.Result
}

// collect adds the whole parcel.
func (u *unpacking) collect(_ ctx, c *intake) error {
	c.isWhole = true
	c.sources = u.Sources
	for id, marks := range u.Marks {
		for _, m := range marks {
			c.held.addEffect(markOf(id, m.Operator, m.Time))
		}
	}
	c.held.addLines(u.Acts, false)
	return nil
}

// choose makes a dry run fail if the parcel would fail.
func (u *unpacking) choose(_ *intake, results []handoff.Result) error {
	u.results = results
	return handoff.Faults(results)
}

// extend does nothing: all is stored.
func (u *unpacking) extend(ctx, *intake) error { return nil }

// keep does nothing.
func (u *unpacking) keep(ctx, *intake) error { return nil }
