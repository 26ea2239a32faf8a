package cli

import (
	"cmp"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/seed-78daf238/handoff/lib/exchange/remote"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// useRemote sets how the store of a project finds its remote. named is the remote that the user names, "" for the one
// of the settings.
func (a *App) useRemote(p *handoff.Project, named string) {
	at := *p
	p.Options.Remote = func(s *handoff.Store) (remote.Remote, string, error) {
		name := cmp.Or(named, at.Settings.Remote.Value)
		r, key, err := a.openRemote(s, at, name)
		if err == nil && named == "" {
			if err = a.checkRemote(s, name, key); err != nil {
				r.Close()
			}
		}
		return r, key, err
	}
}

// openRemote opens a remote by its name: one of the user's settings, else a git remote of the project. key is what the
// store remembers of it.
func (a *App) openRemote(s *handoff.Store, p handoff.Project, name string) (r remote.Remote, key string, err error) {
	if own := p.User.Remotes[name]; own != nil {
		scheme, _, _ := strings.Cut(own.URL.Value, ":")
		program, err := os.Executable()
		if err != nil {
			return nil, "", err
		}
		r, err = remote.OpenHelper(remote.HelperOptions{Scheme: scheme, Beside: filepath.Dir(program),
			Environ: os.Environ(), Remote: remote.Place{URL: own.URL.Value, Endpoint: own.Endpoint.Value,
				Region: own.Region.Value, Profile: own.Profile.Value}})
		return r, own.URL.Value + " " + own.Endpoint.Value, err
	}
	own, done := s.OwnPath(), func() {}
	if !canWrite(own) { // all of the cache can be read again
		if own, err = os.MkdirTemp("", "handoff-"); err != nil {
			return nil, "", fault.Config("set TMPDIR to a directory of your own outside of the project",
				"there is no directory for what is exchanged: %v", err)
		}
		done = func() { _ = os.RemoveAll(own) }
	}
	namespace := p.Settings.SyncNamespace.Value
	r, address, err := remote.OpenGit(remote.GitOptions{Cache: filepath.Join(own, "sync.git"), Project: p.Root,
		Remote: name, Namespace: namespace, Environ: os.Environ(), Asks: IsTerminal(a.Stderr), Done: done})
	if err != nil {
		done()
	}
	return r, withoutSecret(address) + " " + namespace, err
}

// canWrite reports whether files can be made in a directory. It makes one that is not there, unless its path is "".
func canWrite(dir string) bool {
	if dir == "" || os.MkdirAll(dir, 0o700) != nil {
		return false
	}
	f, err := os.CreateTemp(dir, ".probe-")
	if err != nil {
		return false
	}
	_ = f.Close()
	return os.Remove(f.Name()) == nil
}

// autoFile is the file in the user's state that means sync: auto in one project.
const autoFile = "sync-auto"

// SetAuto lets changes in the project of a store start a sync in the background.
func (a *App) SetAuto(s *handoff.Store) error {
	own := s.OwnPath()
	return cmp.Or(os.MkdirAll(own, 0o700), os.WriteFile(filepath.Join(own, autoFile), nil, 0o600))
}

// SyncSoon starts a sync in the background if the user's setting sync is auto, or the user has chosen that for the
// project, in a project that has synced before. The command has loaded the project.
func (a *App) SyncSoon() {
	p := a.loaded
	s, err := handoff.Open(p.Options)
	if err != nil {
		return
	}
	isAuto := p.User.Sync.Value == handoff.SyncAuto
	if _, err := os.Stat(filepath.Join(s.OwnPath(), autoFile)); err != nil && !isAuto {
		return
	}
	program, err := a.Executable()
	if _, has := s.HasSynced(); !has || s.OwnPath() == "" || err != nil {
		return
	}
	cmd := exec.Command(program, "sync", "--later", "--quiet", "--root", p.Root)
	if a.Flags.HandoffsDir != "" {
		cmd.Args = append(cmd.Args, "--handoffs-dir", p.Options.Dir)
	}
	cmd.Args[0], cmd.SysProcAttr = os.Args[0], detached()
	_ = cmd.Start() // if it fails, the next change tries again
}

// withoutSecret returns a URL without user and password.
func withoutSecret(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.User == nil {
		return address
	}
	u.User = nil
	return u.String()
}

// checkRemote asks before handoffs go to another place than at the first sync: the settings come with a clone.
func (a *App) checkRemote(s *handoff.Store, name, key string) error {
	before, has := s.HasSynced()
	question := "Exchange handoffs with " + handoff.EscapeLine(key) + ", no longer with " +
		handoff.EscapeLine(before) + "?"
	if !has || before == key || a.CanAsk() && a.Confirm(question) {
		return nil
	}
	return fault.Config("run `handoff sync --remote "+name+"` if that is right",
		"the settings name another remote than the one that was synced: %s, not %s", key, before)
}
