package handoff

import (
	"bytes"
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
// file is quarantined. The error is ErrIntegrity if the store belongs to another machine or another writer.
func (x Exchange) RestoreLog(ctx context.Context, writer string, log []byte) error {
	_, err := x.s.at.MatchesMachine()
	if refused := (*MachineError)(nil); err != nil && !(errors.As(err, &refused) && refused.Lost) {
		return err
	}
	observed, err := x.s.at.Fingerprint()
	if err != nil {
		return err
	}
	operator := x.s.opt.Operator
	return x.s.putBack(ctx, func(x *txn.Session) error {
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
			return fault.New(ErrIntegrity, "", "the state directory is that of another writer, %s", known.Writer)
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

// PutBack stores files of handoffs that match their ids, and their signatures, and returns how many are new. Repair
// lists them later. It replaces no file and takes no lock: an empty handoffs directory cannot be locked. The error is
// ErrIntegrity for a store of another machine.
func (x Exchange) PutBack(sources []Source) (n int, err error) {
	if _, err := x.s.at.MatchesMachine(); err != nil {
		return 0, err
	}
	dir, err := x.s.at.MakePlace(x.s.opt.Dir, 0o755)
	if err != nil {
		return 0, err
	}
	defer dir.Close()
	if err := store.CheckOwner(dir); err != nil {
		return 0, err
	}
	for _, src := range sources {
		doc, faults := document.ParseStored(src.Text)
		if id, err := ID(doc); err != nil || len(faults) > 0 || id != src.ID || doc.HandoffID != id {
			continue
		}
		isNew, err := putFile(dir, document.FileName(doc, 1, x.s.opt.Git.IsShared()), src.Text)
		if err == nil && isNew && len(src.Signatures) > 0 {
			err = putSignature(dir, src.ID, src.Signatures[0])
		}
		if err != nil {
			return n, err
		}
		if isNew {
			n++
		}
	}
	return n, disk.SyncParents(filepath.Dir(dir.Path()), dir.Path())
}

func putSignature(dir *disk.Dir, id, text string) error {
	d, err := dir.MakeDir(disk.Signatures, 0o755)
	if err != nil {
		return err
	}
	defer d.Close()
	_, err = putFile(d, disk.SignatureFile(id), []byte(text))
	return errors.Join(err, d.Sync())
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
func (s *Store) putBack(ctx context.Context, do func(*txn.Session) error) error {
	if err := s.at.CheckUntracked(); err != nil {
		return err
	}
	for path, mode := range map[string]fs.FileMode{s.opt.Dir: 0o755, s.opt.StateDir: 0o700} {
		d, err := s.at.MakePlace(path, mode)
		if err != nil {
			return err
		}
		d.Close()
	}
	x, err := txn.Enter(ctx, s.at, s.opt.LockTimeout)
	if err != nil {
		return err
	}
	defer x.End()
	return do(x)
}
