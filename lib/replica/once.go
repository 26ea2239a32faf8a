package replica

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/claim"
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
	return func(ctx context.Context, s *handoff.Store, want []handoff.Consumption, do func([]handoff.Consumption) error) (err error) {
		x := &syncing{Options: o, Store: s}
		if x.Now == nil {
			x.Now = time.Now
		}
		defer x.close()
		tries, err := x.claim(ctx, want)
		if err != nil || len(want) == 0 {
			return err
		}
		claimed := make([]handoff.Consumption, len(tries))
		for i, t := range tries {
			claimed[i] = t.Consumption
		}
		if err := do(claimed); err != nil {
			return err
		}
		_ = x.settleTries(ctx, tries) // the next sync does it
		return nil
	}
}

// claim returns what was let in, which is all of it.
func (x *syncing) claim(ctx ctx, want []handoff.Consumption) (tries []try, err error) {
	if x.writer, err = x.Writer(); err != nil {
		return nil, err
	}
	if err = x.open(ctx); err == nil {
		tries, err = x.ask(ctx, want)
		blames := errors.Is(err, fault.ErrIntegrity) && !errors.As(err, new(*handoff.LostError))
		if again, ourErr := x.repo.isOurFault(ctx, err, blames); again && ourErr == nil {
			tries, err = x.ask(ctx, want)
		} else {
			err = ourErr
		}
	}
	if err == nil {
		err = x.pin()
	}
	if x.remote != nil {
		err = errors.Join(err, x.saveRefused())
	}
	return tries, orOffline(err)
}

// ask has the remote let claims in. Who wants none hears what others have claimed.
func (x *syncing) ask(ctx ctx, want []handoff.Consumption) (tries []try, err error) {
	if len(want) == 0 {
		return nil, x.lose(ctx, nil)
	}
	if want, err = x.withPending(ctx, want); err == nil {
		tries, err = x.makeTries(ctx, want)
	}
	for n := 1; err == nil; n++ {
		in, words, err := x.pushTries(ctx, tries, true)
		if err != nil || areAllIn(tries, in) {
			return tries, err
		}
		if err := x.lose(ctx, tries); err != nil {
			return nil, err
		}
		if n == rounds { // nobody has it, and who asked at the same time has given up too
			return nil, x.noEntry(tries[0], words)
		}
		time.Sleep(time.Duration(n) * rand.N(50*time.Millisecond))
	}
	return nil, err
}

// withPending puts the acts that were done here offline with the same handoffs, and that nobody has claimed yet, before
// the wanted ones. If one of them was lost to another clone, nothing may be built on it.
func (x *syncing) withPending(ctx ctx, want []handoff.Consumption) ([]handoff.Consumption, error) {
	have, err := x.ledger()
	if err != nil {
		return nil, err
	}
	of := make(map[string]bool)
	for _, c := range want {
		of[c.HandoffID] = true
	}
	maps.DeleteFunc(have, func(_ string, c handoff.Consumption) bool { return !of[c.HandoffID] })
	below := []string{"refs/handoff/tries"}
	for key := range have {
		below = append(below, ownClaim(claim.Name(key)))
	}
	if x.refs, err = x.repo.refsBelow(ctx, below...); err != nil {
		return nil, err
	}
	return append(unclaimed(have, func(name string) bool { return x.refs[ownClaim(name)] != "" }), want...), nil
}

// rounds is how often the remote is asked where claims are refused that nobody has.
const rounds = 4

// lose returns a *handoff.LostError if one of the tries is claimed by somebody else, with what others
// have claimed in the ledger.
func (x *syncing) lose(ctx ctx, tries []try) error {
	if err := x.listRemote(ctx); err != nil {
		return err
	}
	known, err := x.repo.refsBelow(ctx, "refs/handoff/claims")
	if err != nil {
		return err
	}
	x.refs = known
	names := x.newClaims(nil)
	for _, t := range tries {
		if _, is := x.claims[t.name]; is && !slices.Contains(names, t.name) {
			names = append(names, t.name)
		}
	}
	h, err := x.hear(ctx, names)
	if err != nil {
		return err
	}
	for _, t := range tries {
		if x.refused.Claims[t.name].Void { // it is replaced
			continue
		}
		if why := h.bad[t.name]; why != nil {
			return badClaim(t.name, why)
		}
		if c, is := h.found[t.name]; is && c.Nonce != t.Nonce {
			for _, t := range tries {
				h.moves[t.ref] = ""
			}
			return errors.Join(&claim.LostError{By: c}, x.repo.setRefs(ctx, h.moves))
		}
	}
	return x.repo.setRefs(ctx, h.moves)
}

// heard is what others have claimed: what can be read, why some of it does not count, and the refs to move.
type heard struct {
	found map[string]claim.Claim
	bad   map[string]error
	moves map[string]string
}

// hear puts what others have claimed into the ledger, as far as it counts. Where this store has done the same
// without asking, the next exchange says so, and so does not know the claim yet.
func (x *syncing) hear(ctx ctx, names []string) (h heard, err error) {
	h = heard{make(map[string]claim.Claim), make(map[string]error), make(map[string]string)}
	if len(names) == 0 {
		return h, nil
	}
	b, err := x.openBench()
	if err != nil {
		return h, err
	}
	isMoved := func(name string) bool {
		was := x.refs[ownClaim(name)]
		return was != "" && was != x.claims[name]
	}
	all, bad, err := x.judgeClaims(ctx, b, slices.DeleteFunc(slices.Clone(names), isMoved))
	if err != nil {
		return h, err
	}
	maps.Copy(h.bad, bad)
	for name := range bad { // which is for a sync to say
		delete(x.refused.Claims, name)
	}
	for _, name := range names {
		if isMoved(name) {
			h.bad[name] = errors.New("it was another one, and was moved")
		}
	}
	var lines []handoff.Consumption
	for _, c := range all {
		switch h.found[c.name] = c.Claim; c.why {
		case "":
			more, lost := settle(b.have, c.Claim)
			if lines = append(lines, more...); lost.Token == "" {
				h.moves[ownClaim(c.name)] = x.claims[c.name]
			}
		case isAbsent: // whoever the remote lets in may be the first
		default:
			h.bad[c.name] = errors.New("it does not count here: " + c.why)
		}
	}
	_, _, err = x.TakeOver(ctx, true, nil, lines)
	return h, err
}

// noEntry says that the remote does not let a claim in that nobody has.
func (x *syncing) noEntry(t try, words string) error {
	return fault.New(fault.ErrConfig, "ask who looks after the remote", "the remote refuses %s: %s", x.claimAt(t.name), words)
}

// badClaim says that a ref of the remote is no claim. It lets nobody in: whoever put it there might have
// won.
func badClaim(name string, why error) error {
	return fault.New(fault.ErrIntegrity, "ask who looks after the remote to remove it", "the remote has no claim in claims/%s: %v", name, why)
}

// orOffline says in the hint of an error that is of the network or the remote how to do without them.
func orOffline(err error) error {
	if err == nil || errors.Is(err, fault.ErrIntegrity) || errors.Is(err, fault.ErrBusy) || errors.As(err, new(*handoff.LostError)) {
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
	return fault.New(class, advice, "nothing was done, since nobody knows whether it was done elsewhere: %s", err.Error()) // whose hint is in this one
}
