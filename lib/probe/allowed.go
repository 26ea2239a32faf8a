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
)

// allowedName is the name of the file of what was allowed: for each project a line of the hash of the
// path of its definition, the hash of path and bytes, and the time. The last line is an HMAC of all before it,
// with the secret of the user.
const allowedName = "allowed-probes"

// Allowed is what a person has allowed, in the directory of the person's state. It lies in no project:
// what comes with a clone can allow nothing.
type Allowed struct {
	Dir string // absolute
	// Secret returns the secret of the user, which it makes where there is none if create is set; else that is
	// fs.ErrNotExist. What somebody wrote who does not have it is fault.ErrIntegrity.
	Secret func(create bool) ([]byte, error)
}

// Since returns when a definition was allowed as it is, "" if it is not. What was allowed cannot be
// told from a file that is not the caller's alone, or lies in the project: that is fault.ErrDenied.
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

// Check returns fault.ErrDenied for a definition that is not allowed as it is.
func (a Allowed) Check(d *Definition) error {
	since, err := a.Since(d)
	if err == nil && since == "" {
		err = fault.New(fault.ErrDenied, "read it, then run `handoff probes allow` at a terminal",
			Name+" is not allowed as it is now, with the scripts that it names; nothing of it was run")
	}
	return err
}

// Allow allows a definition as it is, in the place of what was allowed of the same project before.
func (a Allowed) Allow(d *Definition, now time.Time) error {
	if err := a.check(d); err != nil {
		return err
	}
	if err := os.MkdirAll(a.Dir, 0o700); err != nil {
		return fault.New(fault.ErrConfig, "", "what is allowed cannot be kept: %v", err)
	}
	_, err := a.change(d, func(others []line) []line {
		return append(others, line{pathHash(d), d.Digest(), now.UTC().Format(time.RFC3339)})
	})
	return err
}

// Forget allows nothing of the project any more, and reports whether something was.
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

// change replaces the lines of all other projects by what is made of them.
func (a Allowed) change(d *Definition, edit func(others []line) []line) (was bool, err error) {
	dir, err := disk.OpenDir(a.Dir)
	if err != nil {
		return false, err
	}
	defer dir.Close()
	if err := dir.Lock(context.Background(), 5*time.Second); err != nil {
		return false, fault.New(fault.ErrBusy, "try again", "%s: %v", a.Dir, err)
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

// mac is the line that proves the lines before it.
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
		return nil, fault.New(fault.ErrDenied, "remove it, and allow again what is to be allowed", "%v", err)
	case int(entry.Owner) != os.Geteuid() || entry.Mode&0o077 != 0:
		return nil, fault.New(fault.ErrDenied, "remove it, and allow again what is to be allowed",
			"the file "+allowedName+" of your state is not yours alone")
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

// proven returns the lines before the last one, which proves that the user has written them.
func (a Allowed) proven(text []byte) (lines []byte, err error) {
	at := bytes.LastIndex(text, []byte("hmac "))
	secret, err := a.Secret(false)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err == nil && at >= 0 && hmac.Equal(text[at:], []byte(mac(secret, text[:at]))) {
		return text[:at], nil
	}
	return nil, fault.New(fault.ErrIntegrity,
		"look who has changed it; remove it, and allow again what is to be allowed",
		"%s was not written with your secret, which lies beside it", filepath.Join(a.Dir, allowedName))
}

// check refuses a directory that the project of d could bring along.
func (a Allowed) check(d *Definition) error {
	if a.Dir == "" {
		return fault.New(fault.ErrConfig, "set HOME",
			"nobody can say where your state is, in which what is allowed is kept")
	}
	there, rest := a.Dir, ""
	for {
		real, err := filepath.EvalSymlinks(there)
		if err == nil {
			there = filepath.Join(real, rest)
			break
		}
		up := filepath.Dir(there)
		if !errors.Is(err, fs.ErrNotExist) || up == there {
			return fault.New(fault.ErrConfig, "", "%s: %v", a.Dir, err)
		}
		there, rest = up, filepath.Join(filepath.Base(there), rest)
	}
	rel, err := filepath.Rel(filepath.Dir(d.Path), there)
	if err != nil || rel == "." || filepath.IsLocal(rel) {
		return fault.New(fault.ErrDenied, "let XDG_STATE_HOME name a directory outside",
			"the directory of your state lies in the project, which must not say itself what is allowed")
	}
	return nil
}
