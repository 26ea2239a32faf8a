package handoff

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"path/filepath"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/canon"
	"github.com/seed-78daf238/handoff/lib/internal/durable"
	"github.com/seed-78daf238/handoff/lib/internal/journal"
)

var chain = journal.Chain{Canon: canon.Transform, Hash: canon.SHA256Hex}

// A step is one atomic change of the store. Before commit nothing counts, after it everything does.
type step struct {
	intent journal.Intent
	staged []*durable.Staged // what is published as the Bodies with an inode, in their order
	events []event
	commit func() error // replaces one file and syncs its directory
	begins bool         // the log may begin with this change although there are rows
}

type event struct {
	kind    string
	payload any
}

// apply carries the step out, in the order that lets any interruption be finished or taken back: room in
// the log, intent, bodies, commit, events.
func (x *session) apply(c step) error {
	log, err := x.announce(&c)
	if err != nil {
		return err
	}
	defer log.Close()
	if err := x.publishBodies(c); err != nil {
		return x.takeBack(err)
	}
	if err := x.stillLocked(); errors.Is(err, ErrBusy) {
		return err
	} else if err != nil {
		return x.takeBack(err)
	}
	if err := c.commit(); err != nil {
		return x.takeBack(err)
	}
	if err := x.settle(c.intent, log); err != nil {
		return fault.New(nil, fault.Then(err, "run any writing command to complete it"), "published, but not yet recorded in the audit log: %v", err)
	}
	return nil
}

// announce prepares the log for the events of c and publishes the intent.
func (x *session) announce(c *step) (*durable.Log, error) {
	log, err := x.log(true)
	if err != nil {
		return nil, err
	}
	if err = x.link(log, c); err == nil {
		err = log.Reserve(int64(len(c.intent.LogLines)))
	}
	if err == nil {
		err = x.stillLocked()
	}
	if err == nil {
		err = x.publishIntent(c.intent)
	}
	if err != nil {
		log.Close()
		return nil, err
	}
	return log, nil
}

// link turns the events of c into the lines that continue the chain.
func (x *session) link(log *durable.Log, c *step) error {
	prev, recovered, err := x.head(log, c.begins)
	if err != nil {
		return err
	}
	if recovered != nil {
		c.events = append([]event{*recovered}, c.events...)
	}
	info, err := log.Stat()
	if err != nil {
		return err
	}
	c.intent.LogOffset = info.Size()
	var lines strings.Builder
	lines.Grow(len(c.events) * 640) // about what an event takes
	for _, e := range c.events {
		var line []byte
		var redacted []string
		if w, ok := e.payload.(writePayload); ok {
			redacted = w.redacted
		}
		if line, prev, err = chain.Next(prev, e.kind, x.opt.Now(), e.payload, redacted); err != nil {
			return err
		}
		lines.Write(line)
	}
	c.intent.LogLines = lines.String()
	return nil
}

// publishIntent makes the intent appear whole. The sync of the directory that makes it durable is the one
// that follows the bodies: an intent without bodies has nothing to take back.
func (x *session) publishIntent(intent journal.Intent) error {
	text, err := intent.Bytes()
	if err != nil {
		return err
	}
	if len(text) > maxIntent { // recovery could not read it
		return fault.New(ErrInvalid, "write fewer documents at once", "nothing was published: the change is too large to be recovered")
	}
	staged, err := x.dir.Stage(text, 0o644)
	if err != nil {
		return err
	}
	defer staged.Discard()
	return staged.Publish(journal.IntentName)
}

func (x *session) publishBodies(c step) error {
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
	return x.dir.Sync()
}

// settle records a committed change in the log and ends it.
func (x *session) settle(intent journal.Intent, log *durable.Log) error {
	if intent.History != "" {
		if err := x.ensureHistory(intent.History); err != nil {
			return err
		}
	}
	if intent.Op == journal.OpResume {
		if err := x.finishResume(&intent); err != nil {
			return err
		}
	}
	if err := log.Put([]byte(intent.LogLines), intent.LogOffset); err != nil {
		return err
	}
	if intent.LogOffset == 0 { // the log may be new: its name must survive too
		if err := x.state.Sync(); err != nil {
			return err
		}
	}
	return x.dir.Remove(journal.IntentName)
}

// takeBack is for a failure at or before the commit. It lets recovery decide from what is on disk, with
// descriptors of its own: those of the failed call may hide a later failure.
func (x *session) takeBack(cause error) error {
	fresh, err := x.dir.Reopen()
	if err == nil {
		defer fresh.Close()
		again := &session{Store: x.Store, dir: fresh, state: x.state}
		var committed bool
		if committed, err = again.finish(); err == nil && !committed {
			return fault.New(nil, fault.Then(cause, "run the command again"), "nothing was published: %v", cause)
		}
	}
	return fault.New(nil, fault.Then(cause, "run the same command again: what was interrupted is completed or taken back first"),
		"not known to be published: %v", cause)
}

func sha256Hex(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

func (x *session) path(file string) string { return filepath.Join(x.opt.Dir, file) }
