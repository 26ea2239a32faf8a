package handoff

import (
	"errors"
	"path/filepath"

	"github.com/seed-78daf238/handoff/lib/internal/git"
	"github.com/seed-78daf238/handoff/lib/internal/settings"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// toMain moves a project in a linked work tree to the main one, if both share one store (spec 5-clones, "synced"). The
// settings are those of the main work tree; where the branch that is checked out there has none yet, those of the linked one.
func (p *Project) toMain(cwd string, getenv func(string) string, flags ProjectFlags) error {
	shares := p.Settings.Git.Value == GitSynced
	if p.HasFile && !shares {
		return nil
	}
	top := git.Top(p.Root)
	if top == "" {
		return nil
	}
	main, err := git.Main(top)
	if apart := (*git.LinkError)(nil); errors.As(err, &apart) {
		p.keepApart(apart.Why)
		return nil
	}
	if err != nil || main == "" {
		return nil // what cannot be read leads nowhere
	}
	rel, err := filepath.Rel(top, p.Root)
	if err != nil || !filepath.IsLocal(rel) {
		return nil
	}
	root := filepath.Join(main, rel)
	if !store.IsThere(root) || !settings.IsTrusted(root) {
		p.keepApart("the main work tree has no such directory of yours")
		return nil
	}
	own, err := settings.Load(root, cwd, nothing)
	mainShares := err == nil && own.Git.Value == GitSynced
	if !shares && !mainShares {
		return nil
	}
	if p.Root = root; mainShares {
		p.settings, p.HasFile = root, true
	}
	return p.load(cwd, getenv, flags)
}

// keepApart says why a linked work tree gets a store of its own.
func (p *Project) keepApart(why string) {
	if p.Settings.Git.Value == GitSynced && !store.IsThere(p.Options.Dir) {
		p.Apart = why
	}
}
