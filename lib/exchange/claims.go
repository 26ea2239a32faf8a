package exchange

import (
	"cmp"
	"errors"
	"io/fs"
	"maps"
	"slices"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
)

// lines are lines of a ledger.
type lines = []handoff.Consumption

// A ledger has the lines of a ledger by their keys.
type ledger map[string]handoff.Consumption

// ledger returns the lines of the ledger by their keys: all of them, or those about some handoffs.
func (x *exchange) ledger(ids ...string) (ledger, error) {
	all, err := x.Exchange().Consumptions(ids...)
	have := make(ledger, len(all))
	for _, c := range slices.Backward(all) { // of several lines with one key the first counts
		have[c.Token] = c
	}
	return have, err
}

// lives has what happened to handoffs, by their ids.
type lives map[string]handoff.Life

// add adds a line.
func (l lives) add(c handoff.Consumption) {
	life := l[c.HandoffID]
	life.Add(c.Token, c.Action())
	l[c.HandoffID] = life
}

// openJury returns a jury for claims. It knows only claimed lines: offline actions may lose.
func (r *remote) openJury() (jury, error) {
	j := jury{judge: r.Exchange().Judge(), lives: make(lives)}
	known, err := r.known.known.names()
	if err != nil {
		return j, err
	}
	j.have, err = r.ledger()
	for key, line := range j.have {
		if line.Act().IsNote() || known[eventlog.ClaimName(key)] {
			j.lives.add(line)
		}
	}
	return j, err
}

// why returns why a claim does not count, "" if it does. A lease begins when the one before was released, and only
// its holder ends it. isVoid reports that the claim can never count, because another operator holds the lease.
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
		return "it reopens a handoff that is not done", false
	case act == eventlog.ActReopen && n == take.N && done.Operator != c.Operator:
		return done.Operator + " has finished what " + c.Operator + " reopens", true
	case act == eventlog.ActTake && n > take.N:
		return "it takes a handoff that is not released", false
	case act.IsEnd() && (n > take.N || n == take.N && !holds.IsDone()):
		return "it ends a take that does not exist", false
	case act == eventlog.ActRevoke && n == take.N:
		if err := j.judge.Revocation(c, e, j.lives[c.HandoffID]); err != nil {
			return firstLine(err), true
		}
	case act.IsEnd() && n == take.N && holds.Operator != c.Operator:
		return holds.Operator + " has taken what " + c.Operator + " ends", true
	}
	return "", false
}

const isAbsent = "what it claims is not here"

// A remoteClaim is a claim of the remote.
type remoteClaim struct {
	eventlog.Claim
	name  string // see [eventlog.ClaimName]
	text  []byte
	asked bool   // this replica has asked for it, and has not recorded yet that it was granted
	why   string // why it does not count, "" if it does
	isBad bool   // it is malformed, or replaced another claim: it can never count

	lines lines               // the lines that it adds to the ledger
	lost  handoff.Consumption // the ledger line that was not first, if there is one
}

// readClaimsNamed reads and judges claims of the remote, in the order of their leases. A claim that is known already
// adds nothing.
func (r *remote) readClaimsNamed(ctx ctx, names []string) (all []remoteClaim, have ledger, err error) {
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
	for i := range all {
		h := &all[i]
		was, bad := eventlog.ParseClaim(h.name, r.known.of(h.name).text)
		isKnown := bad == nil
		switch isMoved := isKnown && !isSame(was.Consumption, h.Consumption); {
		case h.why != "":
		case isMoved && !r.Restore:
			h.why, h.isBad = "it was that of "+was.Operator+" at "+was.Time+", and was moved", true
			r.denials[h.name] = refusal{Commit: r.claims[h.name], Why: h.why, Moved: true}
		case isMoved, !isKnown:
			h.lines, h.lost = settle(j.have, h.Claim)
		}
	}
	return all, j.have, nil
}

// judgeClaims reads and judges claims, and remembers those that do not count. A refused claim is judged again if
// something new is known about its handoff: what is void for long would be replaced.
func (r *remote) judgeClaims(ctx ctx, j jury, names []string) (all []remoteClaim, err error) {
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
			r.denials[h.name] = refusal{Commit: r.claims[h.name], ID: h.HandoffID, Why: h.why, Void: isVoid,
				Moved: r.replaced[h.name] != ""}
			continue
		}
		delete(r.denials, h.name)
		j.lives.add(h.Consumption)
		touched[h.HandoffID] = true
	}
	var again []string
	for name, no := range r.denials {
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

// compareTurns orders lines as their actions can follow each other: by handoff and lease, and resumes last.
func compareTurns(a, b handoff.Consumption) int {
	_, actA, n, isA := eventlog.ParseKey(a.Token)
	_, actB, m, isB := eventlog.ParseKey(b.Token)
	return cmp.Or(cmp.Compare(a.HandoffID, b.HandoffID), order(isB, isA), cmp.Compare(n, m),
		order(actA.Reopens(), actB.Reopens()), order(actA.IsEnd(), actB.IsEnd()), cmp.Compare(a.Token, b.Token))
}

// order compares two bools. false comes first.
func order(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// takeClaims adds the ledger lines of new claims that count, and reports the lines of this store that were not first.
func (r *remote) takeClaims(ctx ctx, c *intake) error {
	all, have, err := r.readClaimsNamed(ctx, r.newClaims())
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
		c.claims[h.name] = knownClaim{h.text, r.claims[h.name]}
		if c.held.addLines(h.lines, h.asked); h.lost.Token != "" {
			lost = append(lost, Lost{h.lost, h.Consumption, h.Writer})
		}
	}
	return r.report(have, c.held.acts(), lost)
}

// newClaims returns the names of the unknown claims of the remote. It omits those that can never count.
func (r *remote) newClaims() (names []string) {
	for name, commit := range r.claims {
		before, was := r.denials[name]
		isVain := was && before.Commit == commit && before.ID == "" && !before.Moved
		if !isVain && !r.isKnown(name, commit) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// isKnown reports whether a version of a claim is known. It is not if an earlier fold of the claim has come since.
func (r *remote) isKnown(name, version string) bool {
	known := r.known.of(name)
	return known.text != nil && known.version == version && (version != folded || r.known.ended.of(name).text == nil)
}

// settle returns the lines that a claim adds to a ledger, and the ledger line that was not first, if there is one.
// Existing lines stay. A note records who holds the lease, or how it ended.
func settle(have ledger, first eventlog.Claim) (lines lines, lost handoff.Consumption) {
	id, act, n, _ := eventlog.ParseKey(first.Token)
	here, has := have[first.Token]
	if !has {
		lines = append(lines, first.Consumption)
	} else if !isSame(here, first.Consumption) {
		lost = here
	}
	note := eventlog.Act("")
	switch {
	case act == eventlog.ActTake:
		note = eventlog.ActYield
	case act == eventlog.ActDone:
		note = eventlog.ActSettle
	case act.IsEnd():
		note = eventlog.ActFree
	}
	for _, other := range []eventlog.Act{eventlog.ActRelease, eventlog.ActRevoke, eventlog.ActDone} {
		if here, has := have[other.Key(id, n)]; has && act.IsEnd() && act != other {
			lost = here
		}
	}
	if note != "" && lost.Token != "" {
		lines = append(lines, handoff.Consumption{Token: note.Key(id, n), HandoffID: id, Operator: first.Operator,
			Session: first.Session, Time: first.Time, Until: first.Until})
	}
	return lines, lost
}

// isSame reports whether two claims are for the same action, even if different clones sent them.
func isSame(a, b handoff.Consumption) bool {
	return a.Token == b.Token && a.Operator == b.Operator && a.Time == b.Time && a.HandoffID == b.HandoffID
}

// isOwn reports whether a ledger line was written by this replica. Other replicas find out themselves that they were
// not first. A line without an event is recent, and therefore our own.
func (x *exchange) isOwn(line handoff.Consumption) (is bool, err error) {
	for e := range x.events(0, &err, line.Token) {
		if done, ok := e.Content.(eventlog.Resumed); ok && done.Token == line.Token {
			return !done.Synced, nil
		}
	}
	return err == nil, err
}

// report adds the lines of this replica that were not first to the result. For each handoff it reports the last
// action of the operator that relied on the lost one.
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
			if isTheirs && isOnce(c.Token) && c.Act() != "" && compareTurns(c, l.Here) > 0 &&
				!life.Counts(c.Token, c.Action()) {
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

// claimed records that all ledger lines were claimed, with the size of the ledger and the number of claims.
type claimed struct {
	Remote string `json:"remote"` // the SHA-256 of its URL
	Ledger int64  `json:"ledger"`
	Claims int    `json:"claims"`
}

// sendClaims claims the unclaimed lines of this replica: actions before the first sync, and offline ones.
func (r *remote) sendClaims(ctx ctx, before claimed) (claimed, error) {
	file, err := r.state.Lstat(disk.Ledger)
	now := claimed{Remote: eventlog.ClaimName(r.got.Remote), Ledger: file.Size, Claims: len(r.claims)}
	if errors.Is(err, fs.ErrNotExist) || err == nil && before == now {
		return now, nil
	}
	known := make(map[string]bool)
	if r.holdsClaims {
		known, err = r.known.known.names()
	} else { // granted claims are known now, and the others can be tried again
		err = r.home.Remove(triesFile)
	}
	if err != nil {
		return before, err
	}
	have, err := r.ledger()
	if err != nil {
		return before, err
	}
	open := unclaimed(have, func(name string) bool {
		return known[name] || r.claims[name] != "" && !r.denials[name].Void || r.known.of(name).version == folded
	})
	now.Claims += len(open)
	for len(open) > 0 {
		var first, later lines // one line of each handoff; the later ones depend on it
		for i, c := range open {
			if i == 0 || c.HandoffID != open[i-1].HandoffID {
				first = append(first, c)
			} else {
				later = append(later, c)
			}
		}
		lost := make(map[string]bool)
		if err := r.sendSome(ctx, first, lost); err != nil {
			return before, err
		}
		open = slices.DeleteFunc(later, func(c handoff.Consumption) bool { return lost[c.HandoffID] })
	}
	return now, nil
}

// unclaimed returns the lines that count and are not claimed, in the order in which they can be claimed.
func unclaimed(have ledger, isClaimed func(name string) bool) (open lines) {
	known := make(lives)
	for _, c := range have {
		known.add(c)
	}
	for key, c := range have {
		life := known[c.HandoffID]
		if IsLine(c) && isOnce(key) && life.Counts(key, c.Action()) && !isClaimed(eventlog.ClaimName(key)) {
			open = append(open, c)
		}
	}
	slices.SortFunc(open, compareTurns)
	return open
}

// isOnce reports whether the line of a key must be claimed. Two clones can both perform the other actions.
func isOnce(key string) bool {
	_, act, _, isAct := eventlog.ParseKey(key)
	return !isAct || act == eventlog.ActTake || act.IsEnd() || act.Reopens()
}

// sendSome claims lines. It adds the handoffs that another clone claimed first to lost.
func (r *remote) sendSome(ctx ctx, lines lines, lost map[string]bool) error {
	tries, err := r.makeTries(lines)
	if err != nil {
		return err
	}
	if r.holdsClaims { // they are told later
		err = r.known.keepTries(tries)
	}
	if err != nil {
		return err
	}
	in, words, err := r.carrier.putClaims(ctx, tries, false)
	if err != nil {
		return err
	}
	out := slices.DeleteFunc(slices.Clone(tries), func(t try) bool { return in[t.name] })
	tries = slices.DeleteFunc(tries, func(t try) bool { return !in[t.name] })
	if err := r.settleTries(tries); err != nil || len(out) == 0 {
		return err
	}
	if err := r.carrier.list(ctx); err != nil {
		return err
	}
	for _, t := range out {
		if r.claims[t.name] == "" {
			return r.refusedError(t, words)
		}
		lost[t.HandoffID] = true // the next sync reports it
	}
	return nil
}

// readClaims fetches and reads claims, in the order of their leases.
func (r *remote) readClaims(ctx ctx, names []string) (all []remoteClaim, err error) {
	texts, err := r.carrier.claimTexts(ctx, names)
	if err != nil {
		return nil, err
	}
	tries, err := r.known.untold()
	if err != nil {
		return nil, err
	}
	for i, name := range names {
		c, err := eventlog.ParseClaim(name, texts[i])
		if err == nil && !(IsLine(c.Consumption) && isOnce(c.Token)) {
			err = errors.New("it claims what no ledger has")
		}
		if why := r.replaced[name]; why != "" && !r.Restore {
			err = errors.New(why)
		}
		h := remoteClaim{Claim: c, name: name, text: texts[i]}
		// anyone can name this replica as the writer; what it has asked for is recorded here
		h.asked = slices.ContainsFunc(tries, func(t try) bool { return string(t.text) == string(h.text) })
		if err != nil {
			h.Claim, h.why, h.isBad = eventlog.Claim{}, err.Error(), true
		}
		all = append(all, h)
	}
	slices.SortFunc(all, func(a, b remoteClaim) int {
		return cmp.Or(compareTurns(a.Consumption, b.Consumption), cmp.Compare(a.name, b.name))
	})
	return all, nil
}

// refusedError returns the error if the remote refuses a claim that no clone has.
func (r *remote) refusedError(t try, words string) error {
	return fault.Config("ask who looks after the remote",
		"the remote refuses the claim %s: %s", t.name, words)
}
