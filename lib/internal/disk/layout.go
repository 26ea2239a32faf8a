package disk

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// Git is how git treats the handoffs of a store.
type Git string

// The values of Git.
const (
	GitNone    Git = "none"    // git does not have the store; if its state is missing, the store was moved or copied
	GitTracked Git = "tracked" // committed with the code: each clone and each linked work tree is a replica
	GitSynced  Git = "synced"  // ignored, in the main work tree: all work trees use it
)

// IsShared reports whether handoffs may come from other replicas.
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
	LogFile         = "handoff-events.jsonl"
	Refusals        = "handoff-events.cross-host-staging.jsonl" // of commands on another machine
	Ledger          = "consumed-tokens.jsonl"
	Tombstones      = "tombstones"         // the ids of pruned handoffs, one per line
	Facts           = "facts"              // what documents and events say about handoffs; a cache in the user's state
	Pins            = "operator-keys.json" // the keys of operators, as first seen or trusted since
	GitIgnore       = ".gitignore"

	TornLog = "handoff-events.torn-" // and a time: the torn end of a log
)

// Quarantine is the prefix of the names of quarantined files; a time and the former name follow.
const Quarantine = "quarantine-"

// The largest sizes that are read, in bytes.
const (
	MaxDocument  = 4 << 20 // of a stored document, whatever the setting for new ones
	MaxIndex     = 256 << 20
	MaxLine      = 8 << 20 // of a line of an index file; no row and hardly a line of people is longer
	MaxLedger    = 256 << 20
	MaxLog       = 1 << 30
	MaxEvent     = 32 << 20 // of a line of the log
	MaxStateFile = 64 << 10 // of a small file of the state directory
	MaxOperators = 1 << 20
	MaxSignature = 64 << 10
)

// Archive returns the name of the n-th archive, counted from 1.
func Archive(n int) string { return fmt.Sprintf("INDEX-%04d.md", n) }

// IsArchive reports whether name is a name from [Archive].
func IsArchive(name string) bool { return ArchiveNumber(name) > 0 }

// ArchiveNumber returns the number n of the archive name, or 0 if [Archive] does not return name for any n.
func ArchiveNumber(name string) int {
	n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(name, "INDEX-"), ".md"))
	if err != nil || n < 1 || Archive(n) != name {
		return 0
	}
	return n
}

// IsReplaced reports whether name is a file that the store replaces as a whole. A leftover of an interrupted
// replacement has that name in its own.
func IsReplaced(name string) bool {
	switch name {
	case IndexFile, FingerprintFile, LogFile, Ledger, Tombstones, Pins:
		return true
	}
	return IsArchive(name) || IsSignatureFile(name)
}

// IsOfState reports whether name is a file that the store itself creates in its state directory.
func IsOfState(name string) bool {
	return IsReplaced(name) && name != IndexFile && !IsArchive(name) && !IsSignatureFile(name) ||
		name == Refusals
}

// SignatureFile returns the name of the signature of a handoff, below [Signatures].
func SignatureFile(id string) string { return strings.TrimPrefix(id, "sha256:") + ".sig" }

// IsSignatureFile reports whether name is a name from [SignatureFile].
func IsSignatureFile(name string) bool {
	digits, ok := strings.CutSuffix(name, ".sig")
	return ok && form.IsDigest(digits)
}
