package exchange

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
)

// Once returns the function for handoff.Options.Once. If several clones want the same ledger line, the remote grants
// it to one of them. Once holds the lock of sync.git until do returns. A sync or another process of this replica
// therefore sees both the claim and its ledger line, or neither. A process killed here keeps its claim: a retry or
// the next sync completes it.
//
// If do is nil, nothing is claimed. With lines, the logs of others are received, as by a sync that sends nothing.
//
// Several lines are granted together or not at all. If another clone was first, the error is a *handoff.LostError,
// and its claims are in the ledger of this store. Other errors are those of Sync. If the network or the remote
// failed, the hint explains --offline.
func Once(o Options) handoff.Once {
	return func(ctx context.Context, s *handoff.Store, want lines, do func(lines) error) error {
		if do == nil && len(want) > 0 {
			o.FetchOnly = true
			got, err := Sync(ctx, s, o)
			if len(got.Refused) > 0 && errors.Is(err, fault.ErrIntegrity) { // a sync reports that
				return nil
			}
			return hintOffline(err)
		}
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
		if r.settleTries(tries) == nil { // otherwise the next sync does it
			r.carrier.tell(ctx, tries)
		}
		return nil
	}
}

// claim claims all wanted lines, and returns the granted claims.
func (r *remote) claim(ctx ctx, want lines) (tries []try, err error) {
	if r.writer, err = r.Exchange().Writer(); err != nil {
		return nil, err
	}
	if err = r.open(ctx); err != nil {
		return nil, hintOffline(err)
	}
	blames := func(err error) bool {
		return errors.Is(err, fault.ErrIntegrity) && !errors.As(err, new(*handoff.LostError))
	}
	err = r.withRetry(ctx, blames, func() (err error) {
		tries, err = r.request(ctx, want)
		return err
	})
	if err == nil {
		err = r.pin()
	}
	if r.writers != nil {
		err = errors.Join(err, r.saveRefused())
	}
	return tries, hintOffline(err)
}

// rounds is how often the remote is asked if it refuses claims that no clone has.
const rounds = 4

// request asks the remote for claims. Without wanted lines it only reads the claims of other clones.
func (r *remote) request(ctx ctx, want lines) (tries []try, err error) {
	r.isAsking = true
	if len(want) == 0 {
		return nil, r.checkLost(ctx, nil)
	}
	if want, err = r.withPending(want); err == nil {
		tries, err = r.makeTries(want)
	}
	if err == nil {
		err = r.known.keepTries(tries)
	}
	for n := 1; err == nil; n++ {
		in, words, err := r.carrier.putClaims(ctx, tries, true)
		if err != nil || !slices.ContainsFunc(tries, func(t try) bool { return !in[t.name] }) {
			return tries, err
		}
		if err := r.checkLost(ctx, tries); err != nil {
			return nil, err
		}
		if n == rounds { // no clone has it, and the competing clones gave up too
			return nil, r.refusedError(tries[0], words)
		}
		time.Sleep(time.Duration(n) * rand.N(50*time.Millisecond))
	}
	return nil, err
}

// withPending returns the unclaimed offline actions on the same handoffs, followed by the wanted lines. If one of the
// offline actions was lost to another clone, no claim can build on it.
func (r *remote) withPending(want lines) (lines, error) {
	ids := make([]string, len(want))
	for i, w := range want {
		ids[i] = w.HandoffID
	}
	have, err := r.ledger(ids...)
	if err != nil {
		return nil, err
	}
	return append(unclaimed(have, func(name string) bool { return r.known.of(name).text != nil }), want...), nil
}

// checkLost returns a *handoff.LostError if another clone has claimed one of the tries. It adds the claims of other
// clones to the ledger. A claim that conflicts with an offline action stays unknown, so that the next sync reports
// it.
func (r *remote) checkLost(ctx ctx, tries []try) (err error) {
	if r.holdsClaims && len(tries) > 0 { // the claim itself may tell enough
		if err = r.judgeLost(ctx, tries); !errors.Is(err, fault.ErrIntegrity) {
			return err
		}
	}
	return r.carrier.relist(ctx, func() error { return r.judgeLost(ctx, tries) })
}

// judgeLost is checkLost with the claims that are listed.
func (r *remote) judgeLost(ctx ctx, tries []try) (err error) {
	names := r.newClaims()
	for _, t := range tries {
		if r.claims[t.name] != "" && !slices.Contains(names, t.name) {
			names = append(names, t.name)
		}
	}
	all, _, err := r.readClaimsNamed(ctx, names)
	if err != nil {
		return err
	}
	claims, byName := make(map[string]knownClaim), make(map[string]remoteClaim)
	var came handoff.Received
	for _, h := range all {
		byName[h.name] = h
		if h.isBad && r.replaced[h.name] == "" { // a sync reports it
			delete(r.denials, h.name)
		}
		to := &came.Acts
		if h.asked {
			to = &came.Own
		}
		if *to = append(*to, h.lines...); h.why == "" && h.lost.Token == "" {
			claims[h.name] = knownClaim{h.text, r.claims[h.name]}
		}
	}
	if _, _, err = r.Exchange().TakeOver(ctx, true, came); err != nil {
		return err
	}
	for _, t := range tries {
		switch h, is := byName[t.name]; {
		case !is, r.denials[t.name].Void: // our claim replaces it
		case h.isBad:
			return badClaim(t.name, h.why)
		case h.why != "" && h.why != isAbsent: // the next granted claim may be the first
			return badClaim(t.name, "it does not count here: "+h.why)
		case h.Nonce != t.Nonce:
			return errors.Join(&eventlog.LostError{By: h.Claim}, r.known.learn(claims), r.known.dropTries(tries))
		}
	}
	return r.known.learn(claims)
}

// badClaim returns the error for a ref of the remote that is not a claim. It blocks the claim, because the real claim
// may have won.
func badClaim(name, why string) error {
	return fault.Integrity("ask who looks after the remote to remove it",
		"the remote has no claim in claims/%s: %s", name, why)
}

// hintOffline adds --offline to the hint of an error of the network or the remote.
func hintOffline(err error) error {
	isOther := errors.Is(err, fault.ErrIntegrity) || errors.Is(err, fault.ErrBusy)
	if err == nil || isOther || errors.As(err, new(*handoff.LostError)) {
		return err
	}
	var class error
	if errors.Is(err, fault.ErrConfig) {
		class = fault.ErrConfig
	}
	advice := "--offline goes ahead, and the next sync reports conflicts"
	if e, is := errors.AsType[*fault.Error](err); is && e.Advice != "" {
		advice = e.Advice + "; " + advice
	}
	return fault.New(class, advice, "nothing was done, since another clone may have been first: %s",
		err.Error()) // its hint is included above
}
