package handoff

import (
	"errors"
	"path/filepath"

	"github.com/seed-78daf238/handoff/lib/internal/git"

	"github.com/seed-78daf238/handoff/lib/internal/settings"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// toMain moves a project in a linked work tree to the main work tree, if both share one synced store; in a second
// workspace of jj to the first. top is the work tree that contains the project. The settings are those of the main work
// tree. If its branch has none yet, those of the linked work tree are used.
func (p *Project) toMain(top, cwd string, getenv func(string) string, flags ProjectFlags) error {
	shares := p.Settings.Git.Value == GitSynced
	if p.HasFile && !shares {
		return nil
	}
	main, err := "", error(nil)
	if top == "" {
		top = p.Root
		main = git.FirstWorkspace(top)
	} else {
		main, err = git.Main(top)
	}
	if apart, is := errors.AsType[*git.LinkError](err); is {
		p.keepApart(apart.Why)
		return nil
	}
	if err != nil || main == "" {
		return nil // an unreadable link is ignored
	}
	rel, err := filepath.Rel(top, p.Root)
	if err != nil || !filepath.IsLocal(rel) {
		return nil
	}
	root := filepath.Join(main, rel)
	if !store.IsThere(root) && git.IndexFile(main) != "" { // in a bare layout nothing is checked out there
		p.keepApart("the main work tree has no such directory")
		return nil
	}
	own, err := settings.Load(root, root, cwd, emptyEnv)
	mainShares := err == nil && (own.Git.Value == GitSynced || own.Git.Source == settings.Default)
	if !shares && !mainShares {
		return nil
	}
	linked, file := p.Root, p.Options.OperatorsFile
	if p.Root = root; mainShares {
		p.settings, p.HasFile = root, true
	}
	err = p.load(cwd, getenv, flags)
	p.Options.Outbox = filepath.Join(top, outboxName)
	if !store.IsThere(p.Options.OperatorsFile) && store.Within(linked, file) { // as in a bare layout
		p.Options.OperatorsFile, p.Options.Named = file, append(p.Options.Named, file)
	}
	return err
}

// keepApart records why a linked work tree gets its own store.
func (p *Project) keepApart(why string) {
	if p.Settings.Git.Value == GitSynced && !store.IsThere(p.Options.Dir) {
		p.Apart = why
	}
}
