package handoff

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/durable"
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
	isHash := len(hash) == 64 && strings.Trim(hash, "0123456789abcdef") == ""
	if err != nil || c.String() != text || count < 0 || (count > 0) != isHash || count == 0 && hash != journal.Genesis {
		return Checkpoint{}, problem(ErrInvalid, "give what `handoff audit head` printed", "%.200q is no COUNT:HASH", text)
	}
	return c, nil
}

// A SignedCheckpoint is a checkpoint with its signature, kept in the state directory: the checkpoint in
// File, the signature in File.sig, as ssh-keygen -Y sign writes it.
type SignedCheckpoint struct {
	Checkpoint
	File string
}

const checkpointPrefix = "checkpoint-"

func checkpointName(count int) string { return fmt.Sprintf("%s%08d", checkpointPrefix, count) }

// KeepCheckpoint stores a checkpoint and its signature, which it does not look at. A log that does not
// hold the checkpoint, or the one that was kept last, is ErrIntegrity: nothing is kept of it.
func (s *Store) KeepCheckpoint(ctx context.Context, c Checkpoint, signature []byte) (SignedCheckpoint, error) {
	name := checkpointName(c.Count)
	kept := SignedCheckpoint{c, filepath.Join(s.opt.StateDir, name)}
	err := s.locked(ctx, func(x *session) error {
		if err := s.checkKept(c); err != nil {
			return err
		}
		for _, f := range []struct {
			name string
			data []byte
		}{{name, []byte(c.String() + "\n")}, {name + ".sig", signature}} {
			if err := x.keepFile(f.name, f.data); err != nil {
				return err
			}
		}
		return x.state.Sync()
	})
	return kept, explain(err, "the checkpoint is not known to be kept", "sign again")
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
		return problem(ErrIntegrity, "find out what happened to the log; to begin anew, move "+last.File+" away", "%v", err)
	}
	return nil
}

// keepFile makes name hold data. A crash leaves the old file, none, or the new one.
func (x *session) keepFile(name string, data []byte) error {
	staged, err := x.state.Stage(data, 0o600)
	if err != nil {
		return err
	}
	defer staged.Discard()
	if err := x.state.Remove(name); err != nil {
		return err
	}
	return staged.Publish(name)
}

// LastCheckpoint returns the signed checkpoint that was kept last. Whether its signature is good is for the
// caller to find out. If there is none, the error is fs.ErrNotExist.
func (s *Store) LastCheckpoint() (SignedCheckpoint, error) {
	none := fmt.Errorf("no signed checkpoint in %s: %w", s.opt.StateDir, fs.ErrNotExist)
	state, err := openOptional(s.opt.StateDir)
	if err != nil {
		return SignedCheckpoint{}, err
	}
	if state == nil {
		return SignedCheckpoint{}, none
	}
	defer state.Close()
	signed, err := state.Names(func(name string) bool {
		return strings.HasPrefix(name, checkpointPrefix) && strings.HasSuffix(name, ".sig")
	})
	if err != nil {
		return SignedCheckpoint{}, err
	}
	if len(signed) == 0 {
		return SignedCheckpoint{}, none
	}
	return s.readCheckpoint(state, strings.TrimSuffix(slices.MaxFunc(signed, byCount), ".sig"))
}

func (s *Store) readCheckpoint(state *durable.Dir, name string) (SignedCheckpoint, error) {
	kept := SignedCheckpoint{File: filepath.Join(s.opt.StateDir, name)}
	text, err := state.ReadFile(name, maxStateDoc)
	if err == nil {
		kept.Checkpoint, err = ParseCheckpoint(string(text))
	}
	if err != nil || checkpointName(kept.Count) != name {
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
