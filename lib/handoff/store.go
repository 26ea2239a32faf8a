package handoff

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/store"
	"github.com/seed-78daf238/handoff/lib/internal/trust"
)

// A Store is a handoffs directory with its state directory. It holds no resources between calls. Its methods are safe
// for concurrent use by several goroutines and processes.
type Store struct {
	at  *store.Store
	opt Options

	keys *trust.Keyring
	held *stateReader // set by Glance only
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
	at := opt.store()
	s := &Store{at: at, opt: opt, keys: &trust.Keyring{At: at, Allowed: opt.AllowedSigners,
		Verify: opt.VerifySignature}}
	s.at.Opt.CheckSignature = func(d *disk.Dir, id, from string, text []byte) (Signature, error) {
		return s.keys.Of(d, id, from, text)
	}
	return s, nil
}

// Dir returns the absolute path of the handoffs directory.
func (s *Store) Dir() string { return s.opt.Dir }

// Holds reports whether path is one of the files of the store.
func (s *Store) Holds(path string) bool { return s.at.Holds(path) }

// IsOurs reports whether this machine can change the store. It changes nothing to find out.
func (m Maintenance) IsOurs() bool {
	_, err := m.s.at.MatchesMachine()
	return err == nil
}

// Init prepares the project of the store. It creates the handoffs directory, .handoff.yaml, and the files that tell
// git what to ignore and how to merge. kind is how the store uses git. "" means what the settings say; without
// settings and handoffs it means GitSynced in a git work tree. Existing files stay. Only a new kind replaces what
// another kind needed.
//
// done says what Init did; that is on disk. Init can be repeated after any error and then completes the work. What
// root creates belongs to the owner of the project. Errors are ErrConfig.
func (m Maintenance) Init(kind Git) (done []string, err error) { return store.Init(m.s.at, kind) }

// Stamp returns a string that changes when the index or the audit log changes. It opens no file.
func (s *Store) Stamp() string {
	stamp := ""
	for _, path := range []string{
		filepath.Join(s.opt.Dir, disk.IndexFile), filepath.Join(s.opt.StateDir, disk.LogFile),
	} {
		info, err := os.Lstat(path)
		if err == nil {
			stamp += fmt.Sprint(info.Size(), info.ModTime().UnixNano())
		}
		stamp += ";"
	}
	return stamp
}

// Add adds an entry to the operators file, or creates the file. The error is ErrInvalid if the operator is already
// there. It is ErrConfig if the file cannot be read or has no place for an entry.
func (r Registry) Add(o Operator) error {
	if err := CheckOperator(o.ID); err != nil {
		return err
	}
	return store.AddOperator(r.s.at, o)
}

// SetUser sets a key of the user's configuration, such as operator, for all projects. Errors are ErrConfig.
func SetUser(u User, key, value string) error { return store.SetUser(u, key, value) }

// SetOperator sets the operator of the user in this store only. The error is ErrDenied if an operators file does not
// list the operator.
func (r Registry) SetOperator(operator string) error {
	if err := checkOperator(operator); err != nil {
		return err
	}
	if err := r.Check(operator); err != nil {
		return err
	}
	return r.s.at.SetOperator(operator)
}

// Check returns ErrDenied if there is an operators file that does not list the operator.
func (r Registry) Check(operator string) error {
	if operator == Next {
		return errReserved
	}
	list, err := r.Policy()
	if err != nil || list == nil || list.Has(operator) {
		return err
	}
	status := list.Verify(operator, time.Time{})
	return fault.Denied(status.Advice, "%s", fault.Own(status.Reason))
}
