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
	GitNone    Git = "none"    // git does not have the store
	GitTracked Git = "tracked" // committed with the code: each clone and each linked work tree has a store of its own
	GitSynced  Git = "synced"  // ignored, in the main work tree: all work trees use it
)

// IsShared reports whether handoffs may come from other clones.
func (g Git) IsShared() bool { return g == GitTracked || g == GitSynced }

// In the project root, by default.
const (
	HandoffsDir   = "handoffs"
	StateDir      = ".run"
	OperatorsFile = "OPERATORS.md"
)

// In the handoffs directory.
const (
	IndexFile  = "INDEX.md"
	LockFile   = ".INDEX.md.lock"
	Signatures = ".sig" // the directory of signatures; see SignatureFile
)

// In the state directory. Package log names the log.
const (
	FingerprintFile = "machine-fingerprint"
	StagingLog      = "handoff-events.cross-host-staging.jsonl" // of commands that another machine refused
	Held            = "held"                                    // the directory of what was received and not stored yet
	Kept            = "kept"                                    // the directory of what was cut or moved aside
)

// GitIgnore is the name of the file with which git ignores a directory.
const GitIgnore = ".gitignore"

// The largest sizes that are read, in bytes.
const (
	MaxDocument      = 4 << 20 // of a stored document, whatever the setting for new ones
	MaxIndex         = 256 << 20
	MaxLog           = 1 << 30
	MaxEvent         = 32 << 20 // of a line of the log
	MaxStateFile     = 64 << 10 // of a small file of the state directory
	MaxMachineRecord = 4 << 10
	MaxOperators     = 1 << 20
	MaxSignature     = 64 << 10
)

// Archive returns the name of the n-th archive of the table, counted from 1.
func Archive(n int) string { return fmt.Sprintf("INDEX-%04d.md", n) }

// ArchiveNumber returns the number n of the archive name, or 0 if [Archive] does not return name for any n.
func ArchiveNumber(name string) int {
	n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(name, "INDEX-"), ".md"))
	if err != nil || n < 1 || Archive(n) != name {
		return 0
	}
	return n
}

// SignatureFile returns the name of the signature of a handoff, below [Signatures].
func SignatureFile(id string) string { return strings.TrimPrefix(id, form.IDPrefix) + ".sig" }

const (
	tempPrefix = ".tmp-"
	tempBytes  = 12
)

// IsTemp reports whether name is a name from [Dir.Stage], or that of a killed [Dir.Replace] of the table, an archive
// or the machine.
func IsTemp(name string) bool {
	if digits, ok := strings.CutPrefix(name, tempPrefix); ok {
		return len(digits) == 2*tempBytes && form.IsHex(digits)
	}
	stem := strings.TrimRight(name, "0123456789")
	of, hidden := strings.CutPrefix(stem, ".")
	return hidden && len(stem) < len(name) && (of == IndexFile || of == FingerprintFile || ArchiveNumber(of) > 0)
}
