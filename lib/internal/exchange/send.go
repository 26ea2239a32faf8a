package exchange

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/seed-78daf238/handoff/lib/exchange/remote"
	"github.com/seed-78daf238/handoff/lib/internal/facts"
	"github.com/seed-78daf238/handoff/lib/internal/log"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// An unsent has what is this clone's own and in no log, by log.
type unsent struct {
	through log.Point // the point of the audit log up to which it was collected
	count   int       // of events there
	lines   map[string][][]byte
	sizes   map[string]int
	ids     map[string][]string // of the lines
	lost    []string            // turns that no longer count
	mine    map[string]string   // the operators of lines that this user seals, by id
	seals   []log.Event         // that are here
	waits   map[string]bool     // the ids of lines that wait for the seal of somebody else
	isThere bool                // the outbox has lines of which no answer came
	isPart  bool                // there is more
	scanned int64               // bytes of the audit log that were looked through

	turns map[string][]byte // the lines of all turns, to restore the remote
}

// n returns how many lines there are, seals left out.
func (u *unsent) n() (n int) {
	for _, ids := range u.ids {
		n += len(ids)
	}
	return n
}

// add adds the line that text returns, unless the batch of the log is full.
func (u *unsent) add(name, id string, text func() []byte) {
	if len(u.lines[name]) >= maxLines/2 || u.sizes[name] >= maxChange/2 {
		u.isPart = true
		return
	}
	if line := text(); line != nil {
		u.put(name, id, line)
	}
}

func (u *unsent) put(name, id string, line []byte) {
	u.ids[name], u.lines[name] = append(u.ids[name], id), append(u.lines[name], line)
	u.sizes[name] += len(line)
}

// collect finds what is unsent.
func (x *Exchange) collect(look *store.Look) (u *unsent, err error) {
	u = &unsent{through: look.At, count: look.Count, lines: map[string][][]byte{}, ids: map[string][]string{},
		sizes: map[string]int{}, turns: map[string][]byte{}, mine: map[string]string{}, waits: map[string]bool{}}
	from := look.Sync.Logs[x.outbox].Through
	if from == (log.Point{}) || x.restored != nil {
		from = log.Start
	}
	u.scanned = u.through.Offset - from.Offset
	x.report.Lost, x.report.Unsealed = x.report.Lost[:0], nil
	x.findUnsealed(u, look)
	if from != log.Start && len(u.mine) > 0 { // they may have waited for long
		err = x.At.EventsFrom(log.Start, from, func(e log.Event) {
			if u.mine[e.ID()] != "" {
				x.collectOne(u, look, e)
			}
		})
	}
	err = errors.Join(err, x.At.EventsFrom(from, u.through, func(e log.Event) { x.collectOne(u, look, e) }))
	if x.restored == nil {
		return u, err
	}
	for _, h := range look.All() { // in the order in which they count
		for _, t := range look.Turns(h) {
			switch line := u.turns[t.ID]; {
			case line == nil || x.sent[t.ID]:
			case look.IsUnsent(t.ID) && !look.Counting(h)[t.ID]:
				x.lose(u, look, h, *t)
			default:
				u.add(turnLog(h.ID), t.ID, func() []byte { return line })
			}
		}
	}
	return u, err
}

// findUnsealed finds the events that wait for a seal: of this user, or of somebody else.
func (x *Exchange) findUnsealed(u *unsent, look *store.Look) {
	for _, h := range look.All() {
		for _, e := range look.Unsealed(h) {
			if x.canSeal(e.Operator) {
				u.mine[e.ID] = e.Operator
				continue
			}
			u.waits[e.ID] = true
			x.report.Unsealed = append(x.report.Unsealed, Lost{ID: h.ID, Type: e.Type, Operator: e.Operator})
		}
	}
}

// canSeal reports whether this user seals the events of an operator.
func (x *Exchange) canSeal(operator string) bool {
	return x.Sign != nil && x.At.Opt.IsSigner != nil && x.At.Opt.IsSigner(operator)
}

// collectOne adds an event about a handoff that is unsent.
func (x *Exchange) collectOne(u *unsent, look *store.Look, e log.Event) {
	if e.Type == log.Seal {
		u.seals = append(u.seals, e)
	}
	h := look.Of(e.Payload.ID)
	if h == nil || h.Pruned {
		return
	}
	if here := e.Payload.Here; x.restored == nil && here != nil && here.Log != "" && !log.IsTurn(e.Type) {
		return
	}
	id, isDocument := h.ID, e.Type == log.Write || e.Type == log.Import
	if !isDocument {
		id = e.ID()
	}
	// of a type we do not know
	isOther := x.restored != nil && e.Payload.Here != nil && !isDocument && !log.IsTurn(e.Type)
	// It may have been sent before its operator had to sign.
	_, isLate := u.mine[id]
	if log.IsTurn(e.Type) || isFact(e.Type) {
		u.seal(x, id, e.Payload)
	}
	switch {
	case u.waits[id]:
	case isDocument || isOther || isFact(e.Type):
		if u.isThere = u.isThere || x.sent[id]; x.sent[id] && !isLate {
			return
		}
		if !isDocument {
			u.add(x.outbox, id, e.Line)
		}
		if isDocument || e.Type == log.Sign { // the document again, with its signature
			u.add(x.outbox, h.ID, func() []byte { return x.documentLine(h.ID, look) })
		}
	case !log.IsTurn(e.Type):
	case x.restored != nil:
		u.turns[id] = e.Line()
	case look.IsUnsent(id) && look.Counting(h)[id]:
		u.add(turnLog(h.ID), id, e.Line)
	case look.IsUnsent(id):
		x.lose(u, look, h, facts.Turn{ID: id, Type: e.Type, Operator: e.Payload.Operator, Session: e.Payload.Session})
	}
}

// seal notes an event for this user to seal, if it was made here.
func (u *unsent) seal(x *Exchange, id string, p log.Payload) {
	if p.Here == nil && x.canSeal(p.Operator) {
		u.mine[id] = p.Operator
	}
}

// addSeals adds seals of this user's lines, and those that are here already, to the logs of the lines. It returns the
// new ones.
func (x *Exchange) addSeals(u *unsent) (made []log.Pending, err error) {
	for _, e := range u.seals {
		u.addSeal(e.Payload.Events, e.Line())
	}
	var mine []string
	for _, name := range slices.Sorted(maps.Keys(u.ids)) {
		for _, id := range u.ids[name] {
			if u.mine[id] != "" {
				mine = append(mine, id)
			}
		}
	}
	for ids := range slices.Chunk(mine, maxSealed) {
		armored, err := x.Sign(facts.SealNamespace, facts.SealText(ids))
		if err != nil {
			return nil, err
		}
		p := log.Payload{Operator: u.mine[ids[0]], Events: ids, Signature: string(armored)}
		made = append(made, log.Pending{Type: log.Seal, Payload: p})
		line, err := made[len(made)-1].Line()
		if err != nil {
			return nil, err
		}
		u.addSeal(ids, line)
	}
	return made, nil
}

// addSeal adds the line of a seal to the logs of the events that it lists.
func (u *unsent) addSeal(events []string, line []byte) {
	sealed := map[string]bool{}
	for _, id := range events {
		sealed[id] = true
		delete(u.mine, id)
	}
	for name, ids := range u.ids {
		if slices.ContainsFunc(ids, func(id string) bool { return sealed[id] }) {
			u.lines[name] = append(u.lines[name], line)
		}
	}
}

// lose notes a turn that no longer counts.
func (x *Exchange) lose(u *unsent, look *store.Look, h *facts.Handoff, t facts.Turn) {
	lost := Lost{ID: h.ID, Type: t.Type, Operator: t.Operator, Session: t.Session}
	if last := look.Life(h).Last(); last != nil {
		lost.By = last.Operator
	}
	u.lost, x.report.Lost = append(u.lost, t.ID), append(x.report.Lost, lost)
}

// An announcer is a remote that must be told again that logs have changed, after an append of which no answer came.
type announcer interface {
	Announce(ctx context.Context, logs []string) error
}

// append appends batches. The logs are noted before: a killed process may have appended to them.
func (x *Exchange) append(ctx context.Context, all []remote.Addition) (map[string]remote.Position, error) {
	_, mustNote := x.Remote.(announcer)
	if len(all) == 0 {
		return map[string]remote.Position{}, nil
	}
	x.tried = nil
	for _, a := range all {
		x.tried = append(x.tried, a.Log)
	}
	if mustNote {
		x.At.SetAppending(x.tried)
	}
	ends, err := x.Remote.Append(ctx, all)
	if mustNote && err == nil {
		x.At.SetAppending(nil)
	}
	return ends, err
}

// announce tells of the logs that an append may have changed, without an answer. They are read next.
func (x *Exchange) announce(ctx context.Context) error {
	logs := x.At.Appending()
	told, can := x.Remote.(announcer)
	if len(logs) == 0 || !can {
		return nil
	}
	err := told.Announce(ctx, logs)
	if err == nil {
		x.At.SetAppending(nil)
	}
	return err
}

// documentLine returns the line of a document, nil if its file is not whole.
func (x *Exchange) documentLine(id string, look *store.Look) []byte {
	dir, err := x.At.Open()
	if err != nil || dir == nil {
		return nil
	}
	defer dir.Close()
	h := look.Of(id)
	_, text, err := x.At.Load(dir, h)
	if err != nil {
		return nil
	}
	armored, err := x.At.Signature(id)
	if err != nil {
		return nil
	}
	line, err := document{ID: id, Text: string(text), Signature: string(armored), Source: h.Source}.line()
	if err != nil {
		return nil
	}
	return line
}

// push appends what is unsent, in as many batches as that needs, the last one with the lines of new events, and records
// it. The error is remote.ErrMoved if a log has moved: then nothing happened to the new events.
func (x *Exchange) push(ctx context.Context, more []log.Pending) error {
	for {
		look, err := x.At.Look(false)
		if err != nil {
			return err
		}
		u, err := x.collect(look)
		if err != nil {
			return err
		}
		if x.isDry {
			x.report.Sent = u.n()
			return nil
		}
		if u.isPart {
			if err := x.send(ctx, look, u, nil); err != nil {
				return err
			}
			continue
		}
		for _, p := range more {
			line, err := p.Line()
			if err != nil {
				return err
			}
			id := log.IDOf(line)
			u.seal(x, id, p.Payload)
			u.put(turnLog(p.Payload.ID), id, line)
		}
		return x.send(ctx, look, u, more)
	}
}

// send appends lines, and records them with the new events among them.
func (x *Exchange) send(ctx context.Context, look *store.Look, u *unsent, more []log.Pending) error {
	seals, err := x.addSeals(u)
	if err != nil {
		return err
	}
	var all []remote.Addition
	for _, name := range slices.Sorted(maps.Keys(u.lines)) {
		all = append(all, remote.Addition{Log: name, After: x.endOf(look, name),
			Text: newBatch(u.count, u.through.Hash, u.lines[name])})
	}
	if len(all) == 0 && len(u.lost) == 0 && !u.isThere && x.restored == nil && u.scanned < maxScanned {
		return nil
	}
	ends, err := x.append(ctx, all)
	if err != nil {
		return err
	}
	x.report.Sent += u.n() - len(more)
	if ends[x.outbox] == "" && (u.isThere || x.restored == nil && !u.isPart) {
		ends[x.outbox] = x.endOf(look, x.outbox) // so that all of it is not looked through again
	}
	for _, ids := range u.ids {
		for _, id := range ids {
			x.sent[id] = true
		}
	}
	return x.record(ctx, u, slices.Concat(more, seals), u.reads(x.outbox, ends))
}

// record records that lines were sent, with the new events among them. While the remote is restored, all of it comes
// with the last part.
func (x *Exchange) record(ctx context.Context, u *unsent, made []log.Pending, reads []log.Payload) error {
	if r := x.restored; r != nil {
		for _, read := range reads {
			r.ends[read.Log] = remote.Position(read.End)
		}
		r.reads, r.made = append(r.reads, reads...), append(r.made, made...)
		if reads, made = r.reads, r.made; u.isPart {
			return nil
		}
	}
	return x.At.Change(ctx, func(c *store.Change) error {
		if x.restored != nil {
			c.Add(log.SyncBegin, log.Payload{Remote: x.Name, Missing: x.missing})
		}
		for _, p := range made {
			c.AddEvent(p, nil)
		}
		for _, read := range reads {
			c.Add(log.SyncRead, read)
		}
		if len(u.lost) > 0 && !u.isPart {
			c.Add(log.SyncLost, log.Payload{Events: u.lost})
		}
		return nil
	})
}

// endOf returns where a log ends, as far as it was read.
func (x *Exchange) endOf(look *store.Look, name string) remote.Position {
	if x.restored != nil {
		return x.restored.ends[name]
	}
	return remote.Position(look.Sync.Logs[name].End)
}

// reads returns how far logs were read after an append. All up to through stands in the outbox, if nothing is left.
func (u *unsent) reads(outbox string, ends map[string]remote.Position) (all []log.Payload) {
	for _, name := range slices.Sorted(maps.Keys(ends)) {
		all = append(all, log.Payload{Log: name, End: string(ends[name])})
		if read := &all[len(all)-1]; name != outbox {
			read.Turns = u.ids[name]
		} else if !u.isPart {
			read.Through = u.through.String()
		}
	}
	return all
}
