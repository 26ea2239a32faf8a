package handoff

import (
	"path/filepath"
	"slices"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/git"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/operators"
	"github.com/seed-78daf238/handoff/lib/internal/settings"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// Settings are the values of .handoff.yaml and of the environment, with their defaults.
type Settings = settings.Settings

// SettingsName is the name of the settings file in the project root.
const SettingsName = settings.Name

// ProjectFlags are what the command line says about the project. Empty fields say nothing. Relative paths
// are relative to the current directory.
type ProjectFlags struct {
	Root, HandoffsDir, StateDir, OperatorsFile string

	LockTimeout time.Duration
}

// A Project is where a program runs: its settings, and the options of its store.
type Project struct {
	Root     string
	Work     string  // where the work is that handoffs are about: the root, or that of the linked work tree that shares its store
	HasFile  bool    // Root has a .handoff.yaml
	Foreign  string  // a .handoff.yaml or .git above that belongs to somebody else, and so made no root; "" if none
	Apart    string  // why a linked work tree is to have a store of its own, although the project shares one; "" once it has it
	Beside   *Beside // of a linked work tree whose main one cannot be written; nil for all others
	Settings Settings
	User     User
	Options  Options

	named    bool   // the handoffs directory was named by a flag or the environment
	settings string // the directory of the settings file
}

// minOpen is how many files a command on one document gets along with, if nobody left it others that are open.
const minOpen = 16

// CheckLimit returns an ErrConfig that names the limit if a process may not have as many files open as
// a command needs. The runtime dies of a limit that is lower still, so that it is for who is about to
// open the first.
func CheckLimit() error {
	if n := disk.MaxOpen(); n < minOpen {
		return fault.New(ErrConfig, "allow more open files with `ulimit -n`", "only %d files may be open at a time, %d are needed", n, minOpen)
	}
	return nil
}

// LoadProject finds the project around cwd, which is absolute, and combines flags, environment
// (getenv), .handoff.yaml and defaults, in this order of precedence. A handoffs directory that flags
// or environment name and that is the one of another project means that project, unless a root is
// named too. Bad settings are ErrConfig. Paths from the file are not trusted: the store refuses them
// outside the project.
func LoadProject(cwd string, getenv func(string) string, flags ProjectFlags) (Project, error) {
	p := Project{Root: absolute(cwd, flags.Root)}
	if err := CheckLimit(); err != nil {
		return p, err
	}
	if p.HasFile = store.IsThere(filepath.Join(p.Root, SettingsName)); flags.Root == "" {
		at, err := settings.FindRoot(cwd)
		if err != nil {
			return p, fault.New(ErrConfig, "", "cannot find the project: %v", err)
		}
		p.Root, p.HasFile, p.Foreign = at.Root, at.HasFile, at.Foreign
	}
	p.settings = p.Root
	top := git.Top(p.Root)
	err := p.load(cwd, getenv, flags)
	if err == nil {
		p.Work = p.Root
		err = p.toMain(top, cwd, getenv, flags)
	}
	root := p.Root
	if err == nil && flags.Root == "" && slices.Contains(p.Options.Named, p.Options.Dir) {
		err = p.moveTo(p.Options.Dir, cwd, getenv, flags)
	} else if err == nil && slices.Contains(p.Options.Named, p.Options.Dir) {
		err = p.decideIn(p.Options.Dir, cwd)
	}
	if p.Options.Branch = git.Branch(top); p.Root != root {
		p.Work = p.Root
	}
	whole := p
	p.Options.Me = whole.Me
	return p, err
}

// load reads the settings of p.Root.
func (p *Project) load(cwd string, getenv func(string) string, flags ProjectFlags) (err error) {
	if p.Settings, err = settings.LoadOf(p.settings, p.Root, cwd, getenv); err != nil {
		return fault.New(ErrConfig, "", "%v", err)
	}
	if p.User, err = settings.LoadUser(getenv); err != nil {
		return fault.New(ErrConfig, "", "%v", err)
	}
	p.named = flags.HandoffsDir != "" || p.Settings.HandoffsDir.Source == settings.Environment
	p.Options, err = p.options(cwd, flags)
	return err
}

// Exists returns nil if there is a project to read from: a settings file, a handoffs directory, or the
// state of one that is gone. Else the error is ErrInvalid, or ErrConfig for a directory that was named
// and is absent.
func (p Project) Exists() error {
	switch o := p.Options; {
	case store.IsThere(o.Dir):
	case p.named:
		return fault.New(ErrConfig, "name one that is there; the first handoff that is written makes it", "the handoffs directory %s does not exist", o.Dir)
	case p.HasFile, store.IsThere(filepath.Join(o.StateDir, disk.LogFile)):
	case !store.IsThere(p.Root):
		return fault.New(ErrConfig, "name one that is there", "the project root %s does not exist", p.Root)
	default:
		return fault.New(ErrInvalid, "run `handoff init` in the project, or name its directory with --handoffs-dir or --root",
			"there are no handoffs here: %s is not in a project", p.Root)
	}
	return nil
}

// moveTo makes p the project whose handoffs directory dir is, if it is that of another one. What marks
// a project belongs to the caller or root; without a mark it is one once it has its state, and dir
// none of its own.
func (p *Project) moveTo(dir, cwd string, getenv func(string) string, flags ProjectFlags) error {
	at, err := settings.FindRoot(filepath.Dir(dir))
	if err != nil || at.Root == p.Root {
		return nil // what is not there yet is not in a project
	}
	own, err := settings.Load(at.Root, cwd, nothing)
	if err != nil {
		return fault.New(ErrConfig, "", "%v", err)
	}
	if !isSamePath(dir, own.HandoffsDir.Value) || !at.IsOwn && (!store.IsThere(own.StateDir.Value) || store.IsThere(ownState(dir))) {
		return nil
	}
	p.Root, p.HasFile, p.Foreign, p.settings = at.Root, at.HasFile, "", at.Root
	if err := p.load(cwd, getenv, flags); err != nil {
		return err
	}
	return p.toMain(git.Top(p.Root), cwd, getenv, flags)
}

// decideIn makes the operators file of the project whose handoffs directory dir is the one that decides,
// whatever root was named.
func (p *Project) decideIn(dir, cwd string) error {
	at, err := settings.FindRoot(filepath.Dir(dir))
	if err != nil || at.Root == p.Root {
		return nil
	}
	own, err := settings.Load(at.Root, cwd, nothing)
	if err != nil {
		return fault.New(ErrConfig, "", "%v", err)
	}
	if !isSamePath(dir, own.HandoffsDir.Value) {
		return nil
	}
	o := &p.Options
	o.OperatorsFile, o.MustHaveOperators = own.OperatorsFile.Value, own.OperatorsFile.Source == settings.File
	if rel, err := filepath.Rel(at.Root, o.OperatorsFile); err == nil && filepath.IsLocal(rel) {
		o.Named = append(o.Named, o.OperatorsFile)
	}
	return nil
}

// nothing is an environment in which nothing is set.
func nothing(string) string { return "" }

// ownState is the state directory of a handoffs directory that is not the one of a project.
func ownState(dir string) string { return filepath.Join(dir, disk.StateDir) }

// isSamePath reports whether two paths are the same but for symbolic links above their last names.
func isSamePath(a, b string) bool {
	realA, errA := store.ResolveParent(a)
	realB, errB := store.ResolveParent(b)
	return a == b || errA == nil && errB == nil && realA == realB
}

func absolute(cwd, path string) string {
	if !filepath.IsAbs(path) {
		path = filepath.Join(cwd, path)
	}
	return filepath.Clean(path)
}

func (p Project) options(cwd string, flags ProjectFlags) (Options, error) {
	s := p.Settings
	o := Options{
		Root: p.Root, UserState: p.User.StateFor(p.Root), AllowedSigners: p.User.AllowedSigners(), Git: s.Git.Value, Operator: s.Operator.Value,
		LockTimeout: max(s.LockTimeout.Value, 1), MaxDocumentBytes: s.MaxDocumentBytes.Value, IndexMaxRows: s.IndexMaxRows.Value,
		MaxHops: orNone(s.MaxHops.Value), MaxRate: orNone(s.MaxRate.Value),
		Operators: OperatorPolicy{Off: !s.VerifyOperators.Value, Warn: s.SchemaMode.Value == settings.Warn, Evidence: p.evidence()},
	}
	if flags.LockTimeout > 0 {
		o.LockTimeout = flags.LockTimeout
	}
	if s.Operator.Source != settings.Environment && p.User.Operator.Value != "" {
		o.Operator = p.User.Operator.Value
	}
	for _, path := range []struct {
		flag    string
		setting settings.Setting[string]
		option  *string
	}{
		{flags.HandoffsDir, s.HandoffsDir, &o.Dir},
		{flags.StateDir, s.StateDir, &o.StateDir},
	} {
		*path.option = path.setting.Value
		if path.flag != "" {
			*path.option = absolute(cwd, path.flag)
		}
		if path.flag != "" || path.setting.Source == settings.Environment {
			o.Named = append(o.Named, *path.option)
		}
	}
	own := s
	if s.OperatorsFile.Source == settings.Environment || s.HandoffsDir.Source == settings.Environment {
		var err error
		if own, err = settings.LoadOf(p.settings, p.Root, cwd, nothing); err != nil {
			return o, fault.New(ErrConfig, "", "%v", err)
		}
	}
	o.OperatorsFile, o.MustHaveOperators = own.OperatorsFile.Value, own.OperatorsFile.Source == settings.File
	if flags.OperatorsFile != "" {
		o.ListedIn = absolute(cwd, flags.OperatorsFile)
	} else if s.OperatorsFile.Source == settings.Environment {
		o.ListedIn = s.OperatorsFile.Value
	}
	if flags.StateDir != "" || s.StateDir.Source == settings.Environment || len(o.Named) == 0 {
		return o, nil
	}
	if isSamePath(o.Dir, own.HandoffsDir.Value) {
		o.Dir = own.HandoffsDir.Value
	} else { // another store than the project's has its own state
		o.StateDir = ownState(o.Dir)
		o.Named = append(o.Named, o.StateDir)
	}
	return o, nil
}

// orNone makes 0, which turns a limit off in settings, what does it in Options.
func orNone(n int) int {
	if n == 0 {
		return -1
	}
	return n
}

// evidence asks git who is writing, if the settings want that checked.
func (p Project) evidence() func() operators.Evidence {
	matchEmail, matchKey := p.Settings.VerifyGitMatch.Value, p.Settings.VerifyGPG.Value
	if !matchEmail && !matchKey {
		return nil
	}
	return func() operators.Evidence {
		e := operators.Evidence{MatchEmail: matchEmail, MatchKey: matchKey}
		if matchEmail {
			e.Email = git.Config(p.Root, "user.email")
		}
		if matchKey {
			e.Key = git.Config(p.Root, "user.signingkey")
		}
		return e
	}
}

// Identity returns for whom the program runs, and what says so.
func (p Project) Identity() Identity {
	at := store.Store{Opt: store.Options{Dir: p.Options.Dir, StateDir: p.Options.StateDir, Root: p.Options.Root, UserState: p.Options.UserState}}
	return operators.IdentityOf(p.Root, at.Operator(), p.Settings, p.User, func() (*operators.List, error) {
		s, err := Open(p.Options)
		if err != nil {
			return nil, err
		}
		return s.Registry().Policy()
	}, time.Now())
}

// Me returns for whom the program runs, "" if nobody knows.
func (p Project) Me() string { return p.Identity().Operator }
