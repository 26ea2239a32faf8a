package check

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/store"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

// RestoreLog replaces an audit log that vanished or shrank by the copy that sync sent, and sets the writer. The old
// file is quarantined. The error is fault.ErrIntegrity if the store belongs to another machine or another writer.
func RestoreLog(ctx context.Context, at *store.Store, operator, writer string, log []byte) error {
	_, err := at.MatchesMachine()
	if refused := (*store.MachineError)(nil); err != nil && !(errors.As(err, &refused) && refused.Lost) {
		return err
	}
	observed, err := at.Fingerprint()
	if err != nil {
		return err
	}
	return putBack(ctx, at, func(x *txn.Session) error {
		known, err := store.ReadMachine(x.State)
		if err != nil {
			record := disk.MachineRecord{Fingerprint: observed, FirstSeenUTC: x.Now(), Writer: writer}
			record.WriterIDDefault = operator
			record.Complete()
			err := x.State.Remove(disk.FingerprintFile)
			if err = errors.Join(err, x.State.CreateNew(disk.FingerprintFile, record.Bytes(), 0o600)); err != nil {
				return err
			}
		} else if known.Writer != writer {
			return fault.Integrity("", "the state directory is that of another writer, %s", known.Writer)
		}
		begin := disk.Quarantine + x.Opt.Now().UTC().Format("20060102T150405Z")
		err = x.State.Rename(disk.LogFile, begin+"-"+disk.LogFile)
		for n := 2; errors.Is(err, fs.ErrExist); n++ {
			err = x.State.Rename(disk.LogFile, fmt.Sprintf("%s-%d-%s", begin, n, disk.LogFile))
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return errors.Join(x.State.CreateNew(disk.LogFile, log, 0o600), x.State.Sync())
	})
}

// An Original is the text of a handoff with its id, its file in the index or "", and its armored signature or "".
type Original struct {
	ID, File  string
	Text      []byte
	Signature string
}

// PutBack stores files of handoffs that match their ids, and their signatures, and returns how many handoffs got one
// that is new. Repair lists them later. It replaces no file and takes no lock: an empty handoffs directory cannot be
// locked. The error is fault.ErrIntegrity for a store of another machine.
func PutBack(at *store.Store, originals []Original) (n int, err error) {
	if _, err := at.MatchesMachine(); err != nil {
		return 0, err
	}
	dir, err := at.MakePlace(at.Opt.Dir, 0o755)
	if err != nil {
		return 0, err
	}
	defer dir.Close()
	if err := store.CheckOwner(dir); err != nil {
		return 0, err
	}
	for _, src := range originals {
		doc, _, err := store.ParseProven("", src.Text)
		if err != nil || doc.HandoffID != src.ID {
			continue
		}
		isNew, err := putFile(dir, cmp.Or(src.File, document.FileName(doc, 1, at.Opt.Git.IsShared())), src.Text)
		isSigned := false
		if err == nil && src.Signature != "" {
			isSigned, err = putSignature(dir, src.ID, src.Signature)
		}
		if err != nil {
			return n, err
		}
		if isNew || isSigned {
			n++
		}
	}
	return n, disk.SyncParents(filepath.Dir(dir.Path()), dir.Path())
}

func putSignature(dir *disk.Dir, id, text string) (isNew bool, err error) {
	d, err := dir.MakeDir(disk.Signatures, 0o755)
	if err != nil {
		return false, err
	}
	defer d.Close()
	isNew, err = putFile(d, disk.SignatureFile(id), []byte(text))
	return isNew, errors.Join(err, d.Sync())
}

// putFile creates a file if there is none. A file with other bytes stays: Repair judges it.
func putFile(d *disk.Dir, name string, text []byte) (isNew bool, err error) {
	if have, err := d.ReadFile(name, disk.MaxDocument); err == nil && bytes.Equal(have, text) {
		return false, nil
	}
	if err = d.CreateNew(name, text, 0o644); errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	return err == nil, err
}

// putBack runs do under the lock. It creates missing directories first.
func putBack(ctx context.Context, at *store.Store, do func(*txn.Session) error) error {
	if err := at.CheckUntracked(); err != nil {
		return err
	}
	for path, mode := range map[string]fs.FileMode{at.Opt.Dir: 0o755, at.Opt.StateDir: 0o700} {
		d, err := at.MakePlace(path, mode)
		if err != nil {
			return err
		}
		d.Close()
	}
	x, err := txn.Enter(ctx, at, at.Opt.LockTimeout)
	if err != nil {
		return err
	}
	defer x.End()
	return do(x)
}
