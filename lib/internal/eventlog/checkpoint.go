package eventlog

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/durable"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
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
	if err != nil || c.String() != text || count < 0 || (count > 0) != isHash || count == 0 && hash != Genesis {
		return Checkpoint{}, fault.New(fault.ErrInvalid, "give what `handoff audit head` printed", "%.200q is no COUNT:HASH", text)
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

func CheckpointName(count int) string { return fmt.Sprintf("%s%08d", layout.Checkpoint, count) }

// ReadCheckpoint reads a checkpoint of the state directory.
func ReadCheckpoint(state *durable.Dir, name string) (SignedCheckpoint, error) {
	kept := SignedCheckpoint{File: filepath.Join(state.Path(), name)}
	text, err := state.ReadFile(name, layout.MaxStateFile)
	switch {
	case errors.As(err, new(syscall.Errno)):
		return kept, fault.Unreadable(err)
	case err == nil:
		kept.Checkpoint, err = ParseCheckpoint(string(text))
	}
	if err == nil && CheckpointName(kept.Count) != name {
		err = fmt.Errorf("it says %s, which is not what its name says", kept)
	}
	if err != nil {
		return kept, &fault.CorruptError{File: kept.File, Why: fmt.Sprintf("is no checkpoint: %v", err)}
	}
	return kept, nil
}

// ByCount orders names of checkpoints: longer numbers are greater.
func ByCount(a, b string) int {
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}

// Lacks returns why the log does not hold what it held at the checkpoint, which was given to Read, and the first line
// that is known to be bad; "" if it does.
func (r *Reading) Lacks(c Checkpoint) (line int, why string) {
	at := r.points[c.Count]
	switch {
	case c.Count == 0:
		return 0, ""
	case c.Count > r.Count:
		return r.last.line + 1, fmt.Sprintf("its end was cut: it has %s, at the checkpoint it had %d", fault.Count(r.Count, "event"), c.Count)
	case at.hash != c.Hash:
		return at.line, fmt.Sprintf("the log was rewritten here or before: event %d has the hash %s, at the checkpoint it had %s", c.Count, at.hash, c.Hash)
	}
	return 0, ""
}
