// Package remote is the place through which clones exchange batches: a set of logs.
//
// # Logs
//
// A log is a chain of batches, which are bytes. It grows in one way only: [Remote.Append] adds a batch behind a
// position, and fails if the log does not end there. Nobody owns a log. One that a single clone appends to is its
// outbox; one that all append to decides which of several comes next.
//
// The name of a log is w- and 16 digits (an outbox), or t- and 2 (turns), lower-case and hexadecimal. Other names are
// passed over. A batch has at most 16 MiB ([MaxBatch]), a remote 20,000 logs ([MaxLogs]). A batch that is larger, or
// missing in its place, is read as an empty one: the log goes on behind it.
//
// A position is where a log was read to. The end of a batch is one. Only the remote that made a position understands
// it. A log that does not have a position any more was rewritten: none of its batches are read, those of other logs
// are.
//
// # git
//
// A log is the ref <namespace>/log/<name>, where namespace is refs/handoff unless the settings say otherwise. A batch
// is a commit, whose tree has one file, batch. The parent of a commit is the batch before, and the first has none. Of
// several parents the first counts; author, time, message and other files say nothing. The position is the name of the
// commit, which covers all that stands before it. Clones append by one atomic push, which the remote compares with what
// was read of each log (--force-with-lease).
//
// git's own settings in the project decide how git reaches the remote: those of http, credential, url and ssh,
// core.sshCommand, core.askPass, the pushurl and proxy of the remote with this URL, and the repositories that the user
// trusts. Nothing else of them is read, and nothing that a repository names is run.
//
// Objects come through a bare repository, which is a cache: it is made again if it is broken.
//
// Object stores have the same logs in another form: see the helper program handoff-remote-s3.
package remote

import (
	"context"
	"errors"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// A Position is where a log was read to, "" its beginning.
type Position string

// A Batch is what one append added to a log. Its end is At.
type Batch struct {
	Text []byte // nil if it is too large or missing
	At   Position
}

// An Addition is a batch to append to a log behind a position.
type Addition struct {
	Log   string
	After Position // "" for a log that does not exist yet
	Text  []byte
}

// A Remote holds logs. Errors of the network and refusals have no class. An error about settings, credentials and
// rights is a fault.ErrConfig.
type Remote interface {
	// Versions returns a word for each log that changes when the log does. It takes one round trip.
	Versions(ctx context.Context) (map[string]string, error)

	// Read calls do with each batch behind the given positions, log by log in the order of their names, oldest first.
	// It ends when do fails. A log that does not continue its position is a [*Rewritten] error, returned when all other
	// logs have been read.
	Read(ctx context.Context, after map[string]Position, do func(log string, b Batch) error) error

	// Append appends all batches, or none where the remote can. It returns the new positions. If one of the logs has
	// moved, the error is ErrMoved. After any other error each of the batches may have been appended or not. An append
	// that was made already, byte for byte, succeeds again, so it can be repeated after a lost answer. A log appears
	// once in all. A batch that is too large is fault.ErrInvalid.
	Append(ctx context.Context, all []Addition) (map[string]Position, error)

	// Close releases what the remote holds.
	Close() error
}

// ErrMoved is wrapped by the error of an append to a log that does not end at the position given.
var ErrMoved = errors.New("a log of the remote has moved")

// A Rewritten error reports a log that does not continue what was read of it. It unwraps to fault.ErrIntegrity.
type Rewritten struct{ Log string }

// Error says which log it is.
func (e *Rewritten) Error() string {
	return "the log " + e.Log + " of the remote does not continue what was read of it"
}

// Hint returns the command that gives the remote back what it lacks.
func (e *Rewritten) Hint() string {
	return "somebody changed its past, or it was restored from a backup: run `handoff sync --restore-remote`"
}

// Unwrap returns fault.ErrIntegrity.
func (e *Rewritten) Unwrap() error { return fault.ErrIntegrity }

// The limits of a remote.
const (
	MaxBatch = 16 << 20 // bytes of a batch
	MaxLogs  = 20_000
)

// IsLog reports whether a name can be that of a log.
func IsLog(log string) bool {
	kind, digits, _ := strings.Cut(log, "-")
	return (kind == "w" && len(digits) == 16 || kind == "t" && len(digits) == 2) && form.IsHex(digits)
}
