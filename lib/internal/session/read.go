package session

import (
	"context"
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

// All returns the drafts, oldest first. A draft that was changed since it was saved is left out with a warning.
func (b Box) All() ([]Draft, error) {
	var drafts []Draft
	isOwn, now := b.isOwn(), b.At.Opt.Now()
	err := b.each(func(dir *disk.Dir, name string) {
		d, err := read(dir, name, isOwn)
		if err != nil {
			b.At.Opt.Warn(err.Error())
			return
		}
		if !d.isPending() && !d.isExpired(now) {
			drafts = append(drafts, d)
		}
	})
	slices.SortFunc(drafts, func(a, b Draft) int { return strings.Compare(a.Saved+a.ID, b.Saved+b.ID) })
	return drafts, err
}

// Count returns the IDs of the drafts of this machine that hooks of other sessions left, and the number of those that
// were saved.
func (b Box) Count(agent, session string) (left []string, saved int) {
	isOwn, now := b.isOwn(), b.At.Opt.Now()
	_ = b.each(func(dir *disk.Dir, name string) {
		stem, _ := cutSeal(name)
		switch {
		case session != "" && strings.HasSuffix(stem, "-"+sessionDigest(agent, session)) || !isOwn(name):
		case !strings.Contains(stem, "-"):
			saved++
		default: // of a hook
			if d, err := read(dir, name, isOwn); err == nil && !d.isPending() && !d.isExpired(now) {
				left = append(left, d.ID)
			}
		}
	})
	return left, saved
}

// sealer returns the function that seals the stem of a draft's name, and thereby its content. The seal needs the
// fingerprint of this machine. Drafts from a cloned repository are therefore not taken for drafts of the user.
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

// isOwn returns a function that reports whether the draft with a file name was sealed on this machine.
func (b Box) isOwn() func(name string) bool {
	seal := b.sealer()
	return func(name string) bool {
		stem, found := cutSeal(name)
		return found != "" && found == seal(stem)
	}
}

// cutSeal splits the file name of a draft into stem and seal.
func cutSeal(name string) (stem, seal string) {
	stem, seal, _ = strings.Cut(strings.TrimSuffix(name, suffix), ".")
	return stem, seal
}

// each calls do with the name of each draft. It does not look at the content.
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

// open opens the directory of the drafts. It returns nil if there is none.
func (b Box) open() (*disk.Dir, error) {
	state, err := b.At.OpenPlace(b.At.Opt.StateDir)
	if err != nil || state == nil {
		return nil, err
	}
	defer state.Close()
	return store.IfThere(state.OpenDir(disk.Drafts))
}

// isName reports whether name has the form of a draft's file name.
func isName(name string) bool {
	stem, seal := cutSeal(name)
	id, session, hook := strings.Cut(stem, "-")
	return Draft{seal: seal}.sealed(stem) == name && len(id) == idLen && form.IsHex(id+session+seal) &&
		hook == (len(session) == 8)
}

// read reads a draft. The error is ErrIntegrity if it was changed since it was saved.
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
		return Draft{}, fault.Integrity("look at it, and move it away", "%s is not what was saved",
			filepath.Join(dir.Path(), name))
	}
	d.Foreign = !isOwn(name)
	return d, nil
}

const minPrefix = 4

// Get returns the draft with an ID, or with a unique prefix of 4 or more digits. The error is fault.ErrIntegrity if
// it was changed since it was saved, and fault.ErrInvalid if there is none, or several.
func (b Box) Get(id string) (Draft, error) {
	var found []string
	var d Draft
	var bad error
	err := b.each(func(dir *disk.Dir, name string) {
		if len(id) >= minPrefix && strings.HasPrefix(name[:idLen], id) {
			found = append(found, name[:idLen])
			d, bad = read(dir, name, b.isOwn())
		}
	})
	switch {
	case err != nil:
		return Draft{}, err
	case len(found) == 0:
		return Draft{}, noDraft(id)
	case len(found) > 1:
		return Draft{}, fault.Invalid("give more digits", "%q is the beginning of %d drafts: %s", id,
			len(found), fault.Some(found))
	}
	if bad == nil && d.isExpired(b.At.Opt.Now()) {
		return Draft{}, noDraft(id)
	}
	return d, bad
}

// Remove removes a draft that Get or All returned. It is no error if the draft no longer exists.
func (b Box) Remove(d Draft) error {
	if _, err := txn.Guard(b.At); err != nil {
		return err
	}
	dir, done, err := b.begin(context.Background(), true, 0)
	if err != nil {
		return err
	}
	defer done()
	if err := dir.Remove(d.name()); err != nil {
		return fmt.Errorf("the draft %s could not be removed: %w", d.ID, err)
	}
	return dir.Sync()
}

// isPending reports whether a draft is not visible: the session that left it is still running, wrote a handoff, or
// did nothing, so that its transcript is empty.
func (d Draft) isPending() bool {
	switch {
	case d.Wrote:
		return true
	case d.Process == "":
		return false
	case disk.Runs(d.Process):
		return true
	case d.Kept != Kept{}:
		return false
	}
	for _, transcript := range d.References {
		if info, err := os.Lstat(transcript); filepath.IsAbs(transcript) &&
			(err != nil || !info.Mode().IsRegular() || info.Size() == 0) {
			return true
		}
	}
	return false
}

// HasDied reports whether a session of an agent is known to be over on this machine: its process is gone, or the
// session said that it ended.
func (b Box) HasDied(session string) (died bool) {
	isOwn := b.isOwn()
	_ = b.each(func(dir *disk.Dir, name string) {
		if stem, _ := cutSeal(name); !strings.Contains(stem, "-") {
			return
		}
		d, err := read(dir, name, isOwn)
		isIts := err == nil && !d.Foreign && d.Session == session && session != "" && d.Process != ""
		died = died || isIts && !disk.Runs(d.Process)
	})
	return died
}
