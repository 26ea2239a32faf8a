package handoff

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/log"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// A Store is a handoffs directory with its state directory. It holds no resources between calls. Its methods are safe
// for concurrent use by several goroutines and processes.
type Store struct {
	at  *store.Store
	opt Options
}

// Open checks the options and returns their store. It creates nothing: the first write creates the store. Whether the
// directories are usable is checked when they are used. The error is ErrConfig.
func Open(opt Options) (*Store, error) {
	if opt.Dir == "" {
		return nil, fault.Config("", "no handoffs directory is given")
	}
	for _, path := range []*string{&opt.Dir, &opt.StateDir, &opt.Root, &opt.OperatorsFile} {
		if *path == "" {
			continue
		}
		abs, err := filepath.Abs(*path)
		if err != nil {
			return nil, fault.Config("", "%s: %v", *path, err)
		}
		*path = abs
	}
	opt.Named = append([]string{}, opt.Named...)
	for i, path := range opt.Named {
		if abs, err := filepath.Abs(path); err == nil {
			opt.Named[i] = abs
		}
	}
	opt = opt.withDefaults()
	return &Store{at: opt.store(), opt: opt}, nil
}

// Dir returns the absolute path of the handoffs directory.
func (s *Store) Dir() string { return s.opt.Dir }

// Holds reports whether path is one of the files of the store.
func (s *Store) Holds(path string) bool { return s.at.Holds(path) }

// Stamp returns a string that changes when the log changes. It opens no file.
func (s *Store) Stamp() string {
	info, err := os.Lstat(filepath.Join(s.opt.StateDir, log.FileName))
	if err != nil {
		return ""
	}
	return fmt.Sprint(info.Size(), info.ModTime().UnixNano())
}
