package replica

import (
	"cmp"
	"errors"
	"io/fs"
	"maps"
	"slices"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/claim"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
)

// A ledger is its lines by their keys.
type ledger map[string]handoff.Consumption

// A bench is where claims are judged: by the rules of this store, and by what the remote let in before.
type bench struct {
	judge handoff.Judge
	have  ledger
	lives lives // by what was claimed alone: what is done offline may lose
}

// Lives are what became of handoffs, by their ids.
type lives map[string]handoff.Life

// add takes in a line.
func (l lives) add(c handoff.Consumption) {
	life := l[c.HandoffID]
	life.Add(c.Token, c.Deed())
	l[c.HandoffID] = life
}

func (x *syncing) openBench() (*bench, error) {
	have, err := x.ledger()
	b := &bench{x.Judge(), have, make(lives)}
	for key, line := range have {
		if line.Act().IsNote() || x.refs[ownClaim(claim.Name(key))] != "" {
			b.lives.add(line)
		}
	}
	return b, err
}

// why says why a claim does not count, "" if it does. A turn begins when the one before was given back, and only its
// holder ends it. isVoid reports that the claim will never count, because somebody else holds the turn.
func (b *bench) why(c handoff.Consumption, e handoff.Entry) (why string, isVoid bool) {
	if e.ID == "" {
		return isAbsent, false
	}
	if err := b.judge.Consumption(c, e); err != nil {
		return firstLine(err), false
	}
	_, act, n, _ := eventlog.ParseKey(c.Token)
	life := b.lives[c.HandoffID]
	holds := life.Take.Holds()
	switch {
	case act == eventlog.ActTake && n > life.Take.N:
		return "nobody has given back what it takes", false
	case act.IsEnd() && (n > life.Take.N || n == life.Take.N && !holds.IsDone()):
		return "nobody has taken what it ends", false
	case act.IsEnd() && n == life.Take.N && holds.Operator != c.Operator:
		return holds.Operator + " has taken what " + c.Operator + " ends", true
	}
	return "", false
}

const isAbsent = "what it claims is not here"

// A named claim has the name of its ref, and why it does not count, "" if it does.
type named struct {
	claim.Claim
	name, why string
}

// judgeClaims reads and judges claims, in the order of the turns, and remembers those that do not count. What was
// refused before is judged again where something has become known of its handoff. bad says which are no
// claims at all.
func (x *syncing) judgeClaims(ctx ctx, b *bench, names []string) (all []named, bad map[string]error, err error) {
	x.refused.renew(b.judge.Stamp())
	found, bad, err := x.fetchClaims(ctx, names)
	if err != nil {
		return nil, nil, err
	}
	all = make([]named, 0, len(found))
	ids := make([]string, 0, len(found))
	for name, c := range found {
		all, ids = append(all, named{c, name, ""}), append(ids, c.HandoffID)
	}
	slices.SortFunc(all, func(a, b named) int { return inTurn(a.Consumption, b.Consumption) })
	here, err := x.known(ids)
	touched := make(map[string]bool)
	for i, c := range all {
		why, isVoid := b.why(c.Consumption, here[c.HandoffID])
		if all[i].why = why; why != "" {
			x.refused.Claims[c.name] = refusedClaim{Commit: x.claims[c.name], ID: c.HandoffID, Why: why, Void: isVoid}
			continue
		}
		delete(x.refused.Claims, c.name)
		b.lives.add(c.Consumption)
		touched[c.HandoffID] = true
	}
	for name, why := range bad {
		x.refused.Claims[name] = refusedClaim{Commit: x.claims[name], Why: why.Error()}
	}
	var again []string
	for name, r := range x.refused.Claims {
		if touched[r.ID] && !r.Moved && r.Commit == x.claims[name] && !slices.Contains(names, name) {
			again = append(again, name)
		}
	}
	if err != nil || len(again) == 0 {
		return all, bad, err
	}
	more, _, err := x.judgeClaims(ctx, b, again)
	return append(all, more...), bad, err
}

// inTurn compares lines by the order in which they can be done: by handoff and turn, and resumes last.
func inTurn(a, b handoff.Consumption) int {
	_, actA, n, isA := eventlog.ParseKey(a.Token)
	_, actB, m, isB := eventlog.ParseKey(b.Token)
	return cmp.Or(cmp.Compare(a.HandoffID, b.HandoffID), cmp.Compare(rank(isB), rank(isA)), cmp.Compare(n, m),
		cmp.Compare(rank(actA.IsEnd()), rank(actB.IsEnd())), cmp.Compare(a.Token, b.Token))
}

func rank(is bool) int {
	if is {
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
	all, bad, err := x.judgeClaims(ctx, b, names)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(c named) bool { return c.why != "" })
	for _, name := range slices.Sorted(maps.Keys(bad)) {
		x.refuseClaim(name, bad[name].Error())
	}
	before, err := x.knownClaims(ctx, all)
	if err != nil {
		return err
	}
	var lost []Lost
	for _, first := range all {
		was, isKnown := before[first.name]
		isMoved := isKnown && !isSame(was.Consumption, first.Consumption)
		if isMoved && !x.Restore {
			why := "it was that of " + was.Operator + " at " + was.Time + ", and was moved"
			x.refuseClaim(first.name, why)
			x.refused.Claims[first.name] = refusedClaim{Commit: x.claims[first.name], Why: why, Moved: true}
			continue
		}
		c.moves[ownClaim(first.name)] = x.claims[first.name]
		if isKnown && !isMoved { // somebody else has sent it again
			continue
		}
		lines, here := settle(b.have, first.Claim)
		if c.held.Tokens = append(c.held.Tokens, lines...); here.Token != "" {
			lost = append(lost, Lost{here, first.Consumption, first.Writer})
		}
	}
	return x.report(b.have, c.held.Tokens, lost)
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

// settle returns the lines that a claim adds to a ledger, and the line there that was not the first, if there
// is one. What stands in the ledger stays; a note says whose the turn is, or how it has ended.
func settle(have ledger, first claim.Claim) (lines []handoff.Consumption, lost handoff.Consumption) {
	id, act, n, _ := eventlog.ParseKey(first.Token)
	here, has := have[first.Token]
	if !has {
		lines = append(lines, first.Consumption)
	} else if !isSame(here, first.Consumption) {
		lost = here
	}
	note := eventlog.Act("")
	switch act {
	case eventlog.ActTake:
		note = eventlog.ActYield
	case eventlog.ActDone:
		note, here = eventlog.ActSettle, have[eventlog.ActRelease.Key(id, n)]
	case eventlog.ActRelease:
		note, here = eventlog.ActFree, have[eventlog.ActDone.Key(id, n)]
	}
	if act.IsEnd() && here.Token != "" {
		lost = here
	}
	if note != "" && lost.Token != "" {
		lines = append(lines, handoff.Consumption{Token: note.Key(id, n), HandoffID: id, Operator: first.Operator,
			Session: first.Session, Time: first.Time})
	}
	return lines, lost
}

// isSame reports whether two claims are of the same deed, whoever has sent them to the remote.
func isSame(a, b handoff.Consumption) bool {
	return a.Token == b.Token && a.Operator == b.Operator && a.Time == b.Time && a.HandoffID == b.HandoffID
}

// knownClaims returns by their names the claims that were taken over before, as they were then.
func (x *syncing) knownClaims(ctx ctx, all []named) (map[string]claim.Claim, error) {
	var want []wanted
	var of []string
	for _, c := range all {
		if commit := x.refs[ownClaim(c.name)]; commit != "" {
			want, of = append(want, wanted{commit + ":" + claim.File, claim.MaxFile}), append(of, c.name)
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
	log, done, err := x.openLog()
	if err != nil {
		return false, err
	}
	defer done()
	for e := range eventlog.Scan(log, 0, &err, line.Token) {
		if done, ok := e.Content.(eventlog.Resumed); ok && done.Token == line.Token {
			return !done.Synced, nil
		}
	}
	return err == nil, err
}

// report says which lines of this replica were not the first. Of each the last one is named that somebody wrote
// who did not know of the claim.
func (x *syncing) report(have ledger, more []handoff.Consumption, lost []Lost) error {
	after, said := make(lives), make(map[string]bool)
	for _, c := range slices.AppendSeq(slices.Clone(more), maps.Values(have)) {
		after.add(c)
	}
	for _, l := range lost {
		if is, err := x.isOwn(l.Here); err != nil {
			return err
		} else if !is {
			continue
		}
		life := after[l.Here.HandoffID]
		for _, c := range have {
			isTheirs := c.HandoffID == l.Here.HandoffID && c.Operator == l.Here.Operator && isOnce(c.Token) && c.Act() != ""
			if isTheirs && inTurn(c, l.Here) > 0 && !life.Counts(c.Token, c.Deed()) {
				l.Here = c
			}
		}
		key := l.Here.HandoffID + " " + l.Here.Operator + " " + l.First.Operator
		if !said[key] {
			said[key], x.got.Lost = true, append(x.got.Lost, l)
		}
	}
	return nil
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
	have, err := x.ledger()
	if err != nil {
		return before, err
	}
	open := unclaimed(have, func(name string) bool { return x.claims[name] != "" && !x.refused.Claims[name].Void })
	now.Claims += len(open)
	for len(open) > 0 {
		var first, later []handoff.Consumption // of each handoff: what follows needs it
		for i, c := range open {
			if i == 0 || c.HandoffID != open[i-1].HandoffID {
				first = append(first, c)
			} else {
				later = append(later, c)
			}
		}
		lost := make(map[string]bool)
		for some := range slices.Chunk(first, claimsAtOnce) {
			if err := x.sendSome(ctx, some, lost); err != nil {
				return before, err
			}
		}
		open = slices.DeleteFunc(later, func(c handoff.Consumption) bool { return lost[c.HandoffID] })
	}
	return now, nil
}

// unclaimed returns the lines that count and are not claimed, in the order in which they can be.
func unclaimed(have ledger, isClaimed func(name string) bool) (open []handoff.Consumption) {
	known := make(lives)
	for _, c := range have {
		known.add(c)
	}
	for key, c := range have {
		life := known[c.HandoffID]
		if isLine(c) && isOnce(key) && life.Counts(key, c.Deed()) && !isClaimed(claim.Name(key)) {
			open = append(open, c)
		}
	}
	slices.SortFunc(open, inTurn)
	return open
}

// isOnce reports whether the line of a key is to be claimed. The other acts may be done in two clones.
func isOnce(key string) bool {
	_, act, _, isAct := eventlog.ParseKey(key)
	return !isAct || act == eventlog.ActTake || act == eventlog.ActRelease || act == eventlog.ActDone
}

// sendSome claims lines, and adds to lost the handoffs of those that somebody else was the first to claim.
func (x *syncing) sendSome(ctx ctx, lines []handoff.Consumption, lost map[string]bool) error {
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
		if x.claims[t.name] == "" {
			return x.noEntry(t, words)
		}
		lost[t.HandoffID] = true // it is news for the next sync
	}
	return nil
}

// dropTries forgets what was tried: all that was let in is known now, and what was not can be tried anew.
func (x *syncing) dropTries(ctx ctx) error {
	return x.forget(ctx, "refs/handoff/tries/")
}
