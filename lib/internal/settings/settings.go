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
//	lock_timeout          HANDOFF_LOCK_TIMEOUT     30s
//	max_document_bytes                             1048576
//	index_max_rows                                 5000
//	surface_max_chars                              4000
//	surface_max_age_days                           0 (off)
//	record_work                                    true (for agent sessions; in the file: for everyone)
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

// Settings has all settings of a project. The tags of a field are those of a row of settings: see rows.
type Settings struct {
	HandoffsDir Setting[string] `key:"handoffs_dir" env:"HANDOFFS_DIR" is:"path" default:"handoffs"`
	StateDir    Setting[string] `key:"state_dir" env:"HANDOFF_STATE_DIR" is:"path" default:".run"`

	OperatorsFile Setting[string] `key:"operators_file" env:"HANDOFF_OPERATORS_FILE" is:"path" default:"OPERATORS.md"`

	Operator        Setting[string]        `key:"operator" env:"HANDOFF_OPERATOR" is:"name"` // "" if not set
	VerifyOperators Setting[bool]          `key:"verify_operators" default:"true"`
	SchemaMode      Setting[string]        `key:"schema_mode" is:"strict warn"`
	Git             Setting[disk.Git]      `key:"git" is:"none tracked synced"`
	Remote          Setting[string]        `key:"remote" is:"remote" default:"origin"`
	SyncNamespace   Setting[string]        `key:"sync_namespace" is:"namespace" default:"refs/handoff"`
	LockTimeout     Setting[time.Duration] `key:"lock_timeout" env:"HANDOFF_LOCK_TIMEOUT" default:"30s"`
	// stored files are read up to 4 MiB
	MaxDocumentBytes  Setting[int]           `key:"max_document_bytes" is:"1 4194304" default:"1048576"`
	IndexMaxRows      Setting[int]           `key:"index_max_rows" is:"2 1000000" default:"5000"`
	SurfaceMaxChars   Setting[int]           `key:"surface_max_chars" is:"1 1000000" default:"4000"`
	SurfaceMaxAgeDays Setting[int]           `key:"surface_max_age_days" is:"0 36500"` // 0 means no limit
	RecordWork        Setting[bool]          `key:"record_work" default:"true"`
	Lease             Setting[time.Duration] `key:"lease" default:"2h"`
}

func (s *Settings) rows() []key { return append(rows(s), key{"remotes", "", kind{isOfUser: true}}) }

// Load returns the settings of the project at root, from the file of a directory if there is one, and from getenv. The
// directory is root, or that of the main work tree for a linked one. An empty variable counts as not set. root and dir,
// the current directory, must be absolute, and so are all returned paths. An error names the file and line, or the
// variable, of each invalid value.
func Load(fileDir, root, dir string, getenv func(string) string) (Settings, error) {
	src, err := read(fileDir)
	if err != nil {
		return Settings{}, err
	}
	var s Settings
	table := s.rows()
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
	return s, nil
}
