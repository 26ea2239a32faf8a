package session

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
	"github.com/seed-78daf238/handoff/lib/internal/store"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

const (
	idLen      = 16 // hex digits of the SHA-256 of the file
	suffix     = ".json"
	maxFile    = 32 << 20
	maxOfHooks = 32 // of which the oldest go
)

// A Draft is what becomes a handoff unless its session dies first. It is on disk before anybody knows who
// takes over, and stays until it is published or discarded.
type Draft struct {
	ID    string `json:"-"`
	Saved string `json:"saved_utc"` // and the time of the handoff, so that publishing twice gives the same one

	// Hook says that an agent's hook left it, with nothing in it but what the agent says about the session.
	Hook    bool   `json:"hook,omitempty"`
	Agent   string `json:"agent,omitempty"`
	Session string `json:"session_id,omitempty"`

	// Process is the one that runs the session, of a draft that a hook leaves when a session begins:
	// it is a draft only once that process has died, and the session has neither ended nor written a
	// handoff, and has a transcript if it says where.
	Process string `json:"process,omitempty"`

	// The frontmatter, as far as it is known; not for a text that has its own.
	From       string   `json:"from,omitempty"`
	To         string   `json:"to,omitempty"`
	Topic      string   `json:"topic,omitempty"`
	Tags       []string `json:"tags,omitempty"`
	References []string `json:"references,omitempty"`

	Text string `json:"text"` // the body, or a document with frontmatter

	// Foreign says that the draft was not saved on this machine, or before drafts had a seal: it may
	// have come with a cloned repository.
	Foreign bool `json:"foreign,omitempty"`

	seal string
}

// A Box is the drafts of a store.
type Box struct {
	At       *store.Store
	MaxBytes int                // of a document
	Screen   func(*Draft) error // refuses or redacts credentials
}

// IsDocument reports whether the text brings its own frontmatter.
func (d Draft) IsDocument() bool {
	return d.From+d.To+d.Topic == "" && len(d.Tags)+len(d.References) == 0 && strings.HasPrefix(d.Text, "---")
}

// check refuses a draft that could never become a handoff.
func (d Draft) check(max int) error {
	switch {
	case strings.TrimSpace(d.Text) == "":
		return fault.New(fault.ErrInvalid, "", "the draft is empty")
	case len(d.Text) > max:
		return fault.New(fault.ErrInvalid, "shorten it", "the draft has %d bytes, more than the %d that a handoff may have", len(d.Text), max)
	case !utf8.ValidString(d.Text + d.From + d.To + d.Topic + strings.Join(d.Tags, "") + strings.Join(d.References, "")), strings.ContainsRune(d.Text, 0):
		// JSON would change it without a word
		return fault.New(fault.ErrInvalid, "save it as UTF-8 text", "the draft is not valid UTF-8, or has a NUL in it")
	}
	return nil
}

// Save stores a draft durably and returns it with its ID and time. The same draft again is the one
// that is there. It needs no lock, since it only adds a file: a writer that hangs loses nobody's draft.
// Credentials in it are refused, allowed or redacted as Screen says.
//
// A draft of a hook is stored only where a store of this machine is; it takes the place of the one that
// the same session left before.
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
	d.Saved, d.Foreign = b.At.Now(), false
	old, err := b.All()
	if err != nil {
		return d, err
	}
	for _, o := range old {
		if o.same(d) {
			return o, b.sync() // who saved it may have died before that
		}
	}
	x, err := txn.Begin(b.At)
	if err != nil {
		return d, err
	}
	defer x.End()
	if !known { // the first file of a store: whose it is comes first
		if err := x.Lock(ctx, b.At.Opt.LockTimeout); err != nil {
			return d, err
		}
		if err := x.CheckMachine(); err != nil {
			return d, err
		}
	}
	return d, b.save(x, &d, old)
}

// sync makes the names of drafts, and of their directory, survive a power cut.
func (b Box) sync() error {
	state, err := b.At.MakePlace(b.At.Opt.StateDir, 0o700)
	if err != nil {
		return err
	}
	defer state.Close()
	dir, err := state.MakeDir(disk.Drafts, 0o700)
	if err != nil {
		return err
	}
	defer dir.Close()
	return dir.Sync()
}

// same reports whether two drafts say the same, whenever they were saved.
func (d Draft) same(other Draft) bool {
	d.ID, d.Saved = other.ID, other.Saved
	a, errA := json.Marshal(d)
	b, errB := json.Marshal(other)
	return errA == nil && errB == nil && string(a) == string(b)
}

// save gives the draft its name and makes it durable. What it takes the place of goes afterwards.
func (b Box) save(x *txn.Session, d *Draft, old []Draft) error {
	dir, err := x.State.MakeDir(disk.Drafts, 0o700)
	if err != nil {
		return store.PlaceError(filepath.Join(x.Opt.StateDir, disk.Drafts), err)
	}
	defer dir.Close()
	dir.CollectStaged()
	text, err := json.Marshal(d)
	if err != nil {
		return err
	}
	d.ID = jsontree.SHA256Hex(text)[:idLen]
	d.seal = b.sealer()(d.stem())
	if err := txn.PublishNew(dir, d.name(), text); err != nil && !errors.Is(err, fs.ErrExist) {
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

// name is the name of the draft's file: its stem, and the seal if it has one.
func (d Draft) name() string { return d.sealed(d.stem()) }

// sealed is the name of a file with that stem.
func (d Draft) sealed(stem string) string {
	if d.seal != "" {
		stem += "." + d.seal
	}
	return stem + suffix
}

// stem tells drafts of hooks, and whose session left them.
func (d Draft) stem() string {
	if d.Hook {
		return d.ID + "-" + sessionDigest(d.Agent, d.Session)
	}
	return d.ID
}

// sessionDigest stands for a session in the names of files.
func sessionDigest(agent, session string) string {
	if session == "" {
		return "00000000"
	}
	return jsontree.SHA256Hex([]byte(agent + "\x00" + session))[:8]
}

// supersede removes the drafts that say less than d about the same session, and those of hooks that are
// too many. Nobody has written a word in them.
func (d Draft) supersede(dir *disk.Dir, old []Draft) error {
	left := maxOfHooks - 1
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
