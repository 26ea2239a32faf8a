package exchange

import (
	"maps"
	"time"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
)

// A past is what the audit log says of a handoff that was pruned here.
type past struct {
	time  string // of the document; "" if that is not known
	marks []effect
	turn  int  // of archiving, which the last tombstone ended
	stays bool // nobody who is known of has brought it back
}

// learnPast finds out what became of handoffs where something tells of pruning, and stores again what was pruned
// here, and brought back by others who had not heard of that. The marks come back with it; its acts never went. What
// cannot be had now is looked for by the next exchange, for which the acts wait.
func (x *exchange) learnPast(ctx ctx, c *catch, j *jury) (err error) {
	last, gone := make(map[string]int), x.Exchange().Pruned()
	j.past = make(map[string]*past)
	for _, e := range c.held.Told {
		if e.Kind == kindTombstone {
			last[e.HandoffID] = e.Turn
		}
		if gone[e.HandoffID] && (e.Kind == kindTombstone || e.Kind == kindAct && isArchiving(e.Act())) {
			j.past[e.HandoffID] = &past{}
		}
	}
	if len(j.past)+len(last) == 0 {
		return nil
	}
	if err = x.readPast(j.past); err != nil {
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
	lost := make(map[string]*past)
	for id, p := range j.past {
		t := handoff.Tombstone{Turn: max(p.turn, last[id])}
		if p.stays = p.turn == 0 || !t.IsTakenBack(j.lives[id]); p.stays {
			continue
		}
		for _, mark := range p.marks {
			c.held.tell(mark)
		}
		if p.time != "" && !x.has(id) {
			lost[id] = p
		}
	}
	return x.storeAgain(ctx, lost)
}

// readPast reads what the audit log says of handoffs.
func (x *exchange) readPast(of map[string]*past) (err error) {
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

// storeAgain stores handoffs that were pruned, as far as the peer has them.
func (x *exchange) storeAgain(ctx ctx, lost map[string]*past) error {
	if len(lost) == 0 {
		return nil
	}
	sources, err := x.peer.again(ctx, lost)
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

// hiddenFor is how long the file of what others have pruned stays. Until then it is archived here, as the
// event says that came before the tombstone, and `handoff prune` takes it away sooner.
const hiddenFor = 90 * 24 * time.Hour

// bury takes over tombstones, once the marks and acts are here that say what is past. What is not past here
// waits.
func (x *exchange) bury(ctx ctx, c *catch, due []effect) error {
	seen, all := make(map[string]string), make([]handoff.Tombstone, len(due))
	for i, e := range due {
		all[i], seen[e.HandoffID] = e.tombstone(), e.Seen
	}
	gone, waiting, err := x.Exchange().Bury(ctx, all)
	for _, t := range waiting {
		e := markOf(t.HandoffID, t.Operator, t.Time)
		e.Kind, e.Turn, e.Writer, e.Seen = kindTombstone, t.Turn, t.Writer, seen[t.HandoffID]
		c.held.tell(e)
	}
	x.got.Pruned += gone
	return err
}

// isOld reports whether a tombstone has hidden its handoff for long enough, by the clock of this machine.
func (x *exchange) isOld(e effect) bool {
	at, err := time.Parse(time.RFC3339, e.Seen)
	return err == nil && x.Now().Sub(at) >= hiddenFor
}
