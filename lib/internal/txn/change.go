package txn

import (
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"slices"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/durable"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// A step is one atomic change of the store. Before commit nothing counts, after it everything does.
type step struct {
	op     *Operation
	intent Intent
	staged []*durable.Staged // what is published as the Bodies with an inode, in their order
	events []eventlog.Pending
	more   iter.Seq[eventlog.Pending] // that follow; nil for none. Those of a large batch would fill memory
	commit func() error               // replaces one file and syncs its directory; nil is what op does to redo it
	begins bool                       // the log may begin with this change although there are rows
}

// ErrUnrecorded is wrapped by the error of a change that is made, and of which what follows its commit
// is left to the next session.
var ErrUnrecorded = errors.New("not recorded yet")

// apply carries the step out, in the order that lets any interruption be finished or taken back: room in
// the log, intent, bodies, commit, events.
func (x *Session) apply(c step) error {
	log, err := x.announce(&c)
	if err != nil {
		return err
	}
	defer log.Close()
	defer c.intent.lines.discard()
	if err := x.publishBodies(c); err != nil {
		return x.takeBack(err)
	}
	if err := x.stillLocked(); errors.Is(err, fault.ErrBusy) {
		return err
	} else if err != nil {
		return x.takeBack(err)
	}
	commit := c.commit
	if commit == nil {
		commit = func() error { return c.op.redo(x, &c.intent) }
	}
	if err := commit(); err != nil {
		return x.takeBack(err)
	}
	if err := x.settle(c.op, &c.intent, log); err != nil {
		return &fault.Error{Problem: fmt.Sprintf("published, but not yet recorded in the audit log: %v", err),
			Advice: fault.Then(err, "run any writing command to complete it"), Cause: errors.Join(ErrUnrecorded, err)}
	}
	return nil
}

// announce prepares the log for the events of c and publishes the intent.
func (x *Session) announce(c *step) (*durable.Log, error) {
	log, err := x.Log(true)
	if err != nil {
		return nil, err
	}
	if err = x.link(log, c); err == nil {
		err = log.Reserve(c.intent.logSize())
	}
	if err == nil {
		err = x.stillLocked()
	}
	if err == nil {
		err = x.publishIntent(c)
	}
	if err != nil {
		c.intent.lines.discard()
		log.Close()
		return nil, err
	}
	return log, nil
}

// link turns the events of c into the lines that continue the chain.
func (x *Session) link(log *durable.Log, c *step) error {
	prev, recovered, err := x.head(log, c.begins)
	if err != nil {
		return err
	}
	if recovered != nil {
		c.events = append([]eventlog.Pending{*recovered}, c.events...)
	}
	info, err := log.Stat()
	if err != nil {
		return err
	}
	c.intent.LogOffset, c.intent.lines = info.Size(), &lines{dir: x.State}
	add := func(e eventlog.Pending) bool {
		var line []byte
		if line, prev, err = eventlog.Link(prev, e.Type, x.Opt.Now(), e.Payload, e.Redacted); err == nil {
			err = c.intent.lines.add(line)
		}
		return err == nil
	}
	slices.Values(c.events)(add)
	if err == nil && c.more != nil {
		c.more(add)
	}
	return err
}

// publishIntent makes the intent appear whole, and durably before a body gets its name.
func (x *Session) publishIntent(c *step) error {
	here, err := x.Dir.Lstat(".")
	if err != nil {
		return err
	}
	if c.intent.LogOffset == 0 { // who recorded the machine may have died before that was synced
		if err := x.State.Sync(); err != nil {
			return err
		}
	}
	c.intent.Op, c.intent.Place = c.op.Name, here.Inode
	key, err := x.ownKey()
	if err != nil {
		return err
	}
	staged, err := x.Dir.BeginStage(nil, 0o644)
	if err != nil {
		return err
	}
	size, err := c.intent.Print(staged, key)
	if err == nil && size > layout.MaxIntent { // recovery could not read it
		err = fault.New(fault.ErrInvalid, "write fewer documents at once", "nothing was published: the change is too large to be recovered")
	}
	if err == nil {
		err = staged.Sync()
	}
	if err == nil {
		err = staged.Publish(layout.Intent)
	}
	if err != nil {
		staged.Discard()
		return err
	}
	x.AfterEnd(staged.Outlast(c.intent.Index))
	if len(c.staged) == 0 { // without bodies there is nothing to take back
		return nil
	}
	return x.Dir.Sync()
}

// publishBodies gives the staged bodies their names, each exclusively, and makes the names durable with one
// sync of the directory. A body whose file was there before has nothing staged.
func (x *Session) publishBodies(c step) error {
	if c.op == &write {
		if err := x.publishSignatures(&c.intent); err != nil {
			return err
		}
	}
	next := 0
	for _, body := range c.intent.Bodies {
		if body.Inode == 0 {
			continue
		}
		if err := c.staged[next].Publish(body.File); err != nil {
			return err
		}
		next++
	}
	return x.Dir.Sync()
}

// settle records a committed change in the log and ends it.
func (x *Session) settle(op *Operation, intent *Intent, log *durable.Log) error {
	if op.settle != nil {
		if err := op.settle(x, intent); err != nil {
			return err
		}
	}
	if err := intent.record(log); err != nil {
		return err
	}
	if intent.LogOffset == 0 { // the log may be new: its name must survive too
		if err := x.State.Sync(); err != nil {
			return err
		}
	}
	return x.Dir.Remove(layout.Intent)
}

// takeBack is for a failure at or before the commit. It lets recovery decide from what is on disk, with
// descriptors of its own: those of the failed call may hide a later failure.
func (x *Session) takeBack(cause error) error {
	fresh, err := x.Dir.Reopen()
	if err == nil {
		defer fresh.Close()
		again := &Session{Dirs: store.Dirs{Store: x.Store, Dir: fresh, State: x.State}, key: x.key}
		var committed bool
		if committed, err = again.finish(); err == nil && !committed {
			return fault.New(nil, fault.Then(cause, "run the command again"), "nothing was published: %v", cause)
		}
	}
	return fault.New(nil, fault.Then(cause, "run the same command again: what was interrupted is completed or taken back first"),
		"not known to be published: %v", cause)
}

// Path returns the path of a file of the handoffs directory, for messages.
func (x *Session) Path(file string) string { return filepath.Join(x.Opt.Dir, file) }
