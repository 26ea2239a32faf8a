package replica

import (
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/claim"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
)

// takeClaims adds the lines of new claims to what is to be taken over, and finds out which of them
// somebody here was not the first to have. A claim that was moved does not count, nor does what is
// none.
func (x *syncing) takeClaims(ctx ctx, c *catch) error {
	var news []string
	for name, commit := range x.claims {
		if x.refs[ownClaim(name)] != commit {
			news = append(news, name)
		}
	}
	slices.Sort(news)
	found, bad, err := x.fetchClaims(ctx, news)
	if err != nil || len(news) == 0 {
		return err
	}
	have, err := x.ledger()
	if err != nil {
		return err
	}
	known, err := x.knownClaims(ctx, news)
	if err != nil {
		return err
	}
	for _, name := range news {
		if why := bad[name]; why != nil {
			x.got.Refused = append(x.got.Refused, Refusal{Claim: name, Why: why.Error()})
			continue
		}
		first := found[name]
		here, has := have[first.Token]
		before, was := known[name]
		if was && !isSame(before.Consumption, first.Consumption) {
			x.got.Refused = append(x.got.Refused, Refusal{Claim: name, Why: "it was that of " + before.Operator + " at " + before.Time + ", and was moved"})
			continue
		}
		c.moves[ownClaim(name)] = x.claims[name]
		switch {
		case !has:
			c.held.Tokens = append(c.held.Tokens, first.Consumption)
		case !was && !isSame(here, first.Consumption):
			isOwn, err := x.isOwn(here)
			if err != nil {
				return err
			}
			if isOwn {
				x.lost(c, here, first)
			}
		}
	}
	return nil
}

// isSame reports whether two claims of one token are of the same deed, whoever has sent them to the remote.
func isSame(a, b handoff.Consumption) bool {
	return a.Operator == b.Operator && a.Time == b.Time && a.HandoffID == b.HandoffID
}

// knownClaims returns by their names the claims that were taken over before, as they were then.
func (x *syncing) knownClaims(ctx ctx, names []string) (map[string]claim.Claim, error) {
	want, known := make([]wanted, len(names)), make(map[string]claim.Claim)
	for i, name := range names {
		want[i] = wanted{x.refs[ownClaim(name)] + ":" + claim.File, claim.MaxFile}
	}
	texts, err := x.repo.read(ctx, want)
	for i, name := range names {
		if c, bad := claim.Parse(name, texts[i]); bad == nil {
			known[name] = c
		}
	}
	return known, err
}

// isOwn reports whether a line of the ledger is of this replica, and not from others, who have to hear
// themselves that they were not the first. It may be of a moment ago: what no event says yet is.
func (x *syncing) isOwn(line handoff.Consumption) (is bool, err error) {
	log, done, err := eventlog.Open(x.state)
	if err != nil {
		return false, err
	}
	defer done()
	for _, event := range eventLines(log, 0, log.Size()) {
		if key, ok := eventlog.ResumeKey(event); ok && string(key) == line.Token {
			return !parse(eventlog.ParseEvent(eventlog.Line{Text: event})).Synced, nil
		}
	}
	return true, nil
}

// lost says that a line of this replica was not the first, and has the ledger say whose the handoff is.
func (x *syncing) lost(c *catch, here handoff.Consumption, first claim.Claim) {
	_, act, n, isAct := eventlog.ParseKey(here.Token)
	if !isAct || act == eventlog.ActTake { // who resumes has taken it
		c.held.Tokens = append(c.held.Tokens, handoff.Consumption{Token: eventlog.ActYield.Key(here.HandoffID, n), HandoffID: here.HandoffID,
			Operator: first.Operator, Session: first.Session, Time: first.Time})
	}
	isSaid := slices.ContainsFunc(x.got.Lost, func(l Lost) bool {
		return l.Here.HandoffID == here.HandoffID && l.Here.Operator == here.Operator && l.First.Operator == first.Operator
	})
	if !isSaid {
		x.got.Lost = append(x.got.Lost, Lost{here, first.Consumption, first.Writer})
	}
}

// ledger returns the lines of the ledger by their keys.
func (x *syncing) ledger() (map[string]handoff.Consumption, error) {
	all, err := x.Consumptions()
	lines := make(map[string]handoff.Consumption, len(all))
	for _, c := range slices.Backward(all) { // of several the first counts
		lines[c.Token] = c
	}
	return lines, err
}

// claimed says when all lines of the ledger were claimed: how large it was, and how many claims the
// remote had.
type claimed struct {
	Remote string `json:"remote"` // the SHA-256 of its URL
	Ledger int64  `json:"ledger"`
	Claims int    `json:"claims"`
}

// claimsAtOnce is how many claims are sent with one command line.
const claimsAtOnce = 200

// sendClaims claims what this replica knows and nobody has claimed: what was done before the first
// sync, or offline.
func (x *syncing) sendClaims(ctx ctx, before claimed) (claimed, error) {
	file, err := x.state.Lstat(layout.Ledger)
	now := claimed{Remote: claim.Name(x.url), Ledger: file.Size, Claims: len(x.claims)}
	if errors.Is(err, fs.ErrNotExist) || err == nil && before == now {
		return now, nil
	}
	have, err := x.ledger()
	if err != nil {
		return before, err
	}
	if err := x.dropTries(ctx); err != nil {
		return before, err
	}
	var open []handoff.Consumption
	for key, c := range have {
		if x.claims[claim.Name(key)] == "" && isLine(c) && isOnce(key) {
			open = append(open, c)
		}
	}
	for some := range slices.Chunk(open, claimsAtOnce) {
		if err := x.sendSome(ctx, some); err != nil {
			return before, err
		}
	}
	now.Claims += len(open)
	return now, nil
}

// isOnce reports whether the line of a key is to be claimed. The other acts may be done in two clones.
func isOnce(key string) bool {
	_, act, _, isAct := eventlog.ParseKey(key)
	return !isAct || act == eventlog.ActTake || act == eventlog.ActRelease || act == eventlog.ActDone
}

func (x *syncing) sendSome(ctx ctx, lines []handoff.Consumption) error {
	tries, err := x.makeTries(ctx, lines)
	if err != nil {
		return err
	}
	in, words, err := x.pushTries(ctx, tries, false)
	if err != nil {
		return err
	}
	isIn := func(t try) bool { return in[t.name] }
	if err := x.settleTries(ctx, slices.DeleteFunc(slices.Clone(tries), func(t try) bool { return !isIn(t) })); err != nil {
		return err
	}
	tries = slices.DeleteFunc(tries, isIn)
	if len(tries) == 0 {
		return nil
	}
	if err := x.listRemote(ctx); err != nil {
		return err
	}
	for _, t := range tries {
		if x.claims[t.name] == "" { // else it is news for the next sync
			return fault.New(fault.ErrConfig, "ask who looks after the remote", "the remote refuses %s: %s", x.claimAt(t.name), words)
		}
	}
	return nil
}

// dropTries forgets what was tried: all that was let in is known now, and what was not can be tried anew.
func (x *syncing) dropTries(ctx ctx) error {
	moves := make(map[string]string)
	for ref := range x.refs {
		if strings.HasPrefix(ref, "refs/handoff/tries/") {
			moves[ref] = ""
			delete(x.refs, ref)
		}
	}
	return x.repo.setRefs(ctx, moves)
}
