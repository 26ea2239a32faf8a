package handoff

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/seed-78daf238/handoff/lib/exchange/bundle"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/exchange"
	"github.com/seed-78daf238/handoff/lib/internal/git"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// outboxName is the directory in a linked work tree for handoffs that could not be stored from there, as in a sandbox.
const outboxName = ".handoff-outbox"

// isReadOnly reports whether an error means that the user cannot write somewhere.
func isReadOnly(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)
}

// leave puts documents into the outbox, as a bundle that the next change from elsewhere imports. It returns its path.
func (s *Store) leave(docs []store.Document) (path string, err error) {
	batch, err := (&exchange.Exchange{At: s.at}).Pack(docs)
	if err != nil {
		return "", err
	}
	var text bytes.Buffer
	if err := bundle.Write(&text, batch, false); err != nil {
		return "", err
	}
	if info, err := os.Lstat(s.opt.Outbox); err == nil && !info.IsDir() {
		return "", fault.Config("remove it", "%s is no directory", s.opt.Outbox)
	}
	dir, err := disk.Make(s.opt.Outbox, disk.Modes{})
	if err != nil {
		return "", err
	}
	defer dir.Close()
	sum := sha256.New()
	for _, d := range docs {
		sum.Write([]byte(d.HandoffID))
	}
	name := fmt.Sprintf("%x.bundle", sum.Sum(nil)[:8])
	err = errors.Join(dir.Replace(disk.GitIgnore, []byte("*\n"), 0, false), dir.Replace(name, text.Bytes(), 0, true))
	return filepath.Join(s.opt.Outbox, name), err
}

// bringIn imports the bundles in the outboxes of linked work trees. Those that git tracks came with a branch, and stay.
func (s *Store) bringIn(ctx context.Context) {
	if s.opt.Git != GitSynced {
		return
	}
	for _, top := range git.Linked(git.Top(s.opt.Root)) {
		path := filepath.Join(top, outboxName)
		if info, err := os.Lstat(path); err != nil || !info.IsDir() {
			continue
		}
		dir, err := disk.Open(path)
		if err != nil {
			continue
		}
		names, _ := dir.Names(func(name string) bool { return strings.HasSuffix(name, ".bundle") })
		if tracked, err := git.Tracked(ctx, top, outboxName); len(tracked) > 0 || err != nil {
			names = nil
		}
		for _, name := range names {
			text, err := dir.Read(name, bundle.Most)
			if err == nil {
				_, err = s.Import(ctx, bytes.NewReader(text), false, false)
			}
			if err == nil {
				_ = dir.Remove(name)
			} else if !isReadOnly(err) {
				s.opt.Warn(filepath.Join(path, name) + " was not stored: " + fault.Sentence(err))
			}
		}
		dir.Close()
	}
}
