package replica

import (
	"errors"
	"slices"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
)

// store imports what came, in one batch, and remembers what has to wait. What is stored already
// changes nothing, so that an exchange which is interrupted here is repeated.
func (x *syncing) store(ctx ctx, c *catch) error {
	results, err := x.importAll(ctx, c)
	if err != nil {
		return err
	}
	waiting := []heldDocument{}
	for i, r := range results {
		d := c.held.Documents[i]
		switch {
		case x.receives(r):
		case errors.As(r.Err, new(*handoff.PrunedError)): // it does not come back
		case r.Err != nil && (i < c.waited || !x.isRefused(d.Writer)) && !isHeld(waiting, d.ID) && !x.has(d.ID):
			d.Why = firstLine(r.Err)
			waiting = append(waiting, d)
			if !slices.Contains(x.got.Why, d.Why) {
				x.got.Why = append(x.got.Why, d.Why)
			}
		}
	}
	c.held.Documents, x.got.Held = waiting, len(waiting)
	if err := x.takeClaims(ctx, c); err != nil || x.DryRun {
		return err
	}
	for writer, all := range c.said {
		for _, s := range all {
			if !x.isRefused(writer) {
				c.note(writer, s)
			}
		}
	}
	before, err := loadHeld(x.out)
	if err != nil {
		return err
	}
	if err := x.takeSignatures(ctx, c); err != nil {
		return err
	}
	if err := x.takeState(ctx, c); err != nil {
		return err
	}
	if !c.held.equals(before) {
		if err := errors.Join(saveJSON(x.out, layout.SyncHeld, c.held), x.out.Sync()); err != nil { // before the refs say that it came
			return err
		}
	}
	return x.repo.setRefs(ctx, c.moves)
}

// receives counts a handoff if it is new here, and reports whether it is.
func (x *syncing) receives(r handoff.Result) bool {
	isNew := r.Err == nil && r.Receipt.Status != handoff.StatusExisting
	if isNew {
		x.got.Received = append(x.got.Received, r.Receipt)
	}
	return isNew
}

// has reports whether a document is here, by whomever it came.
func (x *syncing) has(id string) bool {
	_, err := x.Find(id)
	return err == nil
}

// isHeld reports whether a document waits.
func isHeld(waiting []heldDocument, id string) bool {
	return slices.ContainsFunc(waiting, func(d heldDocument) bool { return d.ID == id })
}

// importAll stores the documents, but for those of writers of whom one is not what it has to be.
func (x *syncing) importAll(ctx ctx, c *catch) (results []handoff.Result, err error) {
	if len(c.sources) == 0 {
		return nil, nil
	}
	choose := func(results []handoff.Result) {
		if failed := x.repo.failed.Load(); failed != nil { // here, and by nobody's fault
			for i := range results {
				results[i].Err = *failed
			}
			return
		}
		for i, r := range results {
			if i >= c.waited && r.Err != nil && !x.IsWhole(c.sources[i]) {
				x.refuse(c.held.Documents[i].Writer, firstLine(r.Err))
			}
		}
		for i := range results {
			if writer := c.held.Documents[i].Writer; i >= c.waited && x.isRefused(writer) {
				delete(c.moves, own("imported", writer))
				results[i].Err = errRefused
			}
		}
	}
	if !x.DryRun {
		results, err = x.WriteChosen(ctx, c.sources, choose)
	} else if results, err = x.TryGood(c.sources); err == nil {
		choose(results)
	}
	if failed := x.repo.failed.Load(); err == nil && failed != nil {
		err = *failed
	}
	return results, err
}

var errRefused = errors.New("its writer is refused")

// takeSignatures puts signatures beside the handoffs that are here and have none, or one that is not
// good and makes room for one that is. Those of others wait.
func (x *syncing) takeSignatures(ctx ctx, c *catch) error {
	var later []heldDocument
	var want []wanted
	var sources []handoff.Source
	before := make(map[string]string)
	for _, d := range c.held.Signatures {
		text := ""
		got, err := x.Read(d.ID)
		if got.Signature.State != "" {
			text, err = x.SignatureText(d.ID)
		}
		switch {
		case err != nil:
			later = append(later, d)
		case got.Signature.State != handoff.SignatureGood && !x.isRefused(d.Writer):
			before[d.ID], want = text, append(want, wanted{d.Blob, layout.MaxSignature})
			sources = append(sources, handoff.Source{Name: "the signature of " + d.ID, Text: got.Text, ID: d.ID, Origin: &handoff.Origin{Writer: d.Writer, Commit: d.Commit}})
		}
	}
	c.held.Signatures = later
	texts, err := x.repo.read(ctx, want)
	if err != nil || len(want) == 0 {
		return err
	}
	for i := range sources {
		sources[i].Signatures = []string{string(texts[i])}
	}
	if _, err := x.WriteGood(ctx, sources); err != nil { // what signs nothing is passed over
		return err
	}
	for id, old := range before {
		if text, err := x.SignatureText(id); err == nil && text != old {
			x.got.Signatures++
		}
	}
	return nil
}

// takeState takes over the marks and tokens of handoffs that are here, as far as they count. The others wait,
// and are looked at again once something has come, or other rules may let them count.
func (x *syncing) takeState(ctx ctx, c *catch) (err error) {
	judge := x.Judge()
	stamp := judge.Stamp()
	isStill := stamp == c.held.Rules && len(c.said) == 0 && len(c.moves) == 0 && len(x.got.Received) == 0 && !c.near
	if isStill && !slices.ContainsFunc(c.held.Pruned, x.isOld) {
		return nil
	}
	c.held.Rules = stamp
	if err := x.revive(ctx, c); err != nil {
		return err
	}
	here, err := x.known(c.held.ids())
	if err != nil {
		return err
	}
	marks := c.held.countingMarks(judge, here)
	tokens, later, err := x.countingTokens(c, judge, here)
	if err != nil {
		return err
	}
	if x.got.Marks, x.got.Tokens, err = x.TakeOver(ctx, !x.asOwn, marks, tokens); err != nil {
		return err
	}
	c.held.Tokens = later
	return x.bury(ctx, c)
}

// ids returns the handoffs of the marks and tokens that wait.
func (h *held) ids() (ids []string) {
	for id := range h.Marks {
		ids = append(ids, id)
	}
	for _, t := range h.Tokens {
		ids = append(ids, t.HandoffID)
	}
	return ids
}

// countingMarks removes from what waits the marks that count, and returns them.
func (h *held) countingMarks(judge handoff.Judge, here map[string]handoff.Entry) map[string][]handoff.Mark {
	marks := make(map[string][]handoff.Mark)
	for id, list := range h.Marks {
		var later []mark
		for _, m := range list {
			one := handoff.Mark{Operator: m.Operator, Time: m.Time}
			if here[id].ID == "" || judge.Mark(one) != nil {
				later = append(later, m)
			} else {
				marks[id] = append(marks[id], one)
			}
		}
		if h.Marks[id] = later; len(later) == 0 {
			delete(h.Marks, id)
		}
	}
	return marks
}

// lines are those of a ledger.
type lines = []handoff.Consumption

// countingTokens returns the tokens that count, and those that wait.
func (x *syncing) countingTokens(c *catch, judge handoff.Judge, here map[string]handoff.Entry) (
	tokens, later lines, err error) {
	tokens, later = lines{}, lines{}
	if len(c.held.Tokens) == 0 {
		return tokens, later, nil
	}
	have, err := x.ledger()
	for _, t := range c.held.Tokens {
		e := here[t.HandoffID]
		p := c.past[t.HandoffID]
		turns := p != nil && p.stays && isArchiving(t) // which a later tombstone, or return, is told by
		switch _, has := have[t.Token]; {
		case has:
		case turns, t.Act().IsNote(), e.ID != "" && judge.Consumption(t, e) == nil: // a note is our own, or of a neighbour
			tokens = append(tokens, t)
		default:
			later = append(later, t)
		}
	}
	return tokens, later, err
}
