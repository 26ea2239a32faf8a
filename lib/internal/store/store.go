package store

import (
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/operators"
	"github.com/seed-78daf238/handoff/lib/internal/parallel"
)

// A Store is a store on disk.
type Store struct {
	Opt Options

	looks  looks
	listed atomic.Pointer[listing] // nil until a listed file is missing
}

// Options says where a store is and how it behaves.
type Options struct {
	Dir, StateDir, Root string
	OperatorsFile       string   // the project's own: it says who may do what
	ListedIn            string   // where from and to of what is written are looked up; "" is OperatorsFile
	MustHaveOperators   bool     // the settings name OperatorsFile: that it is missing is an error
	UserState           string   // the directory of what the program keeps for the user; "" if there is none
	Named               []string // those of the paths that may lie outside Root
	Git                 disk.Git
	Branch              string // that is checked out, "" if that is not known
	Synced              bool   // others have it, although this replica was never exchanged itself

	Operator     string
	Me           func() string // who runs the program, for @; nil or "" if nobody knows
	LockTimeout  time.Duration
	IndexMaxRows int
	Restore      bool // what was pruned may be stored again

	CheckBody func(body string) error
	// CheckSignature returns what is known of the signature of a stored handoff, and why it does not hold.
	CheckSignature func(d *disk.Dir, id, from string, text []byte) (operators.Verdict, error)
	Now            func() time.Time
	Fingerprint    func() (string, error)
	Warn           func(string)
	Lost           func(error)                        // is told why handoffs that are there cannot be listed
	Progress       func(task string, done, total int) // nil is nobody
}

// RelPath returns how the path of a stored file is reported: relative to the project root if it is inside.
func (s *Store) RelPath(file string) string {
	path := filepath.Join(s.Opt.Dir, file)
	rel, err := filepath.Rel(s.Opt.Root, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return path
	}
	return filepath.ToSlash(rel)
}

// What Options.Progress is told about, each with the number of documents.
const (
	TaskSeal  = "checking"  // sources: parsed, validated, identified
	TaskStage = "storing"   // bodies: written to the disk
	TaskProve = "verifying" // stored documents: read and compared with rows and events
)

// EachShown is parallel.Each, with its progress told.
func (s *Store) EachShown(task string, n, workers int, do func(int)) {
	parallel.EachShown(n, workers, func(done, total int) { s.Tell(task, done, total) }, do)
}

// Tell says how far a task has come. It is for one goroutine at a time.
func (s *Store) Tell(task string, done, total int) {
	if s.Opt.Progress != nil {
		s.Opt.Progress(task, done, total)
	}
}

// OneLine is the first line of an error.
func OneLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// Prefixed returns what stands before a message about a document of that name.
func Prefixed(name string) string {
	if name == "" {
		return ""
	}
	return name + ": "
}
