package handoff

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
	"github.com/seed-78daf238/handoff/lib/internal/durable"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

// KeepCheckpoint stores a checkpoint and its signature, which it does not look at, and returns the files of
// both. Other signatures of the checkpoint stay beside it. A log that does not hold the checkpoint, or the one
// that was kept last, is ErrIntegrity: nothing is kept of it.
func (s *Store) KeepCheckpoint(ctx context.Context, c eventlog.Checkpoint, signature []byte) (file, signatureFile string, err error) {
	name := eventlog.CheckpointName(c.Count)
	file = filepath.Join(s.opt.StateDir, name)
	err = txn.Locked(ctx, s.at, func(x *txn.Session) error {
		if err := s.checkKept(c); err != nil {
			return err
		}
		kept, err := keepFile(x.State, name, []byte(c.String()+"\n"))
		if err == nil && !kept {
			err = fault.New(ErrIntegrity, "move it away and sign again", "%s is not the checkpoint %s", file, c)
		}
		for n := 1; err == nil; n++ {
			signatureFile = eventlog.SignatureFile(file, n)
			if kept, err = keepFile(x.State, filepath.Base(signatureFile), signature); kept {
				return x.State.Sync()
			}
		}
		return err
	})
	return file, signatureFile, fault.Explain(err, "the checkpoint is not known to be kept", "sign again")
}

// checkKept checks that the log holds c and the checkpoint before it.
func (s *Store) checkKept(c eventlog.Checkpoint) error {
	if err := s.CheckCheckpoint(c); err != nil {
		return err
	}
	last, err := s.LastCheckpoint()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := s.CheckCheckpoint(last.Checkpoint); err != nil {
		return fault.New(ErrIntegrity, "to begin anew, move "+last.File+" away, and each other one that `handoff doctor` names", "%v", err)
	}
	return nil
}

// keepFile gives a new file its name and content. It reports whether name holds the content then: a file that is
// there already stays.
func keepFile(state *durable.Dir, name string, content []byte) (bool, error) {
	err := txn.PublishNew(state, name, content)
	if !errors.Is(err, fs.ErrExist) {
		return err == nil, err
	}
	there, err := state.ReadFile(name, layout.MaxStateFile)
	return err == nil && bytes.Equal(there, content), err
}

// LastCheckpoint returns the signed checkpoint that was kept last. Whether a signature is good is for the
// caller to find out. If there is none, the error is fs.ErrNotExist.
func (s *Store) LastCheckpoint() (eventlog.SignedCheckpoint, error) {
	none := fmt.Errorf("no signed checkpoint in %s: %w", s.opt.StateDir, fs.ErrNotExist)
	state, err := s.at.OpenPlace(s.opt.StateDir)
	if err != nil {
		return eventlog.SignedCheckpoint{}, err
	}
	if state == nil {
		return eventlog.SignedCheckpoint{}, none
	}
	defer state.Close()
	names, err := state.Names(func(name string) bool { return strings.HasPrefix(name, layout.Checkpoint) })
	if err != nil {
		return eventlog.SignedCheckpoint{}, err
	}
	signed := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return !layout.IsCheckpoint(name) || !slices.Contains(names, eventlog.SignatureFile(name, 1))
	})
	if len(signed) == 0 {
		return eventlog.SignedCheckpoint{}, none
	}
	return eventlog.ReadCheckpoint(state, slices.MaxFunc(signed, eventlog.ByCount))
}
