package store

import (
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
)

// Options say where a store is. All paths are absolute, and all fields are set, except where a comment says otherwise.
type Options struct {
	Dir, StateDir string   // the handoffs directory, and the directory of the log
	Root          string   // the project root
	UserState     string   // the directory of the user's state; "" means that there is none
	Named         []string // the paths that the user named: only they can be outside Root

	OperatorsFile string
	Unverified    bool // operators are not verified (setting verify_operators: false)
	Lenient       bool // unverified operators are accepted, with a warning (setting schema_mode: warn)

	Git          disk.Git
	Operator     string // the user of the program; "" if unknown
	LockTimeout  time.Duration
	IndexMaxRows int

	// VerifySignature returns the public key that made an armored signature of a text. Its error is fault.ErrIntegrity
	// if none did. It may be nil; then Verify and Repair of package check skip signatures.
	VerifySignature func(text, armored []byte, namespace string) (key string, err error)
	AllowedSigners  string                     // the user's file of allowed signers; "" if there is none
	IsSigner        func(operator string) bool // reports whether a sync seals the acts of an operator; may be nil

	Now         func() time.Time
	Fingerprint func() (string, error)
	Warn        func(string)
	Progress    func(task string, done, total int) // may be nil
}

// A Store is a store on a disk. It holds no resources between calls, and can be used by several goroutines.
type Store struct {
	Opt Options

	last   atomic.Pointer[read] // what was read last
	warned atomic.Pointer[string]
}

// RelPath returns the path of a file of the handoffs directory as receipts have it: relative to the project root if it
// is inside.
func (s *Store) RelPath(name string) string {
	path := filepath.Join(s.Opt.Dir, name)
	if rel, err := filepath.Rel(s.Opt.Root, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return path
}

// warnOnce warns, but not with the same words twice in a row: one command reads several times.
func (s *Store) warnOnce(text string) {
	if last := s.warned.Swap(&text); last == nil || *last != text {
		s.Opt.Warn(text)
	}
}

// Progress reports long work.
func (s *Store) Progress(task string, done, total int) {
	if s.Opt.Progress != nil {
		s.Opt.Progress(task, done, total)
	}
}

// UnknownID returns the error for an id that no handoff of the store has.
func (s *Store) UnknownID(id string) error {
	return fault.Invalid("run `handoff list`; in a new clone run `handoff sync`", "no handoff id starts with \"%s\"",
		fault.Own(strings.TrimPrefix(id, "sha256:")))
}
