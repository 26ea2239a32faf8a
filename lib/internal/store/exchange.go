package store

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/log"
)

// Plan returns the events that do would add to the store as it is now. Nothing is stored, and nothing is locked.
func (s *Store) Plan(do func(*Change) error) ([]log.Pending, error) {
	look, err := s.Look(false)
	if err != nil {
		return nil, err
	}
	c := s.newChange()
	c.View = look.View
	err = do(c)
	return c.events, err
}

// AddEvent adds an event that was received or sent before: with the same line.
func (c *Change) AddEvent(p log.Pending, here *log.Here) {
	p.Payload.Here = here
	c.events = append(c.events, p)
}

// Held opens the directory of received documents that wait.
func (s *Store) Held() (*disk.Dir, error) { return s.make(filepath.Join(s.Opt.StateDir, disk.Held)) }

// Versions returns what a sync knows of the logs of the remote: a word for each. It can be lost.
func (s *Store) Versions() (all map[string]string) {
	_ = json.Unmarshal(s.readOwn(versionsFile, maxSnapshot), &all)
	return all
}

// SetVersions replaces what Versions returns.
func (s *Store) SetVersions(all map[string]string) {
	text, _ := json.Marshal(all)
	_ = s.writeOwn(versionsFile, text, false)
}

// Appending returns the logs of an append of which no answer came, and SetAppending what is appended now.
func (s *Store) Appending() []string {
	return strings.Fields(string(s.readOwn(appendingFile, maxSnapshot)))
}

// SetAppending notes the logs that an append is about to change; none when its answer has come.
func (s *Store) SetAppending(logs []string) {
	_ = s.writeOwn(appendingFile, []byte(strings.Join(logs, "\n")), len(logs) > 0)
}

// OneSync makes sure that one sync runs at a time. The error is fault.ErrBusy.
func (s *Store) OneSync(ctx context.Context) (unlock func(), err error) {
	d, err := s.make(s.Opt.StateDir)
	if err != nil {
		return nil, err
	}
	release, err := d.Lock(ctx, "sync.lock", s.Opt.LockTimeout)
	if err != nil {
		d.Close()
		return nil, err
	}
	return func() {
		release()
		d.Close()
	}, nil
}

// OwnPath returns the directory of the store in the user's state, "" if the user has none. It need not be there.
func (s *Store) OwnPath() string { return s.ownPath() }
