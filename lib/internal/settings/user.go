package settings

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// In the directory of the user's configuration, which is handoff in what os.UserConfigDir names.
const (
	UserName           = "config.yaml"
	AllowedSignersName = "allowed_signers"
)

// A User is what the person who runs the program has set, for all projects: the file UserName, one
// YAML mapping.
//
//	key            default
//	operator       none: who the person is
//	sign           false: sign all that is written
//	signing_key    none: git's user.signingkey; a path, relative to the file
type User struct {
	Dir        string // where the file is; "" if nobody can say
	Operator   Setting[string]
	State      string // the directory of what is kept for the person, which need not be there; "" if unknown
	Sign       Setting[bool]
	SigningKey Setting[string]
}

// UserDir returns the directory of the user's configuration, "" where the environment does not name one.
func UserDir(getenv func(string) string) string {
	if runtime.GOOS == "darwin" && getenv("HOME") != "" {
		return ofUser(getenv, "", "", "") // whatever the variable says
	}
	return ofUser(getenv, "XDG_CONFIG_HOME", ".config", "AppData")
}

// userState returns the directory of the user's state, "" where the environment does not name one.
func userState(getenv func(string) string) string {
	return ofUser(getenv, "XDG_STATE_HOME", ".local/state", "LocalAppData")
}

// ofUser returns the program's directory in that which a variable names, or else below the home directory
// (XDG Base Directory Specification; the directories that macOS and Windows have for that).
func ofUser(getenv func(string) string, variable, below, windows string) string {
	base, home := getenv(variable), getenv("HOME")
	switch {
	case runtime.GOOS == "windows":
		base = getenv(windows)
	case base != "" || home == "":
	case runtime.GOOS == "darwin":
		base = filepath.Join(home, "Library", "Application Support")
	default:
		base = filepath.Join(home, below)
	}
	if !filepath.IsAbs(base) {
		return ""
	}
	return filepath.Join(base, "handoff")
}

// File returns the path of the user's configuration, which need not be there.
func (u User) File() string { return filepath.Join(u.Dir, UserName) }

// AllowedSigners returns the user's file of allowed signers, which need not be there; "" if nobody can
// say where it would be.
func (u User) AllowedSigners() string {
	if u.Dir == "" {
		return ""
	}
	return filepath.Join(u.Dir, AllowedSignersName)
}

// LoadUser reads the user's configuration. An error names every bad line.
func LoadUser(getenv func(string) string) (User, error) {
	u := User{Dir: UserDir(getenv), State: userState(getenv)}
	table := []key{
		{"operator", "", slug(&u.Operator, "")},
		{"sign", "", flag(&u.Sign, false)},
		{"signing_key", "", path(&u.SigningKey, "")},
	}
	if u.Dir == "" {
		return u, nil
	}
	file := u.File()
	src, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
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
