package session

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
	"github.com/seed-78daf238/handoff/lib/internal/store"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

// All returns the drafts, older ones first. One that is not what was saved is warned about and left out.
func (b Box) All() ([]Draft, error) {
	var drafts []Draft
	isOwn := b.own()
	err := b.each(func(dir *disk.Dir, name string) {
		d, err := read(dir, name, isOwn)
		if err != nil {
			b.At.Opt.Warn(err.Error())
			return
		}
		if !d.pending() {
			drafts = append(drafts, d)
		}
	})
	slices.SortFunc(drafts, func(a, b Draft) int { return strings.Compare(a.Saved+a.ID, b.Saved+b.ID) })
	return drafts, err
}

// Count returns how many drafts of this machine there are that the session did not leave itself.
func (b Box) Count(agent, session string) (n int) {
	isOwn := b.own()
	_ = b.each(func(dir *disk.Dir, name string) {
		stem, _ := cutSeal(name)
		if session != "" && strings.HasSuffix(stem, "-"+sessionDigest(agent, session)) || !isOwn(name) {
			return
		}
		if strings.Contains(stem, "-") { // of a hook
			if d, err := read(dir, name, isOwn); err != nil || d.pending() {
				return
			}
		}
		n++
	})
	return n
}

// sealer returns the function that seals the stem of a draft's name, and so its content, with what is
// known on this machine alone: a cloned repository may bring drafts, and must not have them announced
// as ours.
func (b Box) sealer() func(stem string) string {
	fingerprint := sync.OnceValues(b.At.Opt.Fingerprint)
	return func(stem string) string {
		key, err := fingerprint()
		if err != nil {
			return ""
		}
		mac := hmac.New(sha256.New, []byte("draft of "+key))
		mac.Write([]byte(stem))
		return hex.EncodeToString(mac.Sum(nil))[:idLen]
	}
}

// own returns whether a file was sealed on this machine, by its name.
func (b Box) own() func(name string) bool {
	seal := b.sealer()
	return func(name string) bool {
		stem, found := cutSeal(name)
		return found != "" && found == seal(stem)
	}
}

// cutSeal returns the stem and the seal of the name of a draft's file.
func cutSeal(name string) (stem, seal string) {
	stem, seal, _ = strings.Cut(strings.TrimSuffix(name, suffix), ".")
	return stem, seal
}

// each calls do with the name of each draft, whatever its content is.
func (b Box) each(do func(dir *disk.Dir, name string)) error {
	dir, err := b.open()
	if err != nil || dir == nil {
		return err
	}
	defer dir.Close()
	names, err := dir.Names(isName)
	for _, name := range names {
		do(dir, name)
	}
	return err
}

// open opens the directory of the drafts, nil if it does not exist.
func (b Box) open() (*disk.Dir, error) {
	state, err := b.At.OpenPlace(b.At.Opt.StateDir)
	if err != nil || state == nil {
		return nil, err
	}
	defer state.Close()
	return store.IfThere(state.OpenDir(disk.Drafts))
}

// isName reports whether a draft has a name of that form.
func isName(name string) bool {
	stem, seal := cutSeal(name)
	id, session, hook := strings.Cut(stem, "-")
	return Draft{seal: seal}.sealed(stem) == name && len(id) == idLen && form.IsHex(id+session+seal) && hook == (len(session) == 8)
}

// read proves that the draft is what was saved.
func read(dir *disk.Dir, name string, isOwn func(name string) bool) (Draft, error) {
	text, err := dir.ReadFile(name, maxFile)
	if err != nil {
		return Draft{}, err
	}
	var d Draft
	if err = json.Unmarshal(text, &d); err == nil {
		d.ID = jsontree.SHA256Hex(text)[:idLen]
		_, d.seal = cutSeal(name)
	}
	if err != nil || d.name() != name {
		return Draft{}, fault.New(fault.ErrIntegrity, "look at it, and move it away", "%s is not what was saved", filepath.Join(dir.Path(), name))
	}
	d.Foreign = !isOwn(name)
	return d, nil
}

const minPrefix = 4

// Get returns the draft with the ID, or with a unique prefix of 4 or more digits. One that is not what
// was saved is fault.ErrIntegrity.
func (b Box) Get(id string) (Draft, error) {
	var found []string
	var d Draft
	var bad error
	err := b.each(func(dir *disk.Dir, name string) {
		if len(id) >= minPrefix && strings.HasPrefix(name[:idLen], id) {
			found = append(found, name[:idLen])
			d, bad = read(dir, name, b.own())
		}
	})
	switch {
	case err != nil:
		return Draft{}, err
	case len(found) == 0:
		return Draft{}, fault.New(fault.ErrInvalid, "run `handoff draft list` to see the ids", "no draft %q", id)
	case len(found) > 1:
		return Draft{}, fault.New(fault.ErrInvalid, "give more digits", "%q is the beginning of %d drafts: %s", id,
			len(found), fault.Some(found))
	}
	return d, bad
}

// Remove removes a draft that Get or All returned: one that was published, or that nobody wants.
// A draft that is gone is no error.
func (b Box) Remove(d Draft) error {
	if _, err := txn.Guard(b.At); err != nil {
		return err
	}
	x, err := txn.Begin(b.At)
	if err != nil {
		return err
	}
	defer x.End()
	dir, err := store.IfThere(x.State.OpenDir(disk.Drafts))
	if err != nil || dir == nil {
		return err
	}
	defer dir.Close()
	if err := dir.Remove(d.name()); err != nil {
		return fmt.Errorf("the draft %s could not be removed: %w", d.ID, err)
	}
	return dir.Sync()
}

// pending reports whether a draft is none yet, or will never be one: the session that left it goes on,
// or nothing was said in it.
func (d Draft) pending() bool {
	if d.Process == "" {
		return false
	}
	if disk.Runs(d.Process) {
		return true
	}
	for _, transcript := range d.References {
		if info, err := os.Lstat(transcript); err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
			return true
		}
	}
	return false
}

// EndSession takes back the draft that a session of an agent would leave if it died: it has ended, or
// written a handoff. An empty session stands for all of the agent that go on. It returns the draft,
// without an ID if there was none.
func (b Box) EndSession(agent, session string) (left Draft, err error) {
	var ended []Draft
	isOwn := b.own()
	err = b.each(func(dir *disk.Dir, name string) {
		stem, _ := cutSeal(name)
		if !strings.Contains(stem, "-") || session != "" && !strings.HasSuffix(stem, "-"+sessionDigest(agent, session)) {
			return
		}
		if d, err := read(dir, name, isOwn); err == nil && !d.Foreign && d.Agent == agent && d.Process != "" && (session != "" || d.pending()) {
			ended = append(ended, d)
		}
	})
	for _, d := range ended {
		if err := b.Remove(d); err != nil {
			return left, err
		}
		left = d
	}
	return left, err
}
