package handoff

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/store"
	"github.com/seed-78daf238/handoff/lib/internal/trust"
)

// A Store is a handoffs directory with its state directory. It holds no resources between calls, and its
// methods may be called at the same time from several goroutines and processes.
type Store struct {
	at  *store.Store
	opt Options

	keys *trust.Keyring
	held *standing // of Glance, nil elsewhere
}

// Open checks the options and returns the store that they name. It creates nothing: a store comes into
// being with the first write. Whether the place can hold a store is checked when it is used.
func Open(opt Options) (*Store, error) {
	if opt.Dir == "" {
		return nil, fault.New(ErrConfig, "", "no handoffs directory is given")
	}
	for _, path := range []*string{&opt.Dir, &opt.StateDir, &opt.Root, &opt.OperatorsFile, &opt.ListedIn} {
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
	opt = opt.withDefaults()
	at := opt.store()
	s := &Store{at: at, opt: opt, keys: &trust.Keyring{At: at, Allowed: opt.AllowedSigners, Verify: opt.VerifySignature}}
	s.at.Opt.CheckSignature = func(d *disk.Dir, id, from string, text []byte) (Signature, error) {
		return s.keys.Of(d, id, from, text)
	}
	return s, nil
}

// Dir returns the absolute path of the handoffs directory.
func (s *Store) Dir() string { return s.opt.Dir }

// Secret returns the secret of the user, which authenticates what the user has allowed, and makes it where
// there is none if create is set; without that the error is fs.ErrNotExist.
func (s *Store) Secret(create bool) ([]byte, error) { return s.at.Secret(create) }

// Holds reports whether a path lies among the files of the store.
func (s *Store) Holds(path string) bool { return s.at.Holds(path) }

// IsOurs reports whether this machine may change the store, as far as can be told without changing anything.
func (m Maintenance) IsOurs() bool {
	_, err := m.s.at.MatchesMachine()
	return err == nil
}

// Init prepares the project of the store: the handoffs directory, .handoff.yaml, and what git is to
// ignore, to keep as it is, and to merge line by line. kind says how the store lives with git from now
// on; "" is what the settings say, or, where there are no settings and no handoffs yet, GitSynced in a
// git work tree. What is there stays as it is; only a kind that is named replaces what another kind
// needed. Whatever Init returns, run again it completes what was interrupted. done says what it did;
// it is on disk then, and what root made belongs to the owner of the project. Errors are ErrConfig.
func (m Maintenance) Init(kind Git) (done []string, err error) { return store.Init(m.s.at, kind) }

// Stamp returns a text that is another one once the store has changed, as far as its files tell: who
// wants to see what is new asks for it now and then. It opens nothing.
func (s *Store) Stamp() string {
	stamp := ""
	for _, path := range []string{
		filepath.Join(s.opt.Dir, disk.IndexFile), filepath.Join(s.opt.StateDir, disk.LogFile), filepath.Join(s.opt.StateDir, disk.Offers),
	} {
		info, err := os.Lstat(path)
		if err == nil {
			stamp += fmt.Sprint(info.Size(), info.ModTime().UnixNano())
		}
		stamp += ";"
	}
	return stamp
}

// AddOperator adds an entry to the operators file, or makes the file. One who is there already is
// ErrInvalid; a file that cannot be read or has no place for an entry is ErrConfig.
func (r Registry) Add(o Operator) error { return store.AddOperator(r.s.at, o) }

// SetOperator writes into the user's configuration who the user is, for all projects. Errors are ErrConfig.
func SetOperator(u User, operator string) error { return store.SetOperator(u, operator) }

// SetOperator makes an operator who the user is in this store, and in no other one. Where an operators file lacks the
// name that is ErrDenied.
func (r Registry) SetOperator(operator string) error {
	if err := checkOperator(operator); err != nil {
		return err
	}
	if err := r.Check(operator); err != nil {
		return err
	}
	return r.s.at.SetOperator(operator)
}

// CheckListed is ErrDenied for an operator whom the operators file lacks, if there is one.
func (r Registry) Check(operator string) error {
	list, err := r.Policy()
	if err != nil || list == nil || list.Has(operator) {
		return err
	}
	return fault.New(ErrDenied, "run `handoff operators add "+operator+"`", "%s is not in %s", fault.Own(operator), r.s.opt.OperatorsFile)
}
