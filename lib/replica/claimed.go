package replica

import (
	"cmp"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/claim"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
)

// A ledger is its lines by their keys.
type ledger map[string]handoff.Consumption

// A bench is where claims are judged: by the rules of this store, and by what is known of who holds what.
type bench struct {
	judge   handoff.Judge
	have    ledger            // and what is taken over now
	resumed map[string]string // who has resumed from a handoff
}

func (x *syncing) openBench() (*bench, error) {
	have, err := x.ledger()
	b := &bench{x.Judge(), have, make(map[string]string)}
	for _, line := range have {
		b.note(line)
	}
	return b, err
}

// note takes in a line that counts.
func (b *bench) note(line handoff.Consumption) {
	if _, has := b.have[line.Token]; !has {
		b.have[line.Token] = line
	}
	if line.Act() == "" {
		b.resumed[line.HandoffID] = line.Operator
	}
}

// holder returns who has taken the n-th turn of a handoff, "" for nobody who is known.
func (b *bench) holder(id string, n int) string {
	resumed := ""
	if n == 0 {
		resumed = b.resumed[id]
	}
	return cmp.Or(b.have[eventlog.ActYield.Key(id, n)].Operator, b.have[eventlog.ActTake.Key(id, n)].Operator, resumed)
}

// why says why a claim does not count, "" if it does. Only who holds a handoff ends it, or gives it back.
func (b *bench) why(c handoff.Consumption, e handoff.Entry) string {
	if e.ID == "" {
		return isAbsent
	}
	if err := b.judge.Consumption(c, e); err != nil {
		return firstLine(err)
	}
	_, act, n, _ := eventlog.ParseKey(c.Token)
	holds := b.holder(c.HandoffID, n)
	switch {
	case act == eventlog.ActRelease && holds == "":
		return "nobody has taken what it gives back"
	case isEnd(act) && holds != "" && holds != c.Operator:
		return holds + " has taken what " + c.Operator + " ends"
	}
	return ""
}

const isAbsent = "what it claims is not here"

// isEnd reports whether an act ends a turn.
func isEnd(act handoff.Act) bool { return act == eventlog.ActRelease || act == eventlog.ActDone }

// A named claim has the name of its ref, and why it does not count, "" if it does.
type named struct {
	claim.Claim
	name, why string
}

// judgeClaims reads and judges claims, takes before what ends them, and remembers those that do not count.
// bad says which are no claims at all.
func (x *syncing) judgeClaims(ctx ctx, b *bench, names []string) (all []named, bad map[string]error, err error) {
	found, bad, err := x.fetchClaims(ctx, names)
	if err != nil {
		return nil, nil, err
	}
	all = make([]named, 0, len(found))
	ids := make([]string, 0, len(found))
	for name, c := range found {
		all, ids = append(all, named{c, name, ""}), append(ids, c.HandoffID)
	}
	slices.SortFunc(all, func(a, b named) int {
		return cmp.Or(cmp.Compare(rank(a.Act()), rank(b.Act())), cmp.Compare(a.name, b.name))
	})
	here, err := x.known(ids)
	for i, c := range all {
		if all[i].why = b.why(c.Consumption, here[c.HandoffID]); all[i].why != "" {
			x.refused.Claims[c.name] = refusedClaim{Commit: x.claims[c.name], ID: c.HandoffID, Why: all[i].why}
			continue
		}
		delete(x.refused.Claims, c.name)
		b.note(c.Consumption)
	}
	for name, why := range bad {
		x.refused.Claims[name] = refusedClaim{Commit: x.claims[name], Why: why.Error()}
	}
	return all, bad, err
}

// rank puts what ends a turn behind what begins it.
func rank(act handoff.Act) int {
	if isEnd(act) {
		return 1
	}
	return 0
}

// known returns those of some handoffs that are stored here, by their ids.
func (x *syncing) known(ids []string) (map[string]handoff.Entry, error) {
	slices.Sort(ids)
	entries, err := x.entries(slices.Compact(ids))
	here := make(map[string]handoff.Entry, len(entries))
	for _, e := range entries {
		here[e.ID] = e
	}
	return here, err
}

// takeClaims adds the lines of new claims that count to what is to be taken over, and finds out which of
// them somebody here was not the first to have. What was refused is looked at again once the rules are
// others, or something has become known of its handoff.
func (x *syncing) takeClaims(ctx ctx, c *catch) error {
	touched := make(map[string]bool)
	for _, r := range x.got.Received {
		touched[r.ID] = true
	}
	names := x.newClaims(touched)
	if len(names) == 0 {
		return nil
	}
	b, err := x.openBench()
	if err != nil {
		return err
	}
	x.refused.renew(b.judge.Stamp())
	for range 2 { // what ends a take may have been refused before that was known
		if len(names) == 0 {
			return nil
		}
		clear(touched)
		if err := x.takeSome(ctx, c, b, names, touched); err != nil {
			return err
		}
		names = slices.DeleteFunc(x.newClaims(touched), func(name string) bool { return c.moves[ownClaim(name)] != "" })
	}
	return nil
}

// newClaims returns the names of the claims of the remote that are not known here, but for those that were
// refused and are about nothing that was touched since.
func (x *syncing) newClaims(touched map[string]bool) (names []string) {
	stamp := x.Judge().Stamp()
	for name, commit := range x.claims {
		before, was := x.refused.Claims[name]
		isOld := was && before.Commit == commit && !touched[before.ID] && (before.ID == "" || x.refused.Stamp == stamp)
		if isOld && before.Moved && !x.Restore {
			x.refuseClaim(name, before.Why)
		}
		if x.refs[ownClaim(name)] != commit && (!isOld || before.Moved && x.Restore) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// takeSome takes over some claims.
func (x *syncing) takeSome(ctx ctx, c *catch, b *bench, names []string, touched map[string]bool) error {
	before, err := x.knownClaims(ctx, names)
	if err != nil {
		return err
	}
	here := maps.Clone(b.have)
	all, bad, err := x.judgeClaims(ctx, b, names)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(c named) bool { return c.why != "" })
	for _, name := range slices.Sorted(maps.Keys(bad)) {
		x.refuseClaim(name, bad[name].Error())
	}
	for _, first := range all {
		was, isKnown := before[first.name]
		isMoved := isKnown && !isSame(was.Consumption, first.Consumption)
		if isMoved && !x.Restore {
			why := "it was that of " + was.Operator + " at " + was.Time + ", and was moved"
			x.refuseClaim(first.name, why)
			x.refused.Claims[first.name] = refusedClaim{Commit: x.claims[first.name], Why: why, Moved: true}
			continue
		}
		c.moves[ownClaim(first.name)], touched[first.HandoffID] = x.claims[first.name], true
		if isKnown && !isMoved { // somebody else has sent it again
			continue
		}
		lines, lost := settle(here, first.Claim)
		c.held.Tokens = append(c.held.Tokens, lines...)
		if lost.Token == "" {
			continue
		}
		isOwn, err := x.isOwn(lost)
		if err != nil {
			return err
		}
		if isOwn {
			x.lost(lost, first.Claim)
		}
	}
	return nil
}

// settle returns the lines that a claim adds to a ledger, and the line there that was not the first, if there
// is one. What stands in the ledger stays; a line more says whose the turn is, or who has ended it.
func settle(have ledger, first claim.Claim) (lines []handoff.Consumption, lost handoff.Consumption) {
	id, act, n, _ := eventlog.ParseKey(first.Token)
	as := func(act handoff.Act) handoff.Consumption {
		return handoff.Consumption{Token: act.Key(first.HandoffID, n), HandoffID: first.HandoffID,
			Operator: first.Operator, Session: first.Session, Time: first.Time}
	}
	here, has := have[first.Token]
	if !has {
		lines = append(lines, first.Consumption)
	} else if !isSame(here, first.Consumption) {
		lost = here
	}
	switch {
	case isEnd(act):
		other := eventlog.ActDone
		if act == other {
			other = eventlog.ActRelease
		}
		if line, ends := have[other.Key(id, n)]; ends {
			lost = line
		}
		if act == eventlog.ActDone && lost.Token != "" {
			lines = append(lines, as(eventlog.ActSettle))
		}
	case lost.Token != "":
		lines = append(lines, as(eventlog.ActYield)) // who resumes has taken it
	}
	return lines, lost
}

// isSame reports whether two claims are of the same deed, whoever has sent them to the remote.
func isSame(a, b handoff.Consumption) bool {
	return a.Token == b.Token && a.Operator == b.Operator && a.Time == b.Time && a.HandoffID == b.HandoffID
}

// knownClaims returns by their names the claims that were taken over before, as they were then.
func (x *syncing) knownClaims(ctx ctx, names []string) (map[string]claim.Claim, error) {
	var want []wanted
	var of []string
	for _, name := range names {
		if commit := x.refs[ownClaim(name)]; commit != "" {
			want, of = append(want, wanted{commit + ":" + claim.File, claim.MaxFile}), append(of, name)
		}
	}
	known := make(map[string]claim.Claim)
	texts, err := x.repo.read(ctx, want)
	for i, name := range of {
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
	is = true
	err = eventlog.Scan(log, 0, func(e eventlog.Parsed) bool {
		done, ok := e.Content.(eventlog.Resumed)
		if ok = ok && done.Token == line.Token; ok {
			is = !done.Synced
		}
		return !ok
	}, line.Token)
	return is, err
}

// lost says that a line of this replica was not the first.
func (x *syncing) lost(here handoff.Consumption, first claim.Claim) {
	isSaid := slices.ContainsFunc(x.got.Lost, func(l Lost) bool {
		return l.Here.HandoffID == here.HandoffID && l.Here.Operator == here.Operator && l.First.Operator == first.Operator
	})
	if !isSaid {
		x.got.Lost = append(x.got.Lost, Lost{here, first.Consumption, first.Writer})
	}
}

// ledger returns the lines of the ledger by their keys.
func (x *syncing) ledger() (ledger, error) {
	all, err := x.Consumptions()
	lines := make(ledger, len(all))
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
	if err := x.dropTries(ctx); err != nil {
		return before, err
	}
	var open []handoff.Consumption
	b, err := x.openBench()
	if err != nil {
		return before, err
	}
	for key, c := range b.have {
		_, act, n, _ := eventlog.ParseKey(key)
		isLost := isEnd(act) && !slices.Contains([]string{"", c.Operator}, b.holder(c.HandoffID, n))
		if x.claims[claim.Name(key)] == "" && isLine(c) && isOnce(key) && !isLost {
			open = append(open, c)
		}
	}
	slices.SortFunc(open, func(a, b handoff.Consumption) int { // a done before a release of the same turn
		return cmp.Or(cmp.Compare(rank(a.Act()), rank(b.Act())), cmp.Compare(a.Token, b.Token))
	})
	seen := make(map[string]bool)
	open = slices.DeleteFunc(open, func(c handoff.Consumption) bool {
		was := seen[claim.Name(c.Token)]
		seen[claim.Name(c.Token)] = true
		return was
	})
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
