package handoff

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/operators"
	"github.com/seed-78daf238/handoff/lib/internal/settings"
)

// Settings are the values of .handoff.yaml and of the environment, with their defaults.
type Settings = settings.Settings

// SettingsName is the name of the settings file in the project root.
const SettingsName = settings.Name

// ProjectFlags are what the command line says about the project. Empty fields say nothing. Relative paths
// are relative to the current directory.
type ProjectFlags struct {
	Root, HandoffsDir, StateDir, OperatorsFile, Operator string

	LockTimeout time.Duration
}

// A Project is where a program runs: its settings, and the options of its store.
type Project struct {
	Root     string
	HasFile  bool // Root has a .handoff.yaml
	Settings Settings
	Options  Options
}

// LoadProject finds the project around cwd, which is absolute, and combines flags, environment (getenv),
// .handoff.yaml and defaults, in this order of precedence. Bad settings are ErrConfig. Paths from the
// file are not trusted: the store refuses them outside the project.
func LoadProject(cwd string, getenv func(string) string, flags ProjectFlags) (Project, error) {
	var p Project
	var err error
	if flags.Root != "" {
		p.Root = absolute(cwd, flags.Root)
	} else if p.Root, p.HasFile, err = settings.FindRoot(cwd); err != nil {
		return p, fault.New(ErrConfig, "", "cannot find the project: %v", err)
	}
	if p.Settings, err = settings.Load(p.Root, cwd, getenv); err != nil {
		return p, fault.New(ErrConfig, "", "%v", err)
	}
	p.Options, err = p.options(cwd, flags)
	return p, err
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
		Root: p.Root, Operator: s.Operator.Value,
		LockTimeout: max(s.LockTimeout.Value, 1), MaxDocumentBytes: s.MaxDocumentBytes.Value, IndexMaxRows: s.IndexMaxRows.Value,
		Operators: OperatorPolicy{Off: !s.VerifyOperators.Value, Warn: s.SchemaMode.Value == settings.Warn, Evidence: p.evidence()},
	}
	if flags.LockTimeout > 0 {
		o.LockTimeout = flags.LockTimeout
	}
	if flags.Operator != "" {
		o.Operator = flags.Operator
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
	if flags.StateDir != "" || s.StateDir.Source == settings.Environment || len(o.Named) == 0 {
		return o, nil
	}
	own, err := settings.Load(p.Root, cwd, func(string) string { return "" })
	if err != nil {
		return o, fault.New(ErrConfig, "", "%v", err)
	}
	if o.Dir != own.HandoffsDir.Value { // another store than the project's has its own state
		o.StateDir = filepath.Join(o.Dir, ".run")
		o.Named = append(o.Named, o.StateDir)
	}
	return o, nil
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
			e.Email = GitConfig(p.Root, "user.email")
		}
		if matchKey {
			e.Key = GitConfig(p.Root, "user.signingkey")
		}
		return e
	}
}

// GitConfig returns what git says about a key of its configuration in dir, "" if it says nothing within
// half a second.
func GitConfig(dir, key string) string {
	ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", "config", "--get", key)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// Me returns who runs the program: the operator of flags or settings, else the one operator whose
// git_email is git's user.email, else "".
func (p Project) Me() string {
	if p.Options.Operator != "" {
		return p.Options.Operator
	}
	s, err := Open(p.Options)
	if err != nil {
		return ""
	}
	list, err := s.Operators()
	if err != nil || list == nil {
		return ""
	}
	id, _ := list.ByEmail(GitConfig(p.Root, "user.email"), s.opt.Now())
	return id
}
