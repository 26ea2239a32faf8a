package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/store"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

// KeepCheckpoint stores a checkpoint and a signature, and returns the files of both. It does not verify the
// signature. Other signatures of the checkpoint stay. If the log lacks the checkpoint, or the last one that
// was kept, the error is ErrIntegrity and nothing is stored.
func KeepCheckpoint(ctx context.Context, s *store.Store, c eventlog.Checkpoint, signature []byte) (file,
	signatureFile string, err error) {
	name := eventlog.CheckpointName(c.Count)
	file = filepath.Join(s.Opt.StateDir, name)
	err = txn.Locked(ctx, s, func(x *txn.Session) error {
		if err := checkKept(s, c); err != nil {
			return err
		}
		kept, err := keepFile(x.State, name, []byte(c.String()+"\n"))
		if err == nil && !kept {
			err = fault.Integrity("move it away and sign again", "%s is not the checkpoint %s", file, c)
		}
		for n := 1; err == nil; n++ {
			signatureFile = eventlog.SignatureFile(file, n)
			if kept, err = keepFile(x.State, filepath.Base(signatureFile), signature); kept {
				return x.State.Sync()
			}
		}
		return err
	})
	return file, signatureFile, fault.Explain(err, "storing the checkpoint is uncertain", "sign again")
}

// CheckCheckpoint returns nil if the audit log continues the checkpoint and belongs to the same store.
// Otherwise the error is ErrIntegrity and names the first line that is known to be bad.
func CheckCheckpoint(s *store.Store, c eventlog.Checkpoint) error {
	log, err := ReadLog(s, c)
	if err != nil {
		return err
	}
	if why := log.Lacks(c); why != "" {
		return fault.Integrity("find out what happened to the log: compare it with a backup", "%s", why)
	}
	return nil
}

// checkKept checks that the log has c and the last checkpoint that was kept.
func checkKept(s *store.Store, c eventlog.Checkpoint) error {
	if err := CheckCheckpoint(s, c); err != nil {
		return err
	}
	last, err := LastCheckpoint(s)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := CheckCheckpoint(s, last.Checkpoint); err != nil {
		return fault.Integrity(
			"to start over, move "+last.File+" away, and each other one that `handoff doctor` names", "%v", err)
	}
	return nil
}

// keepFile creates a file with the content. It reports whether name has the content afterwards; it never
// replaces a file.
func keepFile(state *disk.Dir, name string, content []byte) (bool, error) {
	err := state.CreateNew(name, content, 0o600)
	if !errors.Is(err, fs.ErrExist) {
		return err == nil, err
	}
	there, err := state.ReadFile(name, disk.MaxStateFile)
	if errors.Is(err, disk.ErrUnsafe) || errors.Is(err, disk.ErrTooLarge) {
		return false, nil
	}
	return err == nil && bytes.Equal(there, content), err
}

// LastCheckpoint returns the newest checkpoint that has a signature. The caller must verify the signature. If
// there is none, the error is fs.ErrNotExist.
func LastCheckpoint(s *store.Store) (eventlog.SignedCheckpoint, error) {
	last, err := store.InState(s, lastSigned)
	if err == nil && last.File == "" {
		err = fmt.Errorf("no signed checkpoint in %s: %w", s.Opt.StateDir, fs.ErrNotExist)
	}
	return last, err
}

// lastSigned returns the newest checkpoint that has a signature, or none.
func lastSigned(state *disk.Dir) (last eventlog.SignedCheckpoint, err error) {
	names, err := state.Names(func(name string) bool { return strings.HasPrefix(name, disk.Checkpoint) })
	signed := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return !disk.IsCheckpoint(name) || !slices.Contains(names, eventlog.SignatureFile(name, 1))
	})
	if err != nil || len(signed) == 0 {
		return last, err
	}
	return eventlog.ReadCheckpoint(state, slices.MaxFunc(signed, eventlog.ByCount))
}
