package exchange

import (
	"cmp"
	"errors"
	"io/fs"
	"maps"
	"slices"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
)

// lines are those of a ledger.
type lines = []handoff.Consumption

// A ledger is its lines by their keys.
type ledger map[string]handoff.Consumption

// ledger returns the lines of the ledger by their keys.
func (x *exchange) ledger() (ledger, error) {
	all, err := x.Exchange().Consumptions()
	have := make(ledger, len(all))
	for _, c := range slices.Backward(all) { // of several the first counts
		have[c.Token] = c
	}
	return have, err
}

// Lives are what became of handoffs, by their ids.
type lives map[string]handoff.Life

// add takes in a line.
func (l lives) add(c handoff.Consumption) {
	life := l[c.HandoffID]
	life.Add(c.Token, c.Deed())
	l[c.HandoffID] = life
}

// openJury returns who judges claims: by what was claimed alone, since what is done offline may lose.
func (r *remote) openJury() (jury, error) {
	have, err := r.ledger()
	j := jury{judge: r.Exchange().Judge(), have: have, lives: make(lives)}
	for key, line := range have {
		if line.Act().IsNote() || r.refs[ownClaim(eventlog.ClaimName(key))] != "" {
			j.lives.add(line)
		}
	}
	return j, err
}

// why says why a claim does not count, "" if it does. A turn begins when the one before was given back, and only its
// holder ends it. isVoid reports that the claim will never count, because somebody else holds the turn.
func (j jury) why(c handoff.Consumption, e handoff.Entry) (why string, isVoid bool) {
	if e.ID == "" {
		return isAbsent, false
	}
	if err := j.judge.Consumption(c, e); err != nil {
		return firstLine(err), false
	}
	_, act, n, _ := eventlog.ParseKey(c.Token)
	take, done := j.lives[c.HandoffID].Take, j.lives[c.HandoffID].Done
	holds := take.Holds()
	switch {
	case act.Reopens() && (n > take.N || n == take.N && !done.IsDone()):
		return "nobody has ended what it reopens", false
	case act == eventlog.ActReopen && n == take.N && done.Operator != c.Operator:
		return done.Operator + " has ended what " + c.Operator + " reopens", true
	case act == eventlog.ActTake && n > take.N:
		return "nobody has given back what it takes", false
	case act.IsEnd() && (n > take.N || n == take.N && !holds.IsDone()):
		return "nobody has taken what it ends", false
	case act.IsEnd() && n == take.N && holds.Operator != c.Operator:
		return holds.Operator + " has taken what " + c.Operator + " ends", true
	}
	return "", false
}

const isAbsent = "what it claims is not here"

// A heard claim is one of the remote.
type heard struct {
	eventlog.Claim
	name  string // of its ref
	why   string // it does not count, "" if it does
	isBad bool   // it is no claim, or another one stood there before: it never will

	lines lines               // that it adds to the ledger
	lost  handoff.Consumption // the line there that was not the first, if there is one
}

// hear reads and judges claims of the remote by their names, in the order of the turns. What somebody has sent again
// adds nothing.
func (r *remote) hear(ctx ctx, names []string) (all []heard, have ledger, err error) {
	if len(names) == 0 {
		return nil, nil, nil
	}
	j, err := r.openJury()
	if err == nil {
		all, err = r.judgeClaims(ctx, j, names)
	}
	if err != nil {
		return nil, nil, err
	}
	before, err := r.knownClaims(ctx, all)
	for i := range all {
		h := &all[i]
		was, isKnown := before[h.name]
		switch isMoved := isKnown && !isSame(was.Consumption, h.Consumption); {
		case h.why != "":
		case isMoved && !r.Restore:
			h.why, h.isBad = "it was that of "+was.Operator+" at "+was.Time+", and was moved", true
			r.denials.Claims[h.name] = refusal{Commit: r.claims[h.name], Why: h.why, Moved: true}
		case isMoved, !isKnown:
			h.lines, h.lost = settle(j.have, h.Claim)
		}
	}
	return all, j.have, err
}

// judgeClaims reads and judges claims, and remembers those that do not count. What was refused before is judged
// again where something has become known of its handoff.
func (r *remote) judgeClaims(ctx ctx, j jury, names []string) (all []heard, err error) {
	r.denials.renew(j.judge.Stamp())
	if all, err = r.readClaims(ctx, names); err != nil {
		return nil, err
	}
	var ids []string
	for _, h := range all {
		if !h.isBad {
			ids = append(ids, h.HandoffID)
		}
	}
	here, err := r.Exchange().Here(ids)
	if err != nil {
		return nil, err
	}
	touched := make(map[string]bool)
	for i := range all {
		h, isVoid := &all[i], false
		if !h.isBad {
			h.why, isVoid = j.why(h.Consumption, here[h.HandoffID])
		}
		if h.why != "" {
			r.denials.Claims[h.name] = refusal{Commit: r.claims[h.name], ID: h.HandoffID, Why: h.why, Void: isVoid}
			continue
		}
		delete(r.denials.Claims, h.name)
		j.lives.add(h.Consumption)
		touched[h.HandoffID] = true
	}
	var again []string
	for name, no := range r.denials.Claims {
		if touched[no.ID] && !no.Moved && no.Commit == r.claims[name] && !slices.Contains(names, name) {
			again = append(again, name)
		}
	}
	if len(again) == 0 {
		return all, nil
	}
	more, err := r.judgeClaims(ctx, j, again)
	return append(all, more...), err
}

// inTurn compares lines by the order in which they can be done: by handoff and turn, and resumes last.
func inTurn(a, b handoff.Consumption) int {
	_, actA, n, isA := eventlog.ParseKey(a.Token)
	_, actB, m, isB := eventlog.ParseKey(b.Token)
	return cmp.Or(cmp.Compare(a.HandoffID, b.HandoffID), cmp.Compare(rank(isB), rank(isA)), cmp.Compare(n, m),
		cmp.Compare(rank(actA.Reopens()), rank(actB.Reopens())),
		cmp.Compare(rank(actA.IsEnd()), rank(actB.IsEnd())), cmp.Compare(a.Token, b.Token))
}

func rank(is bool) int {
	if is {
		return 1
	}
	return 0
}

// takeClaims adds the lines of new claims that count to what is to be taken over, and finds out which of
// them somebody here was not the first to have. What was refused is looked at again once the rules are
// others, or something has become known of its handoff.
func (r *remote) takeClaims(ctx ctx, c *catch) error {
	touched := make(map[string]bool)
	for _, got := range r.got.Received {
		touched[got.ID] = true
	}
	all, have, err := r.hear(ctx, r.newClaims(touched))
	if err != nil {
		return err
	}
	var lost []Lost
	for _, h := range all {
		if h.isBad {
			r.refuse(Refusal{Claim: h.name, Why: h.why})
		}
		if h.why != "" {
			continue
		}
		c.moves[ownClaim(h.name)] = r.claims[h.name]
		if c.held.tellLines(h.lines); h.lost.Token != "" {
			lost = append(lost, Lost{h.lost, h.Consumption, h.Writer})
		}
	}
	return r.report(have, c.held.acts(), lost)
}

// newClaims returns the names of the claims of the remote that are not known here, but for those that were
// refused and are about nothing that was touched since.
func (r *remote) newClaims(touched map[string]bool) (names []string) {
	stamp := r.Exchange().Judge().Stamp()
	for name, commit := range r.claims {
		before, was := r.denials.Claims[name]
		isOld := was && before.Commit == commit && !touched[before.ID] && (before.ID == "" || r.denials.Stamp == stamp)
		if isOld && before.Moved && !r.Restore {
			r.repeat(Refusal{Claim: name, Why: before.Why})
		}
		if r.refs[ownClaim(name)] != commit && (!isOld || before.Moved && r.Restore) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// settle returns the lines that a claim adds to a ledger, and the line there that was not the first, if there
// is one. What stands in the ledger stays; a note says whose the turn is, or how it has ended.
func settle(have ledger, first eventlog.Claim) (lines lines, lost handoff.Consumption) {
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

// isOwn reports whether a line of the ledger is of this replica, and not from others, who have to hear
// themselves that they were not the first. It may be of a moment ago: what no event says yet is.
func (x *exchange) isOwn(line handoff.Consumption) (is bool, err error) {
	for e := range x.events(0, &err, line.Token) {
		if done, ok := e.Content.(eventlog.Resumed); ok && done.Token == line.Token {
			return !done.Synced, nil
		}
	}
	return err == nil, err
}

// report says which lines of this replica were not the first. Of each the last one is named that somebody wrote
// who did not know of the claim.
func (x *exchange) report(have ledger, more lines, lost []Lost) error {
	after, said := make(lives), make(map[string]bool)
	for _, c := range slices.AppendSeq(more, maps.Values(have)) {
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
			isTheirs := c.HandoffID == l.Here.HandoffID && c.Operator == l.Here.Operator
			if isTheirs && isOnce(c.Token) && c.Act() != "" && inTurn(c, l.Here) > 0 && !life.Counts(c.Token, c.Deed()) {
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

// claimed says when all lines of the ledger were claimed: how large it was, and how many claims the
// remote had.
type claimed struct {
	Remote string `json:"remote"` // the SHA-256 of its URL
	Ledger int64  `json:"ledger"`
	Claims int    `json:"claims"`
}

// sendClaims claims what this replica knows and nobody has claimed: what was done before the first
// sync, or offline.
func (r *remote) sendClaims(ctx ctx, before claimed) (claimed, error) {
	file, err := r.state.Lstat(disk.Ledger)
	now := claimed{Remote: eventlog.ClaimName(r.repo.url), Ledger: file.Size, Claims: len(r.claims)}
	if errors.Is(err, fs.ErrNotExist) || err == nil && before == now {
		return now, nil
	}
	if err = r.forget(ctx, triesBelow); err != nil { // what was let in is known now, and the rest can be tried anew
		return before, err
	}
	have, err := r.ledger()
	if err != nil {
		return before, err
	}
	open := unclaimed(have, func(name string) bool { return r.claims[name] != "" && !r.denials.Claims[name].Void })
	now.Claims += len(open)
	for len(open) > 0 {
		var first, later lines // of each handoff: what follows needs it
		for i, c := range open {
			if i == 0 || c.HandoffID != open[i-1].HandoffID {
				first = append(first, c)
			} else {
				later = append(later, c)
			}
		}
		lost := make(map[string]bool)
		for some := range slices.Chunk(first, atOnce) {
			if err := r.sendSome(ctx, some, lost); err != nil {
				return before, err
			}
		}
		open = slices.DeleteFunc(later, func(c handoff.Consumption) bool { return lost[c.HandoffID] })
	}
	return now, nil
}

// unclaimed returns the lines that count and are not claimed, in the order in which they can be.
func unclaimed(have ledger, isClaimed func(name string) bool) (open lines) {
	known := make(lives)
	for _, c := range have {
		known.add(c)
	}
	for key, c := range have {
		life := known[c.HandoffID]
		if isLine(c) && isOnce(key) && life.Counts(key, c.Deed()) && !isClaimed(eventlog.ClaimName(key)) {
			open = append(open, c)
		}
	}
	slices.SortFunc(open, inTurn)
	return open
}

// isOnce reports whether the line of a key is to be claimed. The other acts may be done in two clones.
func isOnce(key string) bool {
	_, act, _, isAct := eventlog.ParseKey(key)
	return !isAct || act == eventlog.ActTake || act.IsEnd() || act.Reopens()
}

// sendSome claims lines, and adds to lost the handoffs of those that somebody else was the first to claim.
func (r *remote) sendSome(ctx ctx, lines lines, lost map[string]bool) error {
	tries, err := r.makeTries(ctx, lines)
	if err != nil {
		return err
	}
	in, words, err := r.pushTries(ctx, tries, false)
	if err != nil {
		return err
	}
	out := slices.DeleteFunc(slices.Clone(tries), func(t try) bool { return in[t.name] })
	tries = slices.DeleteFunc(tries, func(t try) bool { return !in[t.name] })
	if err := r.settleTries(ctx, tries); err != nil || len(out) == 0 {
		return err
	}
	if err := r.list(ctx); err != nil {
		return err
	}
	for _, t := range out {
		if r.claims[t.name] == "" {
			return r.noEntry(t, words)
		}
		lost[t.HandoffID] = true // it is news for the next sync
	}
	return nil
}
