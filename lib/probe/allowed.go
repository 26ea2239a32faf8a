package probe

import (
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// allowedName begins the names of the files of allowed definitions. Each is named for the path of its definition, and
// has one line: the digest that was allowed, the time, and an HMAC of both and of the path with the user's secret.
const allowedName = "allowed-probes-"

// Allowed holds the definitions that the user has allowed. It is in the user's state directory, outside of any
// project, so that a clone cannot allow anything.
type Allowed struct {
	Dir string // absolute
	// Secret returns the user's secret. If there is none, it creates one if create is set, and returns
	// fs.ErrNotExist otherwise. A file that was written without the secret is fault.ErrIntegrity.
	Secret func(create bool) ([]byte, error)
}

// Since returns when exactly this definition was allowed, or "". If the state is inside the project or not the
// user's alone, the error is fault.ErrDenied.
func (a Allowed) Since(d *Definition) (since string, err error) {
	err = a.open(d, func(dir *disk.Dir, digest, at string) error {
		if digest == d.Digest() {
			since = at
		}
		return nil
	})
	return since, err
}

// Check returns fault.ErrDenied unless exactly this definition is allowed.
func (a Allowed) Check(d *Definition) error {
	since, err := a.Since(d)
	if err == nil && since == "" {
		err = fault.Denied("read it, then run `handoff probes allow` at a terminal",
			Name+" is not allowed in this version, with the scripts that it names; no probe ran")
	}
	return err
}

// Allow allows a definition. It replaces an earlier version of the same project.
func (a Allowed) Allow(d *Definition, now time.Time) error {
	if err := a.check(d); err != nil {
		return err
	}
	if err := os.MkdirAll(a.Dir, 0o700); err != nil {
		return fault.Config("", "the allowed probes cannot be stored: %v", err)
	}
	return a.open(d, func(dir *disk.Dir, _, _ string) error {
		secret, err := a.Secret(true)
		if err != nil {
			return err
		}
		return dir.Replace(nameOf(d), line(secret, d, d.Digest(), now.UTC().Format(time.RFC3339)), 0o600)
	})
}

// Forget revokes the permission of a project, and reports whether there was one.
func (a Allowed) Forget(d *Definition) (was bool, err error) {
	err = a.open(d, func(dir *disk.Dir, digest, _ string) error {
		if was = digest != ""; was {
			return errors.Join(dir.Remove(nameOf(d)), dir.Sync())
		}
		return nil
	})
	return was, err
}

// open calls do with the state directory, and what was allowed for the path of d: "" for nothing. If there is no state
// directory, it does not call do.
func (a Allowed) open(d *Definition, do func(dir *disk.Dir, digest, at string) error) error {
	if err := a.check(d); err != nil {
		return err
	}
	dir, err := disk.OpenDir(a.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer dir.Close()
	digest, at, err := a.read(dir, d)
	if err != nil {
		return err
	}
	return do(dir, digest, at)
}

func nameOf(d *Definition) string { return allowedName + jsontree.SHA256Hex([]byte(d.Path))[:32] }

// line returns the text of a file.
func line(secret []byte, d *Definition, digest, at string) []byte {
	h := hmac.New(sha256.New, secret)
	fmt.Fprintf(h, "handoff allowed probes\n%s %s %s", digest, at, d.Path)
	return fmt.Appendf(nil, "%s %s %x\n", digest, at, h.Sum(nil))
}

// read returns what is in the file for the path of d, if the user's secret authenticates it.
func (a Allowed) read(dir *disk.Dir, d *Definition) (digest, at string, err error) {
	text, entry, err := dir.AppendEntry(nil, nameOf(d), 1<<10)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", "", nil
	case err != nil:
		return "", "", fault.Denied("remove it, and allow the probes again", "%v", err)
	case int(entry.Owner) != os.Geteuid() || entry.Mode&0o077 != 0:
		return "", "", fault.Denied("remove it, and allow the probes again",
			"other users can access the file %s of your state", fault.Own(nameOf(d)))
	}
	secret, err := a.Secret(false)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", "", err
	}
	digest, rest, _ := strings.Cut(string(text), " ")
	at, _, _ = strings.Cut(rest, " ")
	if err != nil || !hmac.Equal(text, line(secret, d, digest, at)) {
		return "", "", fault.Integrity("find out who changed it; then remove it, and allow the probes again",
			"%s in %s was not written with your secret, which is there too", fault.Own(nameOf(d)), a.Dir)
	}
	return digest, at, nil
}

// check refuses a state directory that the project of d could contain.
func (a Allowed) check(d *Definition) error {
	if a.Dir == "" {
		return fault.Config("set HOME",
			"your state directory, which holds the allowed probes, is unknown")
	}
	there, err := store.Resolve(a.Dir)
	if err != nil {
		return err
	}
	rel, err := filepath.Rel(filepath.Dir(d.Path), there)
	if err != nil || rel == "." || filepath.IsLocal(rel) {
		return fault.Denied("let XDG_STATE_HOME name a directory outside",
			"your state directory is inside the project, which must not allow its own probes")
	}
	return nil
}
