package handoff

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/durable"
	"github.com/seed-78daf238/handoff/lib/internal/index"
)

const (
	lockName        = ".INDEX.md.lock"
	logName         = "handoff-events.jsonl"
	stagingName     = "handoff-events.cross-host-staging.jsonl"
	fingerprintName = "machine-fingerprint"
	historyName     = "machine-fingerprint.history.jsonl"

	maxStored   = 4 << 20   // bytes of a stored document, whatever the setting for new ones
	maxIndex    = 256 << 20 // bytes of one index file
	maxIntent   = 256 << 20
	maxStateDoc = 64 << 10 // bytes of a small file of the state directory
)

// A Store is a handoffs directory with its state directory. It holds no resources between calls, and its
// methods may be called at the same time from several goroutines and processes.
type Store struct {
	opt Options
}

// Open checks the options and returns the store that they name. It creates nothing: a store comes into
// being with the first write. Whether the place can hold a store is checked when it is used.
func Open(opt Options) (*Store, error) {
	if opt.Dir == "" {
		return nil, fault.New(ErrConfig, "", "no handoffs directory is given")
	}
	for _, path := range []*string{&opt.Dir, &opt.StateDir, &opt.Root, &opt.OperatorsFile} {
		if *path == "" {
			continue
		}
		abs, err := filepath.Abs(*path)
		if err != nil {
			return nil, fault.New(ErrConfig, "", "%s: %v", *path, err)
		}
		*path = abs
	}
	opt.Named = append([]string{}, opt.Named...)
	for i, path := range opt.Named {
		if abs, err := filepath.Abs(path); err == nil {
			opt.Named[i] = abs
		}
	}
	return &Store{opt: opt.withDefaults()}, nil
}

// Dir returns the absolute path of the handoffs directory.
func (s *Store) Dir() string { return s.opt.Dir }

// relPath returns how the path of a stored file is reported: relative to the project root if it is inside.
func (s *Store) relPath(file string) string {
	path := filepath.Join(s.opt.Dir, file)
	rel, err := filepath.Rel(s.opt.Root, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return path
	}
	return filepath.ToSlash(rel)
}

// readIndex returns the text of an index file, nil if it does not exist.
func readIndex(d *durable.Dir, name string) ([]byte, error) {
	f, err := openIndex(d, name)
	if err != nil || f == nil {
		return nil, err
	}
	defer f.Close()
	return durable.ReadAll(f, maxIndex)
}

// openIndex opens an index file, nil if it does not exist.
func openIndex(d *durable.Dir, name string) (*os.File, error) {
	f, err := d.OpenSole(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case errors.Is(err, durable.ErrUnsafe):
		return nil, &CorruptError{File: filepath.Join(d.Path(), name), Why: err.Error()}
	}
	return f, fault.Unreadable(err)
}

// isReplaced reports whether name is a file that the store replaces as a whole. What an interrupted replacing leaves
// is named for it.
func isReplaced(name string) bool {
	switch name {
	case index.Name, fingerprintName, logName, ledgerName, quietName, offeredFull:
		return true
	}
	return index.IsArchiveName(name)
}

// hasHandoffs reports whether d holds a file that looks like a stored handoff. It reads the directory.
func hasHandoffs(d *durable.Dir) (bool, error) {
	names, err := d.Names(index.IsFile)
	return len(names) > 0, err
}

// hasLost reports whether text, of an INDEX.md that lists nothing, should list handoffs that are there. Beside a table
// of a store without any event they were put by hand, and are adopted when they are written.
func (s *Store) hasLost(d *durable.Dir, text []byte) (bool, error) {
	has, err := hasHandoffs(d)
	if err != nil || !has || index.Lacks(string(text)) != "" {
		return has, err
	}
	state, err := s.openPlace(s.opt.StateDir)
	if err != nil || state == nil {
		return false, err
	}
	defer state.Close()
	return s.hasBegun(nil, state)
}

var errArchiveLost = errors.New("an archive of the index is lost")

// archiveLost says that an archive which has to be there is not, or that it holds nothing.
func archiveLost(d *durable.Dir, name string) error {
	return &Error{
		Class:   ErrIntegrity,
		Problem: filepath.Join(d.Path(), name) + " is missing or was emptied, and what it listed cannot be found",
		Advice:  "restore it, or run `handoff doctor` to see what would mend it; nothing was changed",
		Cause:   errArchiveLost,
	}
}

var errGone = errors.New("the handoffs directory does not exist, although the audit log has events")

var errIndexMissing = &Error{
	Class:   ErrIntegrity,
	Problem: index.Name + " is missing or empty, although there are handoffs",
	Advice:  "run `handoff doctor --rebuild-index` to make it again from the files and the audit log",
}
