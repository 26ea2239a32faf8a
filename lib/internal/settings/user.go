package settings

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/seed-78daf238/handoff/lib/agent/memory"
)

// The files in the directory of the user's configuration: handoff in os.UserConfigDir.
const (
	UserName           = "config.yaml"
	AllowedSignersName = "allowed_signers"
)

// SyncAuto is the value of the setting sync that starts background syncs; the other one is manual.
const SyncAuto = "auto"

// A User has the user's settings for all projects. The file UserName is one YAML mapping:
//
//	key            default
//	operator       none: the operator that the user is
//	sign           false: sign everything that is written
//	signing_key    none: git's user.signingkey; a path, relative to the file
//	sync           manual; auto syncs after each change, in the background
//	session_file   true: a session of an agent leaves a file in the user's state when it ends
//	remotes        none: object stores for sync, by name; see [Remote]
type User struct {
	Dir        string          // the directory of the file; "" if unknown
	Operator   Setting[string] `key:"operator" is:"name"`
	State      string          // the directory of the user's data, which may not exist; "" if unknown
	Sign       Setting[bool]   `key:"sign"`
	SigningKey Setting[string] `key:"signing_key" is:"path"`
	Sync       Setting[string] `key:"sync" is:"manual auto"`
	// SessionFile is on unless it is set to false.
	SessionFile Setting[bool] `key:"session_file"`
	Remotes     map[string]*Remote
}

// A Remote is an object store. Only the user's own configuration can say where one is. It has no credentials: those
// come from the environment, or from a profile of AWS.
//
//	remotes:
//	  farm: {url: "s3://bucket/prefix", endpoint: "https://host", region: eu-north-1, profile: farm}
type Remote struct {
	URL      Setting[string] `key:"url" is:"address of a bucket"`          // s3://bucket/prefix
	Endpoint Setting[string] `key:"endpoint" is:"address of a server"`     // "" for AWS
	Region   Setting[string] `key:"region" is:"name of a region"`          // "" for that of the environment
	Profile  Setting[string] `key:"profile" is:"name of a profile of AWS"` // "" for the credentials of the environment
}

// remotes parses a mapping of names to remotes.
func (u *User) remotes() kind {
	u.Remotes = make(map[string]*Remote)
	return kind{want: `lines such as farm: {url: "s3://bucket/prefix"}`, each: func(name string) ([]key, func() error) {
		r := new(Remote)
		u.Remotes[name] = r
		return rows(r), func() error {
			if r.URL.Value == "" {
				return fmt.Errorf("the remote %s needs url: s3://bucket/prefix", name)
			}
			return nil
		}
	}}
}

// UserDir returns the directory of the user's configuration, "" if the environment does not determine it.
func UserDir(getenv func(string) string) string {
	if runtime.GOOS == "darwin" && getenv("HOME") != "" {
		return memory.Dir(getenv, "", "", "") // macOS ignores the variable
	}
	return memory.Dir(getenv, "XDG_CONFIG_HOME", ".config", "AppData")
}

// File returns the path of the user's configuration, which may not exist.
func (u User) File() string { return filepath.Join(u.Dir, UserName) }

// AllowedSigners returns the path of the user's allowed signers, which may not exist; "" if unknown.
func (u User) AllowedSigners() string {
	if u.Dir == "" {
		return ""
	}
	return filepath.Join(u.Dir, AllowedSignersName)
}

// stateOf returns the directory of the user's state. It is "" in a home that does not exist, such as that of a system
// user: nobody makes one.
func stateOf(getenv func(string) string) string {
	state := memory.State(getenv)
	home := filepath.Dir(filepath.Dir(filepath.Dir(state)))
	if _, err := os.Stat(home); err != nil {
		return ""
	}
	return state
}

// LoadUser reads the user's configuration. An error names each invalid line.
func LoadUser(getenv func(string) string) (User, error) {
	u := User{Dir: UserDir(getenv), State: stateOf(getenv)}
	table := append(rows(&u), key{"remotes", "", u.remotes()})
	if u.Dir == "" {
		return u, nil
	}
	file := u.File()
	src, err := os.ReadFile(file)
	if _, absent := os.Stat(file); absent != nil { // also in a home that this user may not enter
		return u, nil
	}
	if err == nil {
		err = parse(src, file, table)
	}
	if u.SigningKey.Value != "" && !filepath.IsAbs(u.SigningKey.Value) {
		u.SigningKey.Value = filepath.Join(u.Dir, u.SigningKey.Value)
	}
	return u, err
}
