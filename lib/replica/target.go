package replica

import (
	"encoding/json"
	"errors"
	"io/fs"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/git"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
)

// A target is where handoffs are sent to. The first one is remembered outside of the project, and every other
// one that a person has accepted: a branch may name another remote, or namespace.
type target struct {
	URL       string `json:"url"` // without credentials, which change
	Namespace string `json:"namespace"`
}

// shown is the URL of a remote without credentials.
func shown(remote string) string {
	u, err := url.Parse(remote)
	switch path, isLocal := git.LocalPath(remote); {
	case isLocal:
		return filepath.Clean(path)
	case err != nil || u.Host == "":
		return remote // host:path, where no password can be
	}
	if name := u.User.Username(); u.Scheme == "ssh" && name != "" {
		u.User = url.User(name)
	} else {
		u.User = nil
	}
	u.RawQuery, u.Fragment = "", ""
	return u.String()
}

// targets returns where handoffs may go.
func (x *syncing) targets() (all []target, err error) {
	text, err := x.out.ReadFile(layout.SyncTargets, layout.MaxStateFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil || len(all) == 0 {
		return []target{{}}, nil // something was accepted, and nobody knows what
	}
	return all, nil
}

// mayUse refuses a remote or a namespace to which handoffs did not go before, unless the person who runs the
// program wants it.
func (x *syncing) mayUse(where string) error {
	all, err := x.targets()
	now := target{where, x.Namespace}
	if err != nil || len(all) == 0 || slices.Contains(all, now) || x.Named {
		return err
	}
	if x.Accept != nil && x.Accept("Handoffs went to "+all[0].String()+" so far. Send them to "+now.String()+" too?") {
		return nil
	}
	return fault.New(fault.ErrConfig, "if that is where they are to go, run `handoff sync --remote "+x.Remote+"`, which is remembered; else look at "+
		handoff.SettingsName+" and `git remote -v`",
		"handoffs went to %s so far, and would now go to %s; nothing was sent", all[0], now)
}

// String is how a person reads a target.
func (t target) String() string {
	if t.URL == "" {
		return "a remote that cannot be read any more"
	}
	return t.URL + " (" + t.Namespace + ")"
}

// pin remembers the remote, once it has answered.
func (x *syncing) pin() error {
	now := target{shown(x.url), x.Namespace}
	all, err := x.targets()
	if err != nil || x.DryRun || slices.Contains(all, now) {
		return err
	}
	all = slices.DeleteFunc(all, func(t target) bool { return t == target{} })
	text, err := json.Marshal(append(all, now))
	if err != nil {
		return err
	}
	return x.out.ReplaceNow(layout.SyncTargets, append(text, '\n'), 0o600)
}

// hidden replaces the URL of a remote in what git says of it by one without credentials. Git itself leaves out
// the user alone.
func hidden(text, remote string) string {
	u, err := url.Parse(remote)
	if err != nil || u.Host == "" {
		return text
	}
	text = strings.ReplaceAll(text, remote, shown(remote))
	u.User = nil
	return strings.ReplaceAll(text, u.String(), shown(remote))
}
