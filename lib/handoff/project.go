package handoff

import (
	"path/filepath"
	"slices"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/git"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/log"
	"github.com/seed-78daf238/handoff/lib/internal/operators"
	"github.com/seed-78daf238/handoff/lib/internal/settings"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// Settings are the values of .handoff.yaml and of the environment, with their defaults. Each has a Value and a
// Source.
type Settings = settings.Settings

// SettingsName is the name of the settings file in the project root.
const SettingsName = settings.Name

// ProjectFlags are the flags that choose a project. An empty field means that the flag is not set. Relative paths are
// relative to the current directory.
type ProjectFlags struct {
	Root, HandoffsDir, StateDir, OperatorsFile string

	LockTimeout time.Duration
}

// A Project is the project that a program works in: its settings, and the options of its store.
type Project struct {
	Root string
	// the directory of the work that handoffs are about: Root, or the linked work tree that shares its store
	Work    string
	HasFile bool // Root has a .handoff.yaml
	// why a linked work tree cannot share the store of its main work tree; "" if it can, or has its own
	Apart    string
	Settings Settings
	User     User
	Options  Options

	named    bool   // a flag or the environment names the handoffs directory
	settings string // the directory of the settings file
}

// CheckLinks returns ErrInvalid for a path through a symbolic link of a project. Such a link comes with the project,
// and its target is the choice of another person. Links outside projects are the user's.
func CheckLinks(path string) error { return settings.CheckLinks(path) }

// LoadProject finds the project around cwd, an absolute path. Flags come before the environment (getenv),
// .handoff.yaml and the defaults. If flags or environment name the handoffs directory of another project, and no
// root, that project is used. Bad settings are ErrConfig. Paths from the file are not trusted: the store refuses
// those outside of the project.
func LoadProject(cwd string, getenv func(string) string, flags ProjectFlags) (Project, error) {
	p := Project{Root: absolute(cwd, flags.Root)}
	if p.HasFile = store.IsThere(filepath.Join(p.Root, SettingsName)); flags.Root == "" {
		var err error
		if p.Root, p.HasFile, _, err = settings.FindRoot(cwd); err != nil {
			return p, fault.Config("", "cannot find the project: %v", err)
		}
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
	}
	if p.Root != root {
		p.Work = p.Root
	}
	whole := p
	p.Options.Me = whole.Me
	return p, err
}

// load reads the settings of p.Root.
func (p *Project) load(cwd string, getenv func(string) string, flags ProjectFlags) (err error) {
	if p.Settings, err = settings.Load(p.settings, p.Root, cwd, getenv); err != nil {
		return fault.Config("", "%v", err)
	}
	if p.User, err = settings.LoadUser(getenv); err != nil {
		return fault.Config("", "%v", err)
	}
	if p.Settings.Git.Source == settings.Default && git.Top(p.Root) != "" {
		p.Settings.Git.Value = GitSynced
	}
	p.named = flags.HandoffsDir != "" || p.Settings.HandoffsDir.Source == settings.Environment
	p.Options, err = p.options(cwd, flags)
	return err
}

// Exists returns nil if there is a project to read from: a settings file, a handoffs directory, or the state of a
// deleted one. The error is ErrConfig if the directory or root was named and is missing, otherwise ErrInvalid.
func (p Project) Exists() error {
	switch o := p.Options; {
	case store.IsThere(o.Dir):
	case p.named:
		return fault.Config("check --handoffs-dir", "no directory %s", o.Dir)
	case p.HasFile, store.IsThere(filepath.Join(o.StateDir, log.FileName)):
	case o.store().Pin().Offset > 0: // readers say that it is gone
	case !store.IsThere(p.Root):
		return fault.Config("name one that is there", "the project root %s does not exist", p.Root)
	default:
		return fault.Invalid("run `handoff init`, or name a directory with --handoffs-dir or --root",
			"no project in %s or above", p.Root)
	}
	return nil
}

// moveTo switches p to the project that dir, a handoffs directory, belongs to, if that is another one. Without
// a .handoff.yaml or .git, a directory is a project if it has the state directory, and dir has none of its own.
func (p *Project) moveTo(dir, cwd string, getenv func(string) string, flags ProjectFlags) error {
	root, hasFile, isMarked, err := settings.FindRoot(filepath.Dir(dir))
	if err != nil || root == p.Root {
		return nil
	}
	own, err := settings.Load(root, root, cwd, emptyEnv)
	if err != nil {
		return fault.Config("", "%v", err)
	}
	if !isSamePath(dir, own.HandoffsDir.Value) || !isMarked &&
		(!store.IsThere(own.StateDir.Value) || store.IsThere(ownState(dir))) {
		return nil
	}
	p.Root, p.HasFile, p.settings = root, hasFile, root
	if err := p.load(cwd, getenv, flags); err != nil {
		return err
	}
	return p.toMain(git.Top(p.Root), cwd, getenv, flags)
}

// emptyEnv is an empty environment.
func emptyEnv(string) string { return "" }

// ownState returns the state directory of a handoffs directory that does not belong to a project.
func ownState(dir string) string { return filepath.Join(dir, disk.StateDir) }

// isSamePath reports whether two paths are equal after resolving symbolic links.
func isSamePath(a, b string) bool {
	realA, errA := store.Resolve(a)
	realB, errB := store.Resolve(b)
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
		Root: p.Root, UserState: p.User.StateFor(p.Root), AllowedSigners: p.User.AllowedSigners(),
		Signs: p.User.Sign.Value,
		Git:   s.Git.Value, Operator: s.Operator.Value,
		LockTimeout: max(s.LockTimeout.Value, 1), MaxDocumentBytes: s.MaxDocumentBytes.Value,
		IndexMaxRows: s.IndexMaxRows.Value,
		Lease:        max(s.Lease.Value, 1),
		Operators:    OperatorPolicy{Off: !s.VerifyOperators.Value, Warn: s.SchemaMode.Value == settings.Warn},
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
		{flags.OperatorsFile, s.OperatorsFile, &o.OperatorsFile},
	} {
		*path.option = path.setting.Value
		if path.flag != "" {
			*path.option = absolute(cwd, path.flag)
		}
		if path.flag != "" || path.setting.Source == settings.Environment {
			o.Named = append(o.Named, *path.option)
		}
	}
	err := p.place(&o, cwd, flags)
	return o, err
}

// place sets the state directory of another store than the project's.
func (p Project) place(o *Options, cwd string, flags ProjectFlags) (err error) {
	s, own := p.Settings, p.Settings
	if s.HandoffsDir.Source == settings.Environment {
		if own, err = settings.Load(p.settings, p.Root, cwd, emptyEnv); err != nil {
			return fault.Config("", "%v", err)
		}
	}
	if flags.StateDir != "" || s.StateDir.Source == settings.Environment || !slices.Contains(o.Named, o.Dir) {
		return nil
	}
	if isSamePath(o.Dir, own.HandoffsDir.Value) {
		o.Dir = own.HandoffsDir.Value
	} else { // another store than the project's has its own state
		o.StateDir = ownState(o.Dir)
		o.Named = append(o.Named, o.StateDir)
	}
	return nil
}

// RecordsWork reports whether new handoffs record the commit, by the setting record_work. By default those of agent
// sessions do.
func (p Project) RecordsWork(inSession bool) bool {
	set := p.Settings.RecordWork
	return set.Value && (inSession || set.Source != settings.Default)
}

// Identity returns the operator that the program runs for, and the source that names it. It is the zero value if
// nothing names one.
func (p Project) Identity() Identity {
	at := p.Options.store()
	if found := p.Named(); found.Operator != "" {
		return found
	}
	own := Identity{Operator: p.Settings.Operator.Value, Source: "operator in " + SettingsName}
	return operators.IdentityOf(at.Operators, own, func(key string) string { return git.Config(p.Root, key) },
		time.Now())
}

// Named is Identity as far as nothing has to be asked of git.
func (p Project) Named() Identity {
	own := p.Settings.Operator
	if own.Source == settings.Environment {
		return Identity{Operator: own.Value, Source: "HANDOFF_OPERATOR"}
	}
	if here := p.Options.withDefaults().store().Operator(); here != "" {
		return Identity{Operator: here, Source: "handoff init has set it for this clone"}
	}
	return Identity{Operator: p.User.Operator.Value, Source: "operator in " + p.User.File()}
}

// Me returns the operator that the program runs for, "" if unknown.
func (p Project) Me() string { return p.Identity().Operator }

// MeOr returns a named operator, or Me if the name is "": to find out who you are may start git.
func (p Project) MeOr(named string) string {
	if named == "" {
		return p.Me()
	}
	return named
}

// HasRemote reports whether the project names a remote that handoffs can be exchanged with.
func (p Project) HasRemote() bool {
	name := p.Settings.Remote.Value
	return p.User.Remotes[name] != nil || git.Config(p.Root, "remote."+name+".url") != ""
}
