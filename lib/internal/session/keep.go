package session

import (
	"context"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
)

// A Kept is what an agent reported of the work of a session.
type Kept struct {
	Summary string `json:"summary,omitempty"` // of a compaction
	Last    string `json:"last,omitempty"`    // the last message of the agent
	Extract string `json:"extract,omitempty"` // of the transcript
}

// maxAge is the age at which a draft of a hook is removed.
const maxAge = 14 * 24 * time.Hour

// keepWait is the wait for another hook of the same store. The agent waits for the hook.
const keepWait = time.Second

// isExpired reports whether a hook left the draft long ago.
func (d Draft) isExpired(now time.Time) bool {
	saved, err := time.Parse(time.RFC3339Nano, d.Saved)
	return d.Hook && err == nil && now.Sub(saved) > maxAge
}

// Keep changes the draft that the hook keeps for a session of an agent. change receives the draft, the zero Draft if
// there is none, and returns the one to store; without a text none is stored. If the store has no machine yet, Keep
// does nothing unless begin is set.
//
// Hooks of one store change its drafts one after another. Keep also removes expired drafts of hooks, and the oldest
// ones above the limit.
func (b Box) Keep(ctx context.Context, agent, session string, begin bool, change func(old Draft) Draft) error {
	known, err := b.At.MatchesMachine()
	if err != nil || !known && !begin {
		return err
	}
	dir, done, err := b.begin(ctx, known, min(b.At.Opt.LockTimeout, keepWait))
	if err != nil {
		return err
	}
	defer done()
	if dir.Lock(ctx, keepWait) == nil { // a hook that hangs loses no draft
		defer dir.Unlock()
	}
	all, err := b.ofHooks(dir)
	if err != nil {
		return err
	}
	var old Draft
	for _, d := range all {
		if d.isOf(agent, session) && d.Saved >= old.Saved {
			old = d
		}
	}
	d := change(old)
	if d.Text == "" {
		return removeAll(dir, all, func(o Draft) bool { return o.isOf(agent, session) })
	}
	d.Hook, d.Agent, d.Session = true, agent, session
	if err := b.fit(&d); err != nil {
		return err
	}
	if d.Saved = b.At.Now(); d.isSame(old) {
		return dir.Sync()
	}
	if err := b.save(dir, &d, all); err != nil || session != "" || old.ID == "" || old.ID == d.ID {
		return err
	}
	return removeAll(dir, all, func(o Draft) bool { return o.ID == old.ID }) // save replaces only those of a session
}

// fit makes a draft one that can be stored: without credentials, and not too long.
func (b Box) fit(d *Draft) error {
	if err := b.Screen(d); err != nil {
		return err
	}
	if len(d.Text) > b.MaxBytes {
		d.Text = strings.ToValidUTF8(d.Text[:b.MaxBytes], "")
	}
	return d.check(b.MaxBytes)
}

// isOf reports whether the hook keeps d for a session of an agent.
func (d Draft) isOf(agent, session string) bool { return d.Agent == agent && d.Session == session }

// ofHooks returns the drafts that hooks of this machine left and keep. It removes expired ones.
func (b Box) ofHooks(dir *disk.Dir) (drafts []Draft, err error) {
	names, err := dir.Names(isName)
	if err != nil {
		return nil, err
	}
	isOwn, now := b.isOwn(), b.At.Opt.Now()
	for _, name := range names {
		if stem, _ := cutSeal(name); !strings.Contains(stem, "-") || !isOwn(name) {
			continue
		}
		d, err := read(dir, name, isOwn)
		switch {
		case err != nil: // All warns
		case d.isExpired(now):
			if err := dir.Remove(name); err != nil {
				return nil, err
			}
		default:
			drafts = append(drafts, d)
		}
	}
	return drafts, nil
}

// removeAll removes the drafts for which is returns true.
func removeAll(dir *disk.Dir, drafts []Draft, is func(Draft) bool) error {
	for _, d := range drafts {
		if is(d) {
			if err := dir.Remove(d.name()); err != nil {
				return err
			}
		}
	}
	return dir.Sync()
}

// Written records that a session of an agent wrote a handoff: the draft that the hook keeps for it never becomes
// visible. An empty session means all sessions of the agent that are still running.
func (b Box) Written(ctx context.Context, agent, session string) error {
	dir, err := b.open()
	if err != nil || dir == nil {
		return err
	}
	drafts, err := b.ofHooks(dir)
	dir.Close()
	for _, d := range drafts {
		mine := d.Agent == agent && d.Process != "" && !d.Wrote &&
			(d.Session == session || session == "" && disk.Runs(d.Process))
		if err != nil || !mine {
			continue
		}
		err = b.Keep(ctx, agent, d.Session, false, func(old Draft) Draft {
			old.Wrote, old.Kept = true, Kept{}
			return old
		})
	}
	return err
}

// noDraft returns the error for an id of no draft.
func noDraft(id string) error {
	return fault.Invalid("run `handoff draft list` to see the ids", "no draft %q", id)
}
