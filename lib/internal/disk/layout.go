package disk

import (
	"fmt"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// Git says how a store lives with git.
type Git string

// The kinds of Git.
const (
	GitNone    Git = "none"    // git knows nothing of it: one place, which was moved or copied if its state is gone
	GitTracked Git = "tracked" // committed with the code: each clone and each linked work tree is a replica of its own
	GitSynced  Git = "synced"  // ignored, in the main work tree: all work trees use it
)

// IsShared reports whether handoffs may come from other places than this one.
func (g Git) IsShared() bool { return g == GitTracked || g == GitSynced }

// In the project root, by default.
const (
	HandoffsDir   = "handoffs"
	StateDir      = ".run"
	OperatorsFile = "OPERATORS.md"
)

// In the handoffs directory.
const (
	IndexFile = "INDEX.md"
	Lock      = ".INDEX.md.lock"

	Signatures = ".sig" // the directory of signatures; see SignatureFile
)

// In the state directory.
const (
	FingerprintFile = "machine-fingerprint"
	History         = "machine-fingerprint.history.jsonl"
	LogFile         = "handoff-events.jsonl"
	Refusals        = "handoff-events.cross-host-staging.jsonl" // of commands on another machine
	Ledger          = "consumed-tokens.jsonl"
	Tombstones      = "tombstones" // the ids of what was pruned, one a line
	Offers          = "offered.jsonl"
	OlderOffers     = "offered-before.jsonl"
	Facts           = "facts"              // what documents and events say of handoffs; a cache in the user's state
	Sealed          = "archives"           // what is known of the archives of the index; a cache in the user's state
	Tokens          = "packet-tokens"      // which handoffs have which resume token; a cache in the user's state
	Pins            = "operator-keys.json" // the keys of operators, as they were first seen or trusted since
	Drafts          = "drafts"
	Beside          = "beside.json" // how far other work trees were taken over, where that cannot be kept outside
	Synced          = "synced"      // is there once the store was exchanged with a remote
	GitIgnore       = ".gitignore"

	TornLog    = "handoff-events.torn-" // and a time: the end of a log that a crash has torn
	Checkpoint = "checkpoint-"          // and a number of events
)

// In the directory of the store outside of the project.
const (
	SyncRepo    = "sync.git"     // what was exchanged with a remote
	SyncRunning = "sync.running" // is there while that is changed
	SyncState   = "sync.json"    // how far what is here was sent, and when
	SyncHeld    = "held.json"    // what came and has to wait
	SyncTargets = "remotes.json" // where handoffs may be sent to
	IndexStamp  = "index-stamp"  // of the index of git that does not track the state directory
)

// Quarantine begins the names of files that were put aside; a time and the former name follow.
const Quarantine = "quarantine-"

// How much of a file is read at most, in bytes.
const (
	MaxDocument  = 4 << 20 // of a stored document, whatever the setting for new ones
	MaxIndex     = 256 << 20
	MaxLine      = 1 << 20 // of a line of an index file: no row is longer
	MaxLedger    = 256 << 20
	MaxLog       = 1 << 30
	MaxEvent     = 32 << 20 // of a line of the log
	MaxStateFile = 64 << 10 // of a small file of the state directory
	MaxOperators = 1 << 20
	MaxSignature = 64 << 10
)

// Archive returns the name of the n-th archive, counted from 1.
func Archive(n int) string { return fmt.Sprintf("INDEX-%04d.md", n) }

// MonthArchive returns the name of the archive for rows of a ts_utc in a store that is committed with
// the code: two branches put the same rows into the same file.
func MonthArchive(ts string) string { return "INDEX-" + ts[:len("2006-01")] + ".md" }

// IsMonthArchive reports whether name is one that [MonthArchive] gives.
func IsMonthArchive(name string) bool {
	return len(name) == len("INDEX-2006-01.md") && strings.HasPrefix(name, "INDEX-") && strings.HasSuffix(name, ".md") && form.Matches(name[len("INDEX-"):len("INDEX-2006-01")], "0000-00")
}

// IsArchive reports whether name is one that [Archive] or [MonthArchive] gives.
func IsArchive(name string) bool { return ArchiveNumber(name) > 0 || IsMonthArchive(name) }

// ArchiveNumber returns the n for which [Archive] gives name, 0 if there is none.
func ArchiveNumber(name string) int {
	var n int
	if _, err := fmt.Sscanf(name, "INDEX-%d.md", &n); err != nil || n < 1 || Archive(n) != name {
		return 0
	}
	return n
}

// IsReplaced reports whether name is a file that the store replaces as a whole. What an interrupted
// replacing leaves is named for it.
func IsReplaced(name string) bool {
	switch name {
	case IndexFile, FingerprintFile, LogFile, Ledger, Tombstones, OlderOffers, Pins, Beside:
		return true
	}
	return IsArchive(name) || IsSignatureFile(name)
}

// IsOfState reports whether name is a file that the store itself makes in its state directory.
func IsOfState(name string) bool {
	return IsReplaced(name) && name != IndexFile && !IsArchive(name) && !IsSignatureFile(name) || name == History || name == Refusals || name == Offers || name == Synced
}

// SignatureFile returns the name of the signature of a handoff, below [Signatures].
func SignatureFile(id string) string { return strings.TrimPrefix(id, "sha256:") + ".sig" }

// IsSignatureFile reports whether name is one that [SignatureFile] gives.
func IsSignatureFile(name string) bool {
	digits, ok := strings.CutSuffix(name, ".sig")
	return ok && form.IsDigest(digits)
}

// IsCheckpoint reports whether name is that of a checkpoint: not of its signature, and not of what
// somebody put aside under a longer name.
func IsCheckpoint(name string) bool {
	count, ok := strings.CutPrefix(name, Checkpoint)
	return ok && count != "" && form.IsDigits(count)
}
