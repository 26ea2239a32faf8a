package exchange

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
)

// Once returns what handoff.Options.Once takes: of all that want the same line of the ledger, in
// whatever clone, the remote lets in one. It holds the lock of sync.git until do has ended, so that a
// sync or another process of this replica sees both the claim and its line in the ledger, or neither.
// Who is killed in between has the claim: the same operator of this replica gets it again, and sync
// puts its line into the ledger.
//
// Several lines are let in together or not at all. Who is not the first gets a *handoff.LostError, and
// what the others have claimed is in the ledger of this store. The other errors are those of Sync; the
// hint of one that is of the network or the remote says how to do without.
func Once(o Options) handoff.Once {
	return func(ctx context.Context, s *handoff.Store, want lines, do func(lines) error) error {
		r := newRemote(s, o)
		defer r.close()
		tries, err := r.claim(ctx, want)
		if err != nil || len(want) == 0 {
			return err
		}
		claimed := make(lines, len(tries))
		for i, t := range tries {
			claimed[i] = t.Consumption
		}
		if err := do(claimed); err != nil {
			return err
		}
		_ = r.settleTries(ctx, tries) // the next sync does it
		return nil
	}
}

// claim returns what was let in, which is all of it.
func (r *remote) claim(ctx ctx, want lines) (tries []try, err error) {
	if r.writer, err = r.Exchange().Writer(); err != nil {
		return nil, err
	}
	if err = r.open(ctx); err != nil {
		return nil, orOffline(err)
	}
	blames := func(err error) bool {
		return errors.Is(err, fault.ErrIntegrity) && !errors.As(err, new(*handoff.LostError))
	}
	err = r.patiently(ctx, blames, func() (err error) {
		tries, err = r.request(ctx, want)
		return err
	})
	if err == nil {
		err = r.pin()
	}
	if r.writers != nil {
		err = errors.Join(err, r.saveRefused())
	}
	return tries, orOffline(err)
}

// rounds is how often the remote is asked where claims are refused that nobody has.
const rounds = 4

// request has the remote let claims in. Who wants none hears what others have claimed.
func (r *remote) request(ctx ctx, want lines) (tries []try, err error) {
	if len(want) == 0 {
		return nil, r.lose(ctx, nil)
	}
	if want, err = r.withPending(ctx, want); err == nil {
		tries, err = r.makeTries(ctx, want)
	}
	for n := 1; err == nil; n++ {
		in, words, err := r.pushTries(ctx, tries, true)
		if err != nil || !slices.ContainsFunc(tries, func(t try) bool { return !in[t.name] }) {
			return tries, err
		}
		if err := r.lose(ctx, tries); err != nil {
			return nil, err
		}
		if n == rounds { // nobody has it, and who asked at the same time has given up too
			return nil, r.noEntry(tries[0], words)
		}
		time.Sleep(time.Duration(n) * rand.N(50*time.Millisecond))
	}
	return nil, err
}

// withPending puts the acts that were done here offline with the same handoffs, and that nobody has claimed yet, before
// the wanted ones. If one of them was lost to another clone, nothing may be built on it.
func (r *remote) withPending(ctx ctx, want lines) (lines, error) {
	have, err := r.ledger()
	if err != nil {
		return nil, err
	}
	isOther := func(_ string, c handoff.Consumption) bool {
		return !slices.ContainsFunc(want, func(w handoff.Consumption) bool { return w.HandoffID == c.HandoffID })
	}
	maps.DeleteFunc(have, isOther)
	below := []string{"refs/handoff/tries"}
	for key := range have {
		below = append(below, ownClaim(eventlog.ClaimName(key)))
	}
	if r.refs, err = r.repo.refsBelow(ctx, below...); err != nil {
		return nil, err
	}
	return append(unclaimed(have, func(name string) bool { return r.refs[ownClaim(name)] != "" }), want...), nil
}

// lose returns a *handoff.LostError if one of the tries is claimed by somebody else, with what others
// have claimed in the ledger. Where this store has done the same without asking, the next exchange says so, and so
// does not know the claim yet.
func (r *remote) lose(ctx ctx, tries []try) (err error) {
	if err = r.list(ctx); err != nil {
		return err
	}
	if r.refs, err = r.repo.refsBelow(ctx, "refs/handoff/claims"); err != nil {
		return err
	}
	names := r.newClaims(nil)
	for _, t := range tries {
		if r.claims[t.name] != "" && !slices.Contains(names, t.name) {
			names = append(names, t.name)
		}
	}
	all, _, err := r.hear(ctx, names)
	if err != nil {
		return err
	}
	moves, byName := make(map[string]string), make(map[string]heard)
	var lines lines
	for _, h := range all {
		byName[h.name] = h
		if h.isBad { // which is for a sync to say
			delete(r.denials.Claims, h.name)
		}
		if lines = append(lines, h.lines...); h.why == "" && h.lost.Token == "" {
			moves[ownClaim(h.name)] = r.claims[h.name]
		}
	}
	if _, _, err = r.Exchange().TakeOver(ctx, true, handoff.Came{Acts: lines}); err != nil {
		return err
	}
	for _, t := range tries {
		switch h, is := byName[t.name]; {
		case !is, r.denials.Claims[t.name].Void: // it is replaced
		case h.isBad:
			return badClaim(t.name, h.why)
		case h.why != "" && h.why != isAbsent: // whoever is let in may be the first
			return badClaim(t.name, "it does not count here: "+h.why)
		case h.Nonce != t.Nonce:
			for _, t := range tries {
				moves[t.ref] = ""
			}
			return errors.Join(&eventlog.LostError{By: h.Claim}, r.repo.setRefs(ctx, moves))
		}
	}
	return r.repo.setRefs(ctx, moves)
}

// badClaim says that a ref of the remote is no claim. It lets nobody in: whoever put it there might have
// won.
func badClaim(name, why string) error {
	return fault.New(fault.ErrIntegrity, "ask who looks after the remote to remove it",
		"the remote has no claim in claims/%s: %s", name, why)
}

// orOffline says in the hint of an error that is of the network or the remote how to do without them.
func orOffline(err error) error {
	isOther := errors.Is(err, fault.ErrIntegrity) || errors.Is(err, fault.ErrBusy)
	if err == nil || isOther || errors.As(err, new(*handoff.LostError)) {
		return err
	}
	var class error
	if errors.Is(err, fault.ErrConfig) {
		class = fault.ErrConfig
	}
	advice := "with --offline it is done here all the same, and the next sync says if somebody else was the first"
	if e := (*fault.Error)(nil); errors.As(err, &e) && e.Advice != "" {
		advice = e.Advice + "; " + advice
	}
	return fault.New(class, advice, "nothing was done, since nobody knows whether it was done elsewhere: %s",
		err.Error()) // whose hint is in this one
}
