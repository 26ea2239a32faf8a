package eventlog

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// CheckpointNamespace is the namespace of signatures of checkpoints (ssh-keygen -Y sign -n).
const CheckpointNamespace = "handoff-audit"

// A Checkpoint is a position in the audit log: the number of events, and the hash that the next event names.
// With a checkpoint you can tell later whether the log still has those events, and whether it is the log of
// the same store.
type Checkpoint struct {
	Count  int    `json:"count"`
	Hash   string `json:"hash"`
	Writer string `json:"writer,omitempty"` // the writer id of the log; "" matches any
}

// String returns the checkpoint as COUNT:HASH:WRITER, or as COUNT:HASH without a writer. A signature covers
// this text and a newline.
func (c Checkpoint) String() string {
	if c.Writer == "" {
		return fmt.Sprintf("%d:%s", c.Count, c.Hash)
	}
	return fmt.Sprintf("%d:%s:%s", c.Count, c.Hash, c.Writer)
}

// OfAny returns the checkpoint without its writer.
func (c Checkpoint) OfAny() Checkpoint { return Checkpoint{Count: c.Count, Hash: c.Hash} }

// ParseCheckpoint is the inverse of String. It accepts a newline at the end. Any other text is ErrInvalid.
func ParseCheckpoint(text string) (Checkpoint, error) {
	text = strings.TrimSuffix(text, "\n")
	n, rest, _ := strings.Cut(text, ":")
	hash, writer, _ := strings.Cut(rest, ":")
	count, err := strconv.Atoi(n)
	c := Checkpoint{count, hash, writer}
	isHash := form.IsDigest(hash)
	if err != nil || c.String() != text || count < 0 || (count > 0) != isHash || count == 0 && hash != Genesis ||
		writer != "" && !form.IsWriter(writer) {
		return Checkpoint{}, fault.Invalid("use the output of `handoff log --head`",
			"%.200q is not COUNT:HASH or COUNT:HASH:WRITER", text)
	}
	return c, nil
}

// A SignedCheckpoint is a checkpoint with its signatures, kept in the state directory. The checkpoint is in
// File. The signatures are in File.sig, File.2.sig and so on, in the format of ssh-keygen -Y sign.
type SignedCheckpoint struct {
	Checkpoint
	File string
}

// SignatureFile returns the file of the n-th signature, counted from 1, of the checkpoint in file.
func SignatureFile(file string, n int) string {
	if n == 1 {
		return file + ".sig"
	}
	return fmt.Sprintf("%s.%d.sig", file, n)
}

// CheckpointName returns the name of the file of a checkpoint of count events.
func CheckpointName(count int) string { return fmt.Sprintf("%s%08d", disk.Checkpoint, count) }

// ReadCheckpoint reads a checkpoint of the state directory. A malformed one is a *fault.CorruptError.
func ReadCheckpoint(state *disk.Dir, name string) (SignedCheckpoint, error) {
	kept := SignedCheckpoint{File: filepath.Join(state.Path(), name)}
	text, err := state.ReadFile(name, disk.MaxStateFile)
	switch {
	case errors.As(err, new(syscall.Errno)):
		return kept, fault.Unreadable(err)
	case err == nil:
		kept.Checkpoint, err = ParseCheckpoint(string(text))
	}
	if err == nil && CheckpointName(kept.Count) != name {
		err = fmt.Errorf("it holds %s, but its name differs", kept)
	}
	if err != nil {
		return kept, &fault.CorruptError{File: kept.File, Why: fmt.Sprintf("is not a checkpoint: %v", err)}
	}
	return kept, nil
}

// ByCount compares names of checkpoints: a longer number is greater.
func ByCount(a, b string) int {
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}

// Lacks returns why the log does not continue the checkpoint c, or "" if it does. The reason names the first
// line that is known to be bad. c must be one of the checkpoints that Read got.
func (r *Reading) Lacks(c Checkpoint) (why string) {
	at := r.points[c.Count]
	switch {
	case c.Writer != "" && c.Writer != r.Writer:
		return fmt.Sprintf("%s: this is the log of another store: its writer is %s, at the checkpoint it was %s",
			disk.LogFile, cmp.Or(r.Writer, "unknown"), c.Writer)
	case c.Count == 0:
		return ""
	case c.Count > r.Count:
		return fmt.Sprintf("%s: its end was cut: it has %s, at the checkpoint it had %d", Place(r.last.line+1),
			fault.Count(r.Count, "event"), c.Count)
	case at.hash != c.Hash:
		return fmt.Sprintf("%s: the log was rewritten here or before: event %d has the hash %s, at the checkpoint "+
			"it had %s", Place(at.line), c.Count, at.hash, c.Hash)
	}
	return ""
}
