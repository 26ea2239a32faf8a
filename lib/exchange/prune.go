package exchange

import (
	"maps"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/life"
)

// A prunedHandoff is what the audit log says about a handoff that was pruned here.
type prunedHandoff struct {
	time  string // ts_utc of the document, "" if unknown
	marks []effect
	turn  int  // the number of the archiving that the last tombstone ended
	stays bool // no known replica has restored it
}

// learnPruned finds out which pruned handoffs other replicas restored, and stores them again. Their marks return with
// them; their ledger lines never went. A handoff that is unavailable now is retried by the next exchange, for which
// its ledger lines wait.
func (x *exchange) learnPruned(ctx ctx, c *intake, j *jury) (err error) {
	last, gone := make(map[string]int), x.Exchange().Pruned()
	j.past = make(map[string]*prunedHandoff)
	for _, e := range c.held.Effects {
		if e.Kind == kindTombstone {
			last[e.HandoffID] = e.Turn
		}
		if gone[e.HandoffID] && (e.Kind == kindTombstone || e.Kind == kindAct && isArchiving(e.Act())) {
			j.past[e.HandoffID] = &prunedHandoff{}
		}
	}
	if len(j.past)+len(last) == 0 {
		return nil
	}
	if err = x.readPruned(j.past); err != nil {
		return err
	}
	known, err := x.Lifecycle().Taking("")
	if err != nil {
		return err
	}
	j.lives = make(lives, len(known))
	maps.Copy(j.lives, known)
	for _, line := range c.held.acts() {
		j.lives.add(line)
	}
	lost := make(map[string]*prunedHandoff)
	for id, p := range j.past {
		t := handoff.Tombstone{Turn: max(p.turn, last[id])}
		if p.stays = p.turn == 0 || !t.IsTakenBack(j.lives[id]); p.stays {
			continue
		}
		for _, mark := range p.marks {
			c.held.addEffect(mark)
		}
		if p.time != "" && !x.has(id) {
			lost[id] = p
		}
	}
	return x.restorePruned(ctx, lost)
}

// readPruned reads what the audit log says about handoffs.
func (x *exchange) readPruned(of map[string]*prunedHandoff) (err error) {
	if len(of) == 0 {
		return nil
	}
	for e := range x.events(0, &err) {
		s := parse(e)
		p := of[s.HandoffID]
		switch {
		case p == nil:
		case s.Type == eventlog.TypeWrite, s.Type == eventlog.TypeImport:
			p.time = s.Time
		case s.Type == eventlog.TypeMarkRead:
			p.marks = append(p.marks, markOf(s.HandoffID, s.Operator, s.Time))
		case s.Type == eventlog.TypePrune:
			p.turn = max(p.turn, s.Turn)
		}
	}
	return err
}

// restorePruned stores pruned handoffs again, if the peer has them.
func (x *exchange) restorePruned(ctx ctx, lost map[string]*prunedHandoff) error {
	if len(lost) == 0 {
		return nil
	}
	sources, err := x.peer.fetchPruned(ctx, lost)
	if err != nil || len(sources) == 0 {
		return err
	}
	for i := range sources {
		sources[i].Restore = true
	}
	results, err := x.WriteGood(ctx, sources)
	for _, r := range results {
		x.receives(r)
	}
	return err
}

// bury adds tombstones, after the marks and ledger lines that decide whether the handoff can be pruned. A tombstone
// whose handoff cannot be pruned here waits.
func (x *exchange) bury(ctx ctx, c *intake, due []effect) error {
	of, all := make(map[string]effect), make([]handoff.Tombstone, len(due))
	for i, e := range due {
		all[i], of[e.HandoffID] = e.tombstone(), e
	}
	gone, waiting, err := x.Exchange().Bury(ctx, all)
	for _, t := range waiting {
		c.held.addEffect(of[t.HandoffID])
	}
	x.got.Pruned += gone
	return err
}

// isOld reports whether a tombstone is old enough to remove its handoff, by the clock of this machine.
func (x *exchange) isOld(e effect) bool { return life.IsOver(e.Seen, x.Now()) }
