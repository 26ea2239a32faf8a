package handoff

import (
	"errors"
	"path/filepath"

	"github.com/seed-78daf238/handoff/lib/internal/git"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/settings"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// toMain moves a project in a linked work tree to the main one, if both share one store,
// which is synced. The settings are those of the main work tree; where the branch that is checked
// out there has none yet, those of the linked one.
//
// top is that of the work tree in which the project lies.
func (p *Project) toMain(top, cwd string, getenv func(string) string, flags ProjectFlags) error {
	shares := p.Settings.Git.Value == GitSynced
	if p.HasFile && !shares || top == "" {
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
	linked := p.Root
	if p.Root = root; mainShares {
		p.settings, p.HasFile = root, true
	}
	if err := p.load(cwd, getenv, flags); err != nil || len(p.Options.Named) > 0 {
		return err
	}
	p.standBeside(linked)
	return nil
}

// Beside says which store a linked work tree has whose main one cannot be written: a replica of its
// own, or, until that has begun, the one of the main work tree to read from.
type Beside struct {
	Main, Own string // the roots of both
	Begun     bool
}

// standBeside leaves a project in its linked work tree where the main one, which p is, cannot be written.
func (p *Project) standBeside(linked string) {
	if p.Options.CanWrite() {
		return
	}
	own := p.Options.At(linked)
	p.Beside = &Beside{Main: p.Root, Own: linked, Begun: store.IsThere(filepath.Join(own.StateDir, disk.FingerprintFile))}
	if p.Beside.Begun {
		p.StandOnItsOwn()
	}
}

// StandOnItsOwn makes the replica of the linked work tree the store of the project. Once it has begun
// it is that already.
func (p *Project) StandOnItsOwn() {
	main := p.Options.At(p.Beside.Main)
	p.Root, p.Options = p.Beside.Own, p.Options.At(p.Beside.Own)
	p.Options.Synced, _ = main.store().HasSynced() // who cannot read that cannot read the handoffs either
}

// CanWrite reports whether the store may be changed, as far as can be told without changing anything.
func (o Options) CanWrite() bool { return o.store().CanWrite() }

// At returns the options of the store that another work tree has in the same place. Paths that do not
// lie in the project stay.
func (o Options) At(root string) Options {
	for _, path := range []*string{&o.Dir, &o.StateDir, &o.OperatorsFile} {
		if rel, err := filepath.Rel(o.Root, *path); err == nil && filepath.IsLocal(rel) {
			*path = filepath.Join(root, rel)
		}
	}
	o.Root = root
	return o
}

// keepApart says why a linked work tree gets a store of its own.
func (p *Project) keepApart(why string) {
	if p.Settings.Git.Value == GitSynced && !store.IsThere(p.Options.Dir) {
		p.Apart = why
	}
}
