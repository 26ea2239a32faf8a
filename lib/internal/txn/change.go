package txn

import (
	"errors"
	"path/filepath"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/durable"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
)

// A Step is one atomic change of the store. Before commit nothing counts, after it everything does.
type Step struct {
	Intent Intent
	staged []*durable.Staged // what is published as the Bodies with an inode, in their order
	Events []eventlog.Pending
	Commit func() error // replaces one file and syncs its directory
	Begins bool         // the log may begin with this change although there are rows
}

// Apply carries the step out, in the order that lets any interruption be finished or taken back: room in
// the log, intent, bodies, commit, events.
func (x *Session) Apply(c Step) error {
	log, err := x.announce(&c)
	if err != nil {
		return err
	}
	defer log.Close()
	if err := x.publishBodies(c); err != nil {
		return x.takeBack(err)
	}
	if err := x.stillLocked(); errors.Is(err, fault.ErrBusy) {
		return err
	} else if err != nil {
		return x.takeBack(err)
	}
	if err := c.Commit(); err != nil {
		return x.takeBack(err)
	}
	if err := x.settle(c.Intent, log); err != nil {
		return fault.New(nil, fault.Then(err, "run any writing command to complete it"), "published, but not yet recorded in the audit log: %v", err)
	}
	return nil
}

// announce prepares the log for the events of c and publishes the intent.
func (x *Session) announce(c *Step) (*durable.Log, error) {
	log, err := x.Log(true)
	if err != nil {
		return nil, err
	}
	if err = x.link(log, c); err == nil {
		err = log.Reserve(int64(len(c.Intent.LogLines)))
	}
	if err == nil {
		err = x.stillLocked()
	}
	if err == nil {
		err = x.publishIntent(c.Intent)
	}
	if err != nil {
		log.Close()
		return nil, err
	}
	return log, nil
}

// link turns the events of c into the lines that continue the chain.
func (x *Session) link(log *durable.Log, c *Step) error {
	prev, recovered, err := x.head(log, c.Begins)
	if err != nil {
		return err
	}
	if recovered != nil {
		c.Events = append([]eventlog.Pending{*recovered}, c.Events...)
	}
	info, err := log.Stat()
	if err != nil {
		return err
	}
	c.Intent.LogOffset = info.Size()
	var lines strings.Builder
	lines.Grow(len(c.Events) * 640) // about what an event takes
	for _, e := range c.Events {
		var line []byte
		if line, prev, err = eventlog.Link(prev, e.Type, x.Opt.Now(), e.Payload, e.Redacted); err != nil {
			return err
		}
		lines.Write(line)
	}
	c.Intent.LogLines = lines.String()
	return nil
}

// publishIntent makes the intent appear whole. The sync of the directory that makes it durable is the one
// that follows the bodies: an intent without bodies has nothing to take back.
func (x *Session) publishIntent(intent Intent) error {
	text, err := intent.Bytes()
	if err != nil {
		return err
	}
	if len(text) > layout.MaxIntent { // recovery could not read it
		return fault.New(fault.ErrInvalid, "write fewer documents at once", "nothing was published: the change is too large to be recovered")
	}
	staged, err := x.Dir.Stage(text, 0o644)
	if err != nil {
		return err
	}
	defer staged.Discard()
	return staged.Publish(layout.Intent)
}

func (x *Session) publishBodies(c Step) error {
	next := 0
	for _, body := range c.Intent.Bodies {
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
func (x *Session) settle(intent Intent, log *durable.Log) error {
	if intent.History != "" {
		if err := x.ensureHistory(intent.History); err != nil {
			return err
		}
	}
	if intent.Op == OpResume {
		if err := x.finishResume(&intent); err != nil {
			return err
		}
	}
	if err := log.Put([]byte(intent.LogLines), intent.LogOffset); err != nil {
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
		again := &Session{Store: x.Store, Dir: fresh, State: x.State}
		var committed bool
		if committed, err = again.finish(); err == nil && !committed {
			return fault.New(nil, fault.Then(cause, "run the command again"), "nothing was published: %v", cause)
		}
	}
	return fault.New(nil, fault.Then(cause, "run the same command again: what was interrupted is completed or taken back first"),
		"not known to be published: %v", cause)
}

func (x *Session) Path(file string) string { return filepath.Join(x.Opt.Dir, file) }
