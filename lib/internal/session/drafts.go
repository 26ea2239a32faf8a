package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
	"github.com/seed-78daf238/handoff/lib/internal/store"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

const (
	idLen      = 16 // hexadecimal digits of the SHA-256 of the file
	suffix     = ".json"
	maxFile    = 32 << 20
	maxOfHooks = 32 // the oldest ones are removed
)

// A Draft is text saved for later. It is on disk before its recipient is known, and stays until it is published or
// discarded.
type Draft struct {
	ID    string `json:"-"`
	Saved string `json:"saved_utc"` // also the ts_utc of the handoff without another, so that publishing twice is one

	// Hook reports that the hook of an agent left the draft. It then contains only what the agent reports about the
	// session, and Kept has the parts of it. Wrote reports that the session wrote a handoff, so it needs no draft.
	Hook    bool   `json:"hook,omitempty"`
	Agent   string `json:"agent,omitempty"`
	Session string `json:"session_id,omitempty"`

	// Process runs the session of a draft that a hook saves at the start of a session. The draft becomes visible when
	// the process has died, unless the session ended, wrote a handoff, or has an empty transcript.
	Process string `json:"process,omitempty"`
	Wrote   bool   `json:"wrote,omitempty"`
	Kept    Kept   `json:"kept,omitzero"`

	document.Document // the known frontmatter; unused if Text has frontmatter

	Text string `json:"text"` // the body, or a document with frontmatter

	// Foreign reports that the draft was not saved on this machine, or is not sealed: it may come from a cloned
	// repository.
	Foreign bool `json:"foreign,omitempty"`

	seal string
}

// A Box has the drafts of a store.
type Box struct {
	At       *store.Store
	MaxBytes int                // of a document
	Screen   func(*Draft) error // refuses or redacts credentials
}

// IsDocument reports whether the text has its own frontmatter.
func (d Draft) IsDocument() bool {
	return len(d.Instance()) == 0 && strings.HasPrefix(d.Text, "---")
}

// check returns ErrInvalid for a draft that can never become a handoff.
func (d Draft) check(max int) error {
	switch {
	case strings.TrimSpace(d.Text) == "":
		return fault.Invalid("", "the draft is empty")
	case len(d.Text) > max:
		return fault.Invalid("shorten it",
			"the draft has %d bytes, more than the %d that a handoff may have", len(d.Text), max)
	case !utf8.ValidString(d.Text + fmt.Sprint(d.Fields())), strings.ContainsRune(d.Text, 0):
		// JSON would change it silently
		return fault.Invalid("save it as UTF-8 text", "the draft is not valid UTF-8, or has a NUL in it")
	}
	return nil
}

// Save stores a draft durably and returns it with its ID and time. If the same draft exists, Save returns that one.
// It adds a file and takes no lock, so a writer that hangs loses no draft. Screen refuses, allows or redacts
// credentials.
//
// The draft of a hook is stored only if the store exists and belongs to this machine. It replaces the earlier draft
// of the same session. See Keep for hooks that add to it.
func (b Box) Save(ctx context.Context, d Draft) (_ Draft, err error) {
	defer func() { err = fault.Explain(err, "the draft is not known to be stored", "save it again") }()
	if err := d.check(b.MaxBytes); err != nil {
		return d, err
	}
	if err := b.Screen(&d); err != nil {
		return d, err
	}
	if !d.Hook {
		if _, err := txn.Guard(b.At); err != nil {
			return d, err
		}
	}
	known, err := b.At.MatchesMachine()
	if err != nil || d.Hook && !known {
		return d, err
	}
	dir, done, err := b.begin(ctx, known, b.At.Opt.LockTimeout)
	if err != nil {
		return d, err
	}
	defer done()
	d.Saved, d.Foreign = b.At.Now(), false
	old, err := b.All()
	if err != nil {
		return d, err
	}
	for _, o := range old {
		if o.isSame(d) {
			return o, dir.Sync() // its writer may have died before the sync
		}
	}
	return d, b.save(dir, &d, old)
}

// begin opens the directory of the drafts, and makes it if it is missing. If no machine is known, it records this one
// before the first file of the store; it waits for the lock at most for the duration wait.
func (b Box) begin(ctx context.Context, known bool, wait time.Duration) (dir *disk.Dir, done func(), err error) {
	x, err := txn.Begin(b.At)
	if err != nil {
		return nil, nil, err
	}
	if !known {
		if err = x.Lock(ctx, wait); err == nil {
			err = x.CheckMachine()
		}
	}
	if err == nil {
		dir, err = x.State.MakeDir(disk.Drafts, 0o700)
		err = store.PlaceError(filepath.Join(x.Opt.StateDir, disk.Drafts), err)
	}
	if err != nil {
		x.End()
		return nil, nil, err
	}
	return dir, func() { dir.Close(); x.End() }, nil
}

// isSame reports whether two drafts are equal, except for the time.
func (d Draft) isSame(other Draft) bool {
	d.ID, d.Saved = other.ID, other.Saved
	a, errA := json.Marshal(d)
	b, errB := json.Marshal(other)
	return errA == nil && errB == nil && string(a) == string(b)
}

// save gives the draft its ID and stores it durably. It then removes the drafts that it replaces.
func (b Box) save(dir *disk.Dir, d *Draft, old []Draft) error {
	if _, err := dir.RemoveStaged(func(string) bool { return false }); err != nil {
		return err
	}
	text, err := json.Marshal(d)
	if err != nil {
		return err
	}
	d.ID = jsontree.SHA256Hex(text)[:idLen]
	d.seal = b.sealer()(d.stem())
	if err := dir.CreateNew(d.name(), text, 0o600); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if err := dir.Sync(); err != nil {
		return err
	}
	if !d.Hook {
		return nil
	}
	return d.supersede(dir, old)
}

// name returns the file name of the draft: its stem, and its seal if it has one.
func (d Draft) name() string { return d.sealed(d.stem()) }

// sealed returns the file name for a stem.
func (d Draft) sealed(stem string) string {
	if d.seal != "" {
		stem += "." + d.seal
	}
	return stem + suffix
}

// stem returns the name without seal. It identifies drafts of hooks and their sessions.
func (d Draft) stem() string {
	if d.Hook {
		return d.ID + "-" + sessionDigest(d.Agent, d.Session)
	}
	return d.ID
}

// sessionDigest returns the digits for a session in file names.
func sessionDigest(agent, session string) string {
	if session == "" {
		return "00000000"
	}
	return jsontree.SHA256Hex([]byte(agent + "\x00" + session))[:8]
}

// supersede removes older drafts of the same session, and the oldest drafts of hooks above the limit. These contain
// no text of a person.
func (d Draft) supersede(dir *disk.Dir, old []Draft) error {
	left := maxOfHooks - 1
	slices.SortFunc(old, func(a, b Draft) int { return strings.Compare(a.Saved+a.ID, b.Saved+b.ID) })
	for _, o := range slices.Backward(old) {
		if !o.Hook || o.ID == d.ID {
			continue
		}
		if o.Session != "" && o.Session == d.Session && o.Agent == d.Agent || left <= 0 {
			if err := dir.Remove(o.name()); err != nil {
				return err
			}
			continue
		}
		left--
	}
	return dir.Sync()
}
