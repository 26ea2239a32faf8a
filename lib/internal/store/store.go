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

	hold    hold
	listed  atomic.Pointer[listing] // nil until a listed file is missing
	outside atomic.Pointer[string]  // the result of OutsidePath; nil until it is needed
}

// Options locates a store and configures it.
type Options struct {
	Dir, StateDir, Root string
	OperatorsFile       string   // the operators file of the project, which grants capabilities
	UserState           string   // the directory of the user's own files; "" if there is none
	Named               []string // those of the paths that may be outside Root
	Git                 disk.Git

	Operator     string
	LockTimeout  time.Duration
	IndexMaxRows int

	// CheckSignature returns the verdict on the signature of a stored handoff, and an error if the signature
	// is bad.
	CheckSignature func(d *disk.Dir, id, from string, text []byte) (operators.Verdict, error)
	Now            func() time.Time
	Fingerprint    func() (string, error)
	Warn           func(string)
	Lost           func(error)                        // gets the reasons why stored handoffs cannot be listed
	Progress       func(task string, done, total int) // optional
}

// RelPath returns the path of a stored file for reports: relative to the project root if it is inside.
func (s *Store) RelPath(file string) string {
	path := filepath.Join(s.Opt.Dir, file)
	rel, err := filepath.Rel(s.Opt.Root, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return path
	}
	return filepath.ToSlash(rel)
}

// The tasks that Options.Progress reports. The unit is a document.
const (
	TaskSeal  = "checking"  // parsing, validating and identifying sources
	TaskStage = "storing"   // writing bodies to the disk
	TaskProve = "verifying" // comparing stored documents with rows and events
)

// EachShown is parallel.Each, and reports progress.
func (s *Store) EachShown(task string, n, workers int, do func(int)) {
	parallel.EachShown(n, workers, func(done, total int) { s.Tell(task, done, total) }, do)
}

// Tell reports the progress of a task. It is not safe for concurrent use.
func (s *Store) Tell(task string, done, total int) {
	if s.Opt.Progress != nil {
		s.Opt.Progress(task, done, total)
	}
}

// OneLine returns the first line of an error.
func OneLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
