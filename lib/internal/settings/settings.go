// Package settings finds the project root and reads the settings of a project. They are in the file .handoff.yaml in
// the root, and in environment variables, which take precedence.
//
// The file is one YAML mapping. Each key is optional and occurs at most once. Relative paths in it are relative to
// the project root, those in the environment to the current directory.
//
//	key                   variable                 default
//	handoffs_dir          HANDOFFS_DIR             handoffs
//	state_dir             HANDOFF_STATE_DIR        .run
//	operators_file        HANDOFF_OPERATORS_FILE   OPERATORS.md
//	operator              HANDOFF_OPERATOR         none: see package operators
//	verify_operators                               true
//	schema_mode                                    strict (or warn)
//	git                                            none (or tracked, synced)
//	remote                                         origin (a name, never a URL)
//	sync_namespace                                 refs/handoff
//	verify_git_match                               false
//	verify_gpg                                     false
//	lock_timeout          HANDOFF_LOCK_TIMEOUT     30s
//	max_document_bytes                             1048576
//	index_max_rows                                 5000
//	surface_max_chars                              4000
//	surface_max_age_days                           0 (off)
//	hook_enabled                                   true
//	max_age                                        48h
//	record_work                                    true (for agent sessions; in the file: for everyone)
//	capture                                        summary (or none, extract)
//	max_hops                                       5 (0 means no limit)
//	max_rate                                       10 (0 means no limit)
//	lease                                          2h
//
// The file may come with a cloned repository, so it is not trusted. The source of each value is kept. A caller that
// uses a path from the file must check where it leads.
package settings

import (
	"path/filepath"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
)

// Name is the name of the settings file in the project root.
const Name = ".handoff.yaml"

// A Source is the origin of a value.
type Source string

// The sources. Only a path from Environment was chosen by the user.
const (
	Default     Source = "default"
	File        Source = "file"
	Environment Source = "environment"
)

// A Setting is a value and its source.
type Setting[T any] struct {
	Value  T
	Source Source
}

// The values of SchemaMode.
const (
	Strict = "strict" // refuse unverified operators
	Warn   = "warn"   // accept unverified operators, and mark them
)

// The values of Capture: what is kept of a session that ends without a handoff.
const (
	CaptureNone    = "none"
	CaptureSummary = "summary" // what the agent says at its end
	CaptureExtract = "extract" // also an extract of its transcript
)

// Settings has all settings of a project.
type Settings struct {
	HandoffsDir       Setting[string]
	StateDir          Setting[string]
	OperatorsFile     Setting[string]
	Operator          Setting[string] // "" if not set
	VerifyOperators   Setting[bool]
	SchemaMode        Setting[string]
	Git               Setting[disk.Git]
	Remote            Setting[string]
	SyncNamespace     Setting[string]
	VerifyGitMatch    Setting[bool]
	VerifyGPG         Setting[bool]
	LockTimeout       Setting[time.Duration]
	MaxDocumentBytes  Setting[int]
	IndexMaxRows      Setting[int]
	SurfaceMaxChars   Setting[int]
	SurfaceMaxAgeDays Setting[int] // 0 means no limit
	HookEnabled       Setting[bool]
	MaxAge            Setting[time.Duration]
	RecordWork        Setting[bool]
	Capture           Setting[string] // of a file: at most this
	MaxHops           Setting[int]    // 0 means no limit
	MaxRate           Setting[int]    // 0 means no limit
	Lease             Setting[time.Duration]
}

// Load returns the settings of the project at root, from its file if there is one, and from getenv. An empty variable
// counts as not set. root and dir, the current directory, must be absolute, and so are all returned paths. An error
// names the file and line, or the variable, of each invalid value.
func Load(root, dir string, getenv func(string) string) (Settings, error) {
	return LoadOf(root, root, dir, getenv)
}

// LoadOf is like Load, but reads the settings file of another directory. A linked work tree uses that of the main
// one.
func LoadOf(fileDir, root, dir string, getenv func(string) string) (Settings, error) {
	src, err := read(fileDir)
	if err != nil {
		return Settings{}, err
	}
	s, table := defaults()
	if err := parse(src, filepath.Join(fileDir, Name), table); err != nil {
		return Settings{}, err
	}
	if err := environ(getenv, table); err != nil {
		return Settings{}, err
	}
	for _, path := range []*Setting[string]{&s.HandoffsDir, &s.StateDir, &s.OperatorsFile} {
		base := root
		if path.Source == Environment {
			base = dir
		}
		if !filepath.IsAbs(path.Value) {
			path.Value = filepath.Join(base, path.Value)
		}
		path.Value = filepath.Clean(path.Value)
	}
	return *s, nil
}
