package bundle

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// Keep exports handoffs with their state to a file, durably, before they are pruned. It reads the file again to prove
// it, and returns the SHA-256 of the file and of each stored document, by id. An existing file is not overwritten. It
// is used if it has all the handoffs, as after an interrupted prune; otherwise the error is handoff.ErrInvalid.
func Keep(s *handoff.Store, entries []handoff.Entry, path string, maxDocument int) (
	sum string, texts map[string]string, err error) {
	err = Create(path, 0o600, func(to io.Writer) error {
		_, err := Export(s, entries, true, to)
		return err
	})
	isOld := errors.Is(err, fs.ErrExist)
	if err != nil && !isOld {
		return "", nil, err
	}
	if sum, texts, err = prove(path, maxDocument); err != nil && !isOld {
		return "", nil, err
	}
	for _, e := range entries {
		if texts[e.ID] == "" || err != nil {
			return "", nil, fault.Invalid("name a new file with --export",
				"%s is there, and is not a bundle that has all of the handoffs", path)
		}
	}
	if isOld { // its writer may have stopped before the sync
		err = syncFile(path)
	}
	return sum, texts, err
}

// syncFile makes a file and its name durable.
func syncFile(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	d, err := openDir(path)
	if err != nil {
		return err
	}
	defer d.Close()
	return errors.Join(f.Sync(), d.Sync())
}

// prove reads a bundle to its end, which proves it.
func prove(path string, maxDocument int) (sum string, texts map[string]string, err error) {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() { // a FIFO would block
		return "", nil, cmp.Or(err, fs.ErrInvalid)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", nil, err
	}
	defer f.Close()
	hash := sha256.New()
	texts = make(map[string]string)
	err = each(io.TeeReader(f, hash), Options{Name: path, MaxDocument: maxDocument}, func(_ *Reader, l Line) {
		if l.Handoff != nil {
			texts[l.Handoff.ID] = jsontree.SHA256Hex([]byte(l.Handoff.Text))
		}
	})
	if err != nil {
		return "", nil, err
	}
	return hex.EncodeToString(hash.Sum(nil)), texts, nil
}
