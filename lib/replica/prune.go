package replica

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
)

// notePruned adds the tombstone that an event is about. That which its writer has from another store
// comes from there too. Of several that of the last turn counts.
func (c *catch) notePruned(writer string, s said) {
	t := handoff.Tombstone{HandoffID: s.HandoffID, Operator: s.Operator, Time: s.Time, Turn: s.Turn, Writer: writer}
	if !form.IsID(t.HandoffID) || !form.IsSlug(t.Operator, document.MaxName) || !form.IsInstant(t.Time) || s.Writer != "" {
		return
	}
	if c.pruned == nil {
		c.pruned = make(map[string]int)
		for i, h := range c.held.Pruned {
			c.pruned[h.HandoffID] = i
		}
	}
	i, is := c.pruned[t.HandoffID]
	if !is {
		c.pruned[t.HandoffID] = len(c.held.Pruned)
		c.held.Pruned = append(c.held.Pruned, heldTombstone{Tombstone: t})
	} else if t.Turn > c.held.Pruned[i].Turn {
		c.held.Pruned[i].Tombstone = t
	}
}

// A past is what the audit log says of a handoff that was pruned here.
type past struct {
	time  string // of the document; "" if that is not known
	marks []mark
	turn  int  // of archiving, which the last tombstone ended
	stays bool // nobody who is known of has brought it back
}

// pasts reads the audit log for what was pruned here of that which others have unarchived or pruned.
func (x *syncing) pasts(c *catch) (map[string]*past, error) {
	of, gone := make(map[string]*past), x.Pruned()
	note := func(id string) {
		if of[id] == nil && gone[id] {
			of[id] = &past{}
		}
	}
	for _, t := range c.held.Tokens {
		if isArchiving(t) {
			note(t.HandoffID)
		}
	}
	for _, t := range c.held.Pruned {
		note(t.HandoffID)
	}
	if len(of) == 0 {
		return of, nil
	}
	log, done, err := x.openLog()
	if err != nil {
		return of, err
	}
	defer done()
	for e := range eventlog.Scan(log, 0, &err) {
		s := parse(e)
		if p := of[s.HandoffID]; p != nil {
			p.add(s)
		}
	}
	return of, err
}

// isArchiving reports whether an act puts a handoff away, or brings it back.
func isArchiving(t handoff.Consumption) bool {
	_, act, _, _ := eventlog.ParseKey(t.Token)
	return act == eventlog.ActArchive || act == eventlog.ActUnarchive
}

// add takes in an event of the handoff.
func (p *past) add(s said) {
	switch s.Type {
	case eventlog.TypeWrite, eventlog.TypeImport:
		p.time = s.Time
	case eventlog.TypeMarkRead:
		p.marks = append(p.marks, mark{s.Operator, s.Time})
	case eventlog.TypePrune:
		p.turn = max(p.turn, s.Turn)
	}
}

// lives is what became of all handoffs, what waits for them included.
func (x *syncing) lives(c *catch) (map[string]handoff.Life, error) {
	known, err := x.Taking("")
	if err != nil {
		return nil, err
	}
	lives := make(map[string]handoff.Life, len(known))
	maps.Copy(lives, known)
	for _, t := range c.held.Tokens {
		l := lives[t.HandoffID]
		l.Add(t.Token, eventlog.Deed{Operator: t.Operator, Session: t.Session, Time: t.Time})
		lives[t.HandoffID] = l
	}
	return lives, nil
}

// revive stores again what was pruned here, and brought back by others who had not heard of that. The
// marks come back with it; its acts never went. What cannot be had now is looked for by the next
// exchange, for which the acts wait.
func (x *syncing) revive(ctx ctx, c *catch) (err error) {
	if c.past, err = x.pasts(c); err != nil || len(c.past) == 0 {
		return err
	}
	lives, err := x.lives(c)
	if err != nil {
		return err
	}
	last := make(map[string]handoff.Tombstone)
	for _, t := range c.held.Pruned {
		last[t.HandoffID] = t.Tombstone
	}
	gone := make(map[string]*past)
	for id, p := range c.past {
		t := handoff.Tombstone{Turn: max(p.turn, last[id].Turn)}
		if p.stays = p.turn == 0 || !t.IsTakenBack(lives[id]); p.stays {
			continue
		}
		for _, m := range p.marks {
			c.held.addMark(id, m)
		}
		if p.time != "" && !x.has(id) {
			gone[id] = p
		}
	}
	return x.storeAgain(ctx, gone)
}

func (x *syncing) storeAgain(ctx ctx, gone map[string]*past) error {
	if len(gone) == 0 {
		return nil
	}
	find := x.again
	if find == nil {
		find = x.published
	}
	sources, err := find(ctx, gone)
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

// published returns the handoffs that some writer has published, with their signatures: what is pruned
// stays there.
func (x *syncing) published(ctx ctx, gone map[string]*past) (sources []handoff.Source, err error) {
	var want []wanted
	var from []handoff.Source
	for _, ref := range slices.Sorted(maps.Keys(x.refs)) {
		writer, isFetched := strings.CutPrefix(ref, own("fetched", ""))
		if !isFetched && ref != own("writers", x.writer) {
			continue
		}
		commit := x.refs[ref]
		for id, p := range gone {
			name := fileOf(id, p.time)
			want = append(want, wanted{commit + ":" + name, layout.MaxDocument}, wanted{commit + ":" + signatureOf(name), layout.MaxSignature})
			from = append(from, handoff.Source{Name: id, ID: id, Origin: &handoff.Origin{Writer: strings.TrimPrefix(writer, own("writers", "")), Commit: commit}})
		}
	}
	texts, err := x.repo.read(ctx, want)
	found := make(map[string]bool)
	for i, source := range from {
		if source.Text = texts[2*i]; err != nil || source.Text == nil || found[source.ID] {
			continue
		}
		if signature := texts[2*i+1]; len(signature) > 0 {
			source.Signatures = []string{string(signature)}
		}
		found[source.ID], sources = true, append(sources, source)
	}
	return sources, err
}

// hiddenFor is how long the file of what others have pruned stays. Until then it is archived here, as the
// event says that came before the tombstone, and `handoff prune` takes it away sooner.
const hiddenFor = 90 * 24 * time.Hour

// bury takes over the tombstones, once the marks and acts are here that say what is past. What is not
// past here waits, and so does what others have pruned only now. A tombstone that was taken back counts
// for nothing, and nor does one that was known before: what it ended was restored here since.
func (x *syncing) bury(ctx ctx, c *catch) error {
	if len(c.held.Pruned) == 0 {
		return nil
	}
	lives, err := x.lives(c)
	if err != nil {
		return err
	}
	ids := make([]string, len(c.held.Pruned))
	for i, t := range c.held.Pruned {
		ids[i] = t.HandoffID
	}
	here, err := x.known(ids)
	if err != nil {
		return err
	}
	seen := make(map[string]string)
	var due []handoff.Tombstone
	var later []heldTombstone
	judge := x.Judge()
	for _, t := range c.held.Pruned {
		t.Seen = cmp.Or(t.Seen, x.Now().UTC().Format(time.RFC3339))
		e, isHere := here[t.HandoffID]
		p := c.past[t.HandoffID]
		switch {
		case t.IsTakenBack(lives[t.HandoffID]), p != nil && t.Turn <= p.turn:
		case !isHere, judge.Tombstone(t.Tombstone, e) != nil, !c.near && !x.isOld(t):
			later = append(later, t)
		default:
			due, seen[t.HandoffID] = append(due, t.Tombstone), t.Seen
		}
	}
	gone, waiting, err := x.Bury(ctx, due)
	for _, t := range waiting {
		later = append(later, heldTombstone{t, seen[t.HandoffID]})
	}
	x.got.Pruned, c.held.Pruned = gone, later
	return err
}

// isOld reports whether a tombstone has hidden its handoff for long enough, by the clock of this machine.
func (x *syncing) isOld(t heldTombstone) bool {
	at, err := time.Parse(time.RFC3339, t.Seen)
	return err == nil && x.Now().Sub(at) >= hiddenFor
}
