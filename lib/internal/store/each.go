package store

import (
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/parallel"
)

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
