package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/agent/heard"
)

// The files in the directory of the user's configuration: handoff in os.UserConfigDir.
const (
	UserName           = "config.yaml"
	AllowedSignersName = "allowed_signers"
)

// The values of the setting sync.
const (
	SyncManual = "manual"
	SyncAuto   = "auto"
)

// A User has the user's settings for all projects. The file UserName is one YAML mapping:
//
//	key            default
//	operator       none: the operator that the user is
//	sign           false: sign everything that is written
//	signing_key    none: git's user.signingkey; a path, relative to the file
//	sync           manual; auto syncs after each change, in the background
//	capture        summary (or none, extract): what is kept of a session that ends without a handoff
//	remotes        none: object stores for sync, by name; see [Remote]
type User struct {
	Dir        string // the directory of the file; "" if unknown
	Operator   Setting[string]
	State      string // the directory of the user's data, which may not exist; "" if unknown
	Sign       Setting[bool]
	SigningKey Setting[string]
	Sync       Setting[string]
	Capture    Setting[string]
	Remotes    map[string]*Remote
}

// A Remote is an object store. Only the user's own configuration can say where one is. It has no credentials: those
// come from the environment, or from a profile of AWS.
//
//	remotes:
//	  farm: {url: "s3://bucket/prefix", endpoint: "https://host", region: eu-north-1, profile: farm}
type Remote struct {
	URL      Setting[string] // s3://bucket/prefix
	Endpoint Setting[string] // "" for AWS
	Region   Setting[string] // "" for that of the environment
	Profile  Setting[string] // "" for the credentials of the environment
	Insecure Setting[bool]   // allow http to other machines
}

// remotes parses a mapping of names to remotes.
func (u *User) remotes() kind {
	u.Remotes = make(map[string]*Remote)
	return kind{want: `lines such as farm: {url: "s3://bucket/prefix"}`, each: func(name string) ([]key, func() error) {
		r := new(Remote)
		u.Remotes[name] = r
		return r.keys(), func() error {
			if r.URL.Value == "" {
				return fmt.Errorf("the remote %s needs url: s3://bucket/prefix", name)
			}
			return nil
		}
	}}
}

func (r *Remote) keys() []key {
	return []key{
		{"url", "", address(&r.URL, "s3://bucket/prefix", "s3://")},
		{"endpoint", "", address(&r.Endpoint, "https://host, without credentials", "http")},
		{"region", "", address(&r.Region, "the name of a region", "")},
		{"profile", "", address(&r.Profile, "the name of a profile of AWS", "")},
		{"insecure", "", flag(&r.Insecure, false)},
	}
}

// address parses a word that begins with start and cannot have credentials.
func address(to *Setting[string], want, start string) kind {
	k := into(to, "", "!!str", want, func(s string) (string, bool) {
		isOdd := func(c rune) bool { return c <= ' ' || c > '~' || strings.ContainsRune("@?#", c) }
		return s, strings.HasPrefix(s, start) && s != start && len(s) <= 600 && !strings.ContainsFunc(s, isOdd)
	})
	k.isSecret = true
	return k
}

// Lower returns what is kept of a session: the choice of the user, or less if the project says so. A project may come
// with a clone, so it cannot choose more.
func (u User) Lower(project Setting[string]) string {
	levels := []string{CaptureNone, CaptureSummary, CaptureExtract}
	if project.Source != Default && slices.Index(levels, project.Value) < slices.Index(levels, u.Capture.Value) {
		return project.Value
	}
	return u.Capture.Value
}

// UserDir returns the directory of the user's configuration, "" if the environment does not determine it.
func UserDir(getenv func(string) string) string {
	if runtime.GOOS == "darwin" && getenv("HOME") != "" {
		return heard.UserDir(getenv, "", "", "") // macOS ignores the variable
	}
	return heard.UserDir(getenv, "XDG_CONFIG_HOME", ".config", "AppData")
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

// LoadUser reads the user's configuration. An error names each invalid line.
func LoadUser(getenv func(string) string) (User, error) {
	u := User{Dir: UserDir(getenv), State: heard.UserState(getenv)}
	table := []key{
		{"operator", "", slug(&u.Operator)},
		{"sign", "", flag(&u.Sign, false)},
		{"signing_key", "", path(&u.SigningKey, "")},
		{"sync", "", oneOf(&u.Sync, SyncManual, SyncAuto)},
		{"capture", "", oneOf(&u.Capture, CaptureSummary, CaptureNone, CaptureExtract)},
		{"remotes", "", u.remotes()},
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
