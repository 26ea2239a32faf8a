package handoff

import (
	"errors"
	"path/filepath"

	"github.com/seed-78daf238/handoff/lib/internal/git"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/settings"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// toMain moves a project in a linked work tree to the main work tree, if both share one synced store. top is the work
// tree that contains the project. The settings are those of the main work tree. If its branch has none yet, those of
// the linked work tree are used.
func (p *Project) toMain(top, cwd string, getenv func(string) string, flags ProjectFlags) error {
	shares := p.Settings.Git.Value == GitSynced
	if p.HasFile && !shares || top == "" {
		return nil
	}
	main, err := git.Main(top)
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
	if !store.IsThere(root) || !settings.IsTrusted(root) {
		p.keepApart("the main work tree has no such directory of yours")
		return nil
	}
	own, err := settings.Load(root, cwd, emptyEnv)
	mainShares := err == nil && own.Git.Value == GitSynced
	if !shares && !mainShares {
		return nil
	}
	linked := p.Root
	if p.Root = root; mainShares {
		p.settings, p.HasFile = root, true
	}
	if err := p.load(cwd, getenv, flags); err != nil || len(p.Options.Named) > 0 {
		return err
	}
	p.useOwnReplica(linked)
	return nil
}

// An OwnReplica describes a linked work tree whose main work tree cannot be written. The project reads the store of
// the main work tree until it begins a replica of its own.
type OwnReplica struct {
	Main, Own string // the roots of the main and of the linked work tree
	Begun     bool   // the replica exists
}

// useOwnReplica keeps a project in its linked work tree if the main work tree, which p is, cannot be written.
func (p *Project) useOwnReplica(linked string) {
	if p.Options.CanWrite() {
		return
	}
	own := p.Options.At(linked)
	p.OwnReplica = &OwnReplica{Main: p.Root, Own: linked,
		Begun: store.IsThere(filepath.Join(own.StateDir, disk.FingerprintFile))}
	if p.OwnReplica.Begun {
		p.UseOwnReplica()
	}
}

// UseOwnReplica makes the replica of the linked work tree the store of the project. It has no effect on a replica
// that has begun.
func (p *Project) UseOwnReplica() {
	main := p.Options.At(p.OwnReplica.Main)
	p.Root, p.Options = p.OwnReplica.Own, p.Options.At(p.OwnReplica.Own)
	p.Options.Synced, _ = main.store().HasSynced() // a store that cannot be read counts as unsynced
}

// CanWrite reports whether the store can be changed. It changes nothing to find out.
func (o Options) CanWrite() bool { return o.store().CanWrite() }

// At returns the options of the same store in another work tree. Paths outside the project stay.
func (o Options) At(root string) Options {
	for _, path := range []*string{&o.Dir, &o.StateDir, &o.OperatorsFile} {
		if rel, err := filepath.Rel(o.Root, *path); err == nil && filepath.IsLocal(rel) {
			*path = filepath.Join(root, rel)
		}
	}
	o.Root = root
	return o
}

// keepApart records why a linked work tree gets its own store.
func (p *Project) keepApart(why string) {
	if p.Settings.Git.Value == GitSynced && !store.IsThere(p.Options.Dir) {
		p.Apart = why
	}
}
