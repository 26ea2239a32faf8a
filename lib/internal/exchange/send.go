package exchange

import (
	"context"
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
	turns   map[string][]string // the ids of the turns
	lost    []string            // turns that no longer count
	n       int
}

func (u *unsent) add(name string, line []byte, isTurn bool) {
	if u.n++; isTurn {
		u.turns[name] = append(u.turns[name], log.IDOf(line))
	}
	u.lines[name] = append(u.lines[name], line)
}

// collect finds what is unsent, and adds the lines of new events.
func (x *Exchange) collect(look *store.Look, more []log.Pending) (u unsent, err error) {
	u = unsent{through: look.At, count: look.Count, lines: map[string][][]byte{}, turns: map[string][]string{}}
	from := look.Sync.Logs[x.outbox].Through
	if from == (log.Point{}) || x.restored != nil {
		from = log.Start
	}
	err = x.At.EventsFrom(from, u.through, func(e log.Event) {
		if h := look.Of(e.Payload.ID); h != nil && !h.Pruned {
			x.collectOne(&u, look, h, e)
		}
	})
	for _, p := range more {
		line, lineErr := p.Line()
		if err == nil && lineErr != nil {
			err = lineErr
		}
		u.add(turnLog(p.Payload.ID), line, true)
	}
	return u, err
}

// collectOne adds an event about a handoff that is unsent.
func (x *Exchange) collectOne(u *unsent, look *store.Look, h *facts.Handoff, e log.Event) {
	isOwn := e.Payload.Here == nil || e.Payload.Here.Log == "" || x.restored != nil
	switch {
	case (e.Type == log.Write || e.Type == log.Import) && isOwn && !x.sent[h.ID]:
		if line := x.documentLine(h.ID, look); line != nil {
			u.add(x.outbox, line, false)
		}
	case slices.Contains(factTypes, e.Type) && isOwn && !x.sent[e.ID()]:
		u.add(x.outbox, e.Line(), false)
	case !isTurn(e.Type):
	case x.restored != nil:
		if !x.sent[e.ID()] {
			u.add(turnLog(h.ID), e.Line(), true)
		}
	case look.IsUnsent(e.ID()) && look.Counts(h, e.ID()):
		u.add(turnLog(h.ID), e.Line(), true)
	case look.IsUnsent(e.ID()):
		u.lost = append(u.lost, e.ID())
		x.report.Lost = append(x.report.Lost, Lost{h.ID, e.Type, e.Payload.Operator, e.Payload.Session})
	}
}

// An announcer is a remote that must be told again that logs have changed, after an append of which no answer came.
type announcer interface {
	Announce(ctx context.Context, logs []string) error
}

// append appends batches. The logs are noted before: a killed process may have appended to them.
func (x *Exchange) append(ctx context.Context, all []remote.Addition) (map[string]remote.Position, error) {
	_, mustNote := x.Remote.(announcer)
	if len(all) == 0 {
		return nil, nil
	}
	if mustNote {
		names := make([]string, len(all))
		for i, a := range all {
			names[i] = a.Log
		}
		x.At.SetAppending(names)
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

// push appends what is unsent and the lines of new events, and records both. The error is remote.ErrMoved if a log has
// moved: then nothing happened.
func (x *Exchange) push(ctx context.Context, more []log.Pending) error {
	look, err := x.At.Look(false)
	if err != nil {
		return err
	}
	u, err := x.collect(look, more)
	if err != nil {
		return err
	}
	var all []remote.Addition
	for _, name := range slices.Sorted(maps.Keys(u.lines)) {
		end := remote.Position(look.Sync.Logs[name].End)
		if x.restored != nil {
			end = x.restored.ends[name]
		}
		all = append(all, remote.Addition{Log: name, After: end,
			Text: newBatch(u.count, u.through.Hash, u.lines[name])})
	}
	if len(all) == 0 && len(u.lost) == 0 && x.restored == nil {
		return nil
	}
	if x.isDry {
		x.report.Sent = u.n
		return nil
	}
	ends, err := x.append(ctx, all)
	if err != nil {
		return err
	}
	x.report.Sent += u.n - len(more)
	return x.At.Change(ctx, func(c *store.Change) error {
		if x.restored != nil {
			c.Add(log.SyncBegin, log.Payload{Remote: x.Name, Missing: x.missing})
			for _, read := range x.restored.reads {
				c.Add(log.SyncRead, read)
			}
		}
		for _, p := range more {
			c.AddEvent(p, nil)
		}
		for _, a := range all {
			read := log.Payload{Log: a.Log, End: string(ends[a.Log]), Turns: u.turns[a.Log]}
			if a.Log == x.outbox {
				read.Through = u.through.String()
			}
			c.Add(log.SyncRead, read)
		}
		if len(u.lost) > 0 {
			c.Add(log.SyncLost, log.Payload{Events: u.lost})
		}
		return nil
	})
}
