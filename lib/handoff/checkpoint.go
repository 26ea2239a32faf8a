package handoff

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/durable"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/journal"
)

// CheckpointNamespace is the namespace of the signatures of checkpoints (ssh-keygen -Y sign -n).
const CheckpointNamespace = "handoff-audit"

// A Checkpoint says how far the audit log had come: how many events it had, and the hash that the next one
// would name. Whoever keeps one can tell later whether the log still holds what it held then.
type Checkpoint struct {
	Count int    `json:"count"`
	Hash  string `json:"hash"`
}

// String returns the checkpoint as COUNT:HASH. What is signed is this with a newline.
func (c Checkpoint) String() string { return fmt.Sprintf("%d:%s", c.Count, c.Hash) }

// ParseCheckpoint is the inverse of String; a newline at the end is tolerated. Anything else is ErrInvalid.
func ParseCheckpoint(text string) (Checkpoint, error) {
	text = strings.TrimSuffix(text, "\n")
	n, hash, _ := strings.Cut(text, ":")
	count, err := strconv.Atoi(n)
	c := Checkpoint{count, hash}
	isHash := form.IsDigest(hash)
	if err != nil || c.String() != text || count < 0 || (count > 0) != isHash || count == 0 && hash != journal.Genesis {
		return Checkpoint{}, fault.New(ErrInvalid, "give what `handoff audit head` printed", "%.200q is no COUNT:HASH", text)
	}
	return c, nil
}

// A SignedCheckpoint is a checkpoint with its signatures, kept in the state directory: the checkpoint in
// File, the signatures in File.sig, File.2.sig and so on, as ssh-keygen -Y sign writes them.
type SignedCheckpoint struct {
	Checkpoint
	File string
}

// SignatureFile returns the file of the n-th signature, from 1, of the checkpoint in file.
func SignatureFile(file string, n int) string {
	if n == 1 {
		return file + ".sig"
	}
	return fmt.Sprintf("%s.%d.sig", file, n)
}

const checkpointPrefix = "checkpoint-"

func checkpointName(count int) string { return fmt.Sprintf("%s%08d", checkpointPrefix, count) }

// isCheckpointName leaves out signatures, and what somebody put aside under a longer name.
func isCheckpointName(name string) bool {
	count, ok := strings.CutPrefix(name, checkpointPrefix)
	return ok && count != "" && form.IsDigits(count)
}

// KeepCheckpoint stores a checkpoint and its signature, which it does not look at, and returns the files of
// both. Other signatures of the checkpoint stay beside it. A log that does not hold the checkpoint, or the one
// that was kept last, is ErrIntegrity: nothing is kept of it.
func (s *Store) KeepCheckpoint(ctx context.Context, c Checkpoint, signature []byte) (file, signatureFile string, err error) {
	name := checkpointName(c.Count)
	file = filepath.Join(s.opt.StateDir, name)
	err = s.locked(ctx, func(x *session) error {
		if err := s.checkKept(c); err != nil {
			return err
		}
		kept, err := x.keepFile(name, []byte(c.String()+"\n"))
		if err == nil && !kept {
			err = fault.New(ErrIntegrity, "move it away and sign again", "%s is not the checkpoint %s", file, c)
		}
		for n := 1; err == nil; n++ {
			signatureFile = SignatureFile(file, n)
			if kept, err = x.keepFile(filepath.Base(signatureFile), signature); kept {
				return x.state.Sync()
			}
		}
		return err
	})
	return file, signatureFile, fault.Explain(err, "the checkpoint is not known to be kept", "sign again")
}

// checkKept checks that the log holds c and the checkpoint before it.
func (s *Store) checkKept(c Checkpoint) error {
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
func (x *session) keepFile(name string, content []byte) (bool, error) {
	err := publishNew(x.state, name, content)
	if !errors.Is(err, fs.ErrExist) {
		return err == nil, err
	}
	there, err := x.state.ReadFile(name, maxStateDoc)
	return err == nil && bytes.Equal(there, content), err
}

// LastCheckpoint returns the signed checkpoint that was kept last. Whether a signature is good is for the
// caller to find out. If there is none, the error is fs.ErrNotExist.
func (s *Store) LastCheckpoint() (SignedCheckpoint, error) {
	none := fmt.Errorf("no signed checkpoint in %s: %w", s.opt.StateDir, fs.ErrNotExist)
	state, err := s.openPlace(s.opt.StateDir)
	if err != nil {
		return SignedCheckpoint{}, err
	}
	if state == nil {
		return SignedCheckpoint{}, none
	}
	defer state.Close()
	names, err := state.Names(func(name string) bool { return strings.HasPrefix(name, checkpointPrefix) })
	if err != nil {
		return SignedCheckpoint{}, err
	}
	signed := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return !isCheckpointName(name) || !slices.Contains(names, SignatureFile(name, 1))
	})
	if len(signed) == 0 {
		return SignedCheckpoint{}, none
	}
	return s.readCheckpoint(state, slices.MaxFunc(signed, byCount))
}

func (s *Store) readCheckpoint(state *durable.Dir, name string) (SignedCheckpoint, error) {
	kept := SignedCheckpoint{File: filepath.Join(s.opt.StateDir, name)}
	text, err := state.ReadFile(name, maxStateDoc)
	switch {
	case errors.As(err, new(syscall.Errno)):
		return kept, fault.Unreadable(err)
	case err == nil:
		kept.Checkpoint, err = ParseCheckpoint(string(text))
	}
	if err == nil && checkpointName(kept.Count) != name {
		err = fmt.Errorf("it says %s, which is not what its name says", kept)
	}
	if err != nil {
		return kept, &CorruptError{File: kept.File, Why: fmt.Sprintf("is no checkpoint: %v", err)}
	}
	return kept, nil
}

// byCount orders names of checkpoints: longer numbers are greater.
func byCount(a, b string) int {
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}
