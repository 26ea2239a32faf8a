package probe

import (
	"bytes"
	"context"
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
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// allowedName is the file of allowed definitions. Each line has the hash of a definition's path, the hash of path
// and bytes, and the time. The last line is an HMAC of the lines before it, with the user's secret.
const allowedName = "allowed-probes"

// Allowed holds the definitions that the user has allowed. It is in the user's state directory, outside of any
// project, so that a clone cannot allow anything.
type Allowed struct {
	Dir string // absolute
	// Secret returns the user's secret. If there is none, it creates one if create is set, and returns
	// fs.ErrNotExist otherwise. An allowed file written without the secret is fault.ErrIntegrity.
	Secret func(create bool) ([]byte, error)
}

// Since returns when exactly this definition was allowed, or "". If the state is inside the project or not the
// user's alone, the error is fault.ErrDenied.
func (a Allowed) Since(d *Definition) (string, error) {
	if err := a.check(d); err != nil {
		return "", err
	}
	dir, err := disk.OpenDir(a.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer dir.Close()
	lines, err := a.read(dir)
	for _, l := range lines {
		if l.digest == d.Digest() {
			return l.time, err
		}
	}
	return "", err
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
	_, err := a.change(d, func(others []line) []line {
		return append(others, line{pathHash(d), d.Digest(), now.UTC().Format(time.RFC3339)})
	})
	return err
}

// Forget revokes the permission of a project, and reports whether there was one.
func (a Allowed) Forget(d *Definition) (was bool, err error) {
	if err := a.check(d); err != nil {
		return false, err
	}
	was, err = a.change(d, func(others []line) []line { return others })
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return was, err
}

// change replaces the lines of other projects with the result of edit.
func (a Allowed) change(d *Definition, edit func(others []line) []line) (was bool, err error) {
	dir, err := disk.OpenDir(a.Dir)
	if err != nil {
		return false, err
	}
	defer dir.Close()
	if err := dir.Lock(context.Background(), 5*time.Second); err != nil {
		return false, fault.Busy("try again", "%s: %v", a.Dir, err)
	}
	lines, err := a.read(dir)
	if err != nil {
		return false, err
	}
	var others []line
	for _, l := range lines {
		if l.path != pathHash(d) {
			others = append(others, l)
		}
	}
	was = len(others) < len(lines)
	secret, err := a.Secret(true)
	if err != nil {
		return false, err
	}
	var text []byte
	for _, l := range edit(others) {
		text = fmt.Appendf(text, "%s %s %s\n", l.path, l.digest, l.time)
	}
	return was, dir.Replace(allowedName, append(text, mac(secret, text)...), 0o600)
}

// mac returns the line that authenticates the lines before it.
func mac(secret, lines []byte) string {
	h := hmac.New(sha256.New, secret)
	h.Write([]byte("handoff allowed probes\n"))
	h.Write(lines)
	return fmt.Sprintf("hmac %x\n", h.Sum(nil))
}

type line struct{ path, digest, time string }

func pathHash(d *Definition) string { return jsontree.SHA256Hex([]byte(d.Path)) }

func (a Allowed) read(dir *disk.Dir) (lines []line, err error) {
	text, entry, err := dir.AppendEntry(nil, allowedName, 1<<20)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fault.Denied("remove it, and allow the probes again", "%v", err)
	case int(entry.Owner) != os.Geteuid() || entry.Mode&0o077 != 0:
		return nil, fault.Denied("remove it, and allow the probes again",
			"other users can access the file "+allowedName+" of your state")
	}
	if text, err = a.proven(text); err != nil {
		return nil, err
	}
	for text := range strings.Lines(string(text)) {
		f := strings.Fields(text)
		if len(f) == 3 && form.IsDigest(f[0]) && form.IsDigest(f[1]) && form.IsInstant(f[2]) {
			lines = append(lines, line{f[0], f[1], f[2]})
		}
	}
	return lines, nil
}

// proven returns the lines before the last one, if it authenticates them.
func (a Allowed) proven(text []byte) (lines []byte, err error) {
	at := bytes.LastIndex(text, []byte("hmac "))
	secret, err := a.Secret(false)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err == nil && at >= 0 && hmac.Equal(text[at:], []byte(mac(secret, text[:at]))) {
		return text[:at], nil
	}
	return nil, fault.Integrity("find out who changed it; then remove it, and allow the probes again",
		"%s was not written with your secret, which is next to it", filepath.Join(a.Dir, allowedName))
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
