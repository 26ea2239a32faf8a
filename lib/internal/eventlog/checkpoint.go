package eventlog

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// A Checkpoint is a position in the audit log: the number of events, and the hash that the next event names.
// With a checkpoint you can tell later whether the log still has those events.
type Checkpoint struct {
	Count int    `json:"count"`
	Hash  string `json:"hash"`
}

// String returns the checkpoint as COUNT:HASH.
func (c Checkpoint) String() string { return fmt.Sprintf("%d:%s", c.Count, c.Hash) }

// ParseCheckpoint is the inverse of String. It accepts a newline at the end. Any other text is ErrInvalid.
func ParseCheckpoint(text string) (Checkpoint, error) {
	text = strings.TrimSuffix(text, "\n")
	n, hash, _ := strings.Cut(text, ":")
	count, err := strconv.Atoi(n)
	c := Checkpoint{count, hash}
	isHash := form.IsDigest(hash)
	if err != nil || c.String() != text || count < 0 || (count > 0) != isHash || count == 0 && hash != Genesis {
		return Checkpoint{}, fault.Invalid("use the output of `handoff log --head`", "%.200q is not COUNT:HASH", text)
	}
	return c, nil
}

// Lacks returns why the log does not continue the checkpoint c, or "" if it does. The reason names the first
// line that is known to be bad. c must be one of the checkpoints that Read got.
func (r *Reading) Lacks(c Checkpoint) (why string) {
	at := r.points[c.Count]
	switch {
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
