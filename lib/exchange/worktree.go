package exchange

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"

	"github.com/seed-78daf238/handoff/lib/internal/git"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/settings"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// fromMain is the commit of handoffs from the main work tree, whose replica publishes them.
const fromMain = "main-work-tree"

// Gather exchanges handoffs between the work trees of a repository, without git. A writable main work tree receives
// from the replicas of the linked ones. If the main work tree cannot be written, a linked one receives everything
// from it, and begins a replica of its own. Gather warns about what is new and what it cannot receive. It is fast if
// nothing is new.
func Gather(ctx ctx, p *handoff.Project) {
	warn := p.Options.Warn
	if warn == nil {
		warn = func(string) {}
	}
	if p.OwnReplica != nil {
		main := p.Options.At(p.OwnReplica.Main)
		if !p.OwnReplica.Begun {
			p.UseOwnReplica()
		}
		if n, err := takeFrom(ctx, p.Options, main, false); err != nil {
			warn(fmt.Sprintf("what %s has is not taken over: %s", p.OwnReplica.Main, firstLine(err)))
		} else if !p.OwnReplica.Begun {
			p.OwnReplica.Begun = true
			warn(fmt.Sprintf("%s cannot be written: this work tree has a replica of its own from now on, with %s; "+
				"commands that can write the main one take over what it gets",
				p.OwnReplica.Main, handoff.Count(n, "handoff")))
		}
		return
	}
	roots := linkedReplicas(p)
	if len(roots) > 0 && !p.Options.CanWrite() {
		return
	}
	for _, root := range roots {
		switch n, err := takeFrom(ctx, p.Options, p.Options.At(root), true); {
		case err != nil:
			warn(fmt.Sprintf("what the work tree %s has is not taken over: %s", root, firstLine(err)))
		case n > 0:
			warn(fmt.Sprintf("took over %s of the work tree %s", handoff.Count(n, "handoff"), root))
		}
	}
}

// linkedReplicas returns the roots of the project in linked work trees of this user that have their own replica.
func linkedReplicas(p *handoff.Project) (roots []string) {
	if p.Options.Git != handoff.GitSynced || len(p.Options.Named) > 0 {
		return nil
	}
	top := git.Top(p.Root)
	for _, linked := range git.Linked(top) {
		rel, err := filepath.Rel(top, p.Root)
		root := filepath.Join(linked, rel)
		log := filepath.Join(p.Options.At(root).StateDir, disk.LogFile)
		if err == nil && store.IsThere(log) && settings.IsTrusted(root) {
			roots = append(roots, root)
		}
	}
	return roots
}

// Unimported returns the roots of linked work trees whose replicas have something that the main one lacks, with the
// number of handoffs.
func Unimported(p *handoff.Project) (map[string]int, error) {
	found := make(map[string]int)
	for _, root := range linkedReplicas(p) {
		w, err := openWorkTree(p.Options, p.Options.At(root), true)
		if err != nil {
			return nil, err
		}
		c := newIntake()
		ids, err := w.readNew(c)
		w.close()
		for _, s := range c.said[w.from.writer] {
			c.note(w.from.writer, s)
		}
		isTombstone := func(e effect) bool { return e.Kind == kindTombstone }
		if err != nil || len(ids)+len(slices.DeleteFunc(c.held.Effects, isTombstone)) > 0 {
			found[root] = len(ids)
		}
	}
	return found, nil
}

// A workTreePeer is another work tree of the same user as a peer.
type workTreePeer struct {
	*exchange           // of the store that receives
	from      *exchange // of the other store
	reached   map[string]progress
}

// takeFrom receives what another store has and this one lacks, and returns the number of handoffs. Refused handoffs
// are tried again next time.
func takeFrom(ctx ctx, to, from handoff.Options, asOwn bool) (n int, err error) {
	w, err := openWorkTree(to, from, asOwn)
	if err != nil {
		return 0, err
	}
	defer w.close()
	if err = w.take(ctx); errors.Is(err, errNoNews) {
		err = nil
	}
	return len(w.got.Received), err
}

// errNoNews means that a peer has nothing new.
var errNoNews = errors.New("nothing is new")

func openWorkTree(to, from handoff.Options, asOwn bool) (w *workTreePeer, err error) {
	w = &workTreePeer{reached: make(map[string]progress)}
	from.Warn, from.Progress, from.Once = nil, nil, nil
	mine, err := handoff.Open(to)
	if err != nil {
		return nil, err
	}
	theirs, err := handoff.Open(from)
	if err != nil {
		return nil, err
	}
	w.exchange, w.from = newExchange(mine, Options{}), newExchange(theirs, Options{})
	w.peer, w.asOwn = w, asOwn
	if err = w.open(); err != nil {
		w.close()
		return nil, err
	}
	return w, nil
}

// open opens the directories of both stores, if they exist.
func (w *workTreePeer) open() (err error) {
	if w.from.state, err = w.from.Exchange().State(); err != nil || w.from.state == nil {
		return err
	}
	if w.from.writer, err = w.from.Exchange().Writer(); err != nil {
		return err
	}
	if w.state, err = w.Exchange().State(); err != nil || w.state == nil {
		return err
	}
	if w.out, err = w.Exchange().Outside(); err == nil {
		_, err = load(w.out, disk.Beside, &w.reached)
	}
	if err != nil { // see keep
		_, _ = load(w.state, disk.Beside, &w.reached) // if it is unreadable, everything is received again
	}
	return nil
}

func (w *workTreePeer) close() {
	w.exchange.close()
	w.from.close()
}

// readNew adds the new events, and returns their handoffs that are not in the store.
func (w *workTreePeer) readNew(c *intake) (ids []string, err error) {
	c.near, c.all = true, !w.asOwn
	if w.from.state == nil {
		return nil, nil
	}
	log, done, err := w.from.openLog()
	if err != nil {
		return nil, err
	}
	defer done()
	p := w.reached[w.from.writer]
	_, end, err := eventlog.Tail(log, log.Size())
	if err != nil || end == p.Offset {
		return nil, err
	}
	if end < p.Offset {
		return nil, fault.Integrity("look whose it is", "its audit log is shorter than it was")
	}
	isVague := false
	for e := range eventlog.Scan(eventlog.Skim, log, p.Offset, &err) {
		s := parse(e)
		if err := p.follow(e); err != nil {
			return nil, fault.Integrity("run `handoff doctor` there", "%v", err)
		}
		if s.isOwn() || c.all && s.HandoffID != "" && s.Type == eventlog.TypeImport {
			ids = append(ids, s.HandoffID)
		}
		isVague = isVague || s.isVague()
		c.said[w.from.writer] = append(c.said[w.from.writer], s)
	}
	p.Offset, c.reached = end, p
	if err == nil && isVague {
		var entries []handoff.Entry
		entries, err = w.from.List(handoff.Filter{})
		for _, e := range entries {
			ids = append(ids, e.ID)
		}
	}
	slices.Sort(ids)
	return slices.DeleteFunc(slices.Compact(ids), w.has), err
}

// collect adds what the other store has, after the receiving store exists.
func (w *workTreePeer) collect(ctx ctx, c *intake) error {
	ids, err := w.readNew(c)
	if err == nil && c.reached.Offset == 0 && w.state != nil {
		err = errNoNews
	}
	if err == nil {
		_, err = w.Exchange().Settle(ctx) // this creates a new replica
	}
	if err == nil && w.state == nil {
		w.state, err = w.Exchange().State()
	}
	if err != nil {
		return err
	}
	sources, err := w.sources(ids)
	for _, source := range sources {
		c.add(heldDocument{Held: Held{ID: source.ID, Writer: w.from.writer}}, source)
	}
	return err
}

// choose refuses nothing: each document is independent.
func (w *workTreePeer) choose(*intake, []handoff.Result) error { return nil }

// extend does nothing: there are no claims, and signatures come with their documents.
func (w *workTreePeer) extend(ctx, *intake) error { return nil }

// fetchPruned returns those of the handoffs that the other store has.
func (w *workTreePeer) fetchPruned(_ ctx, gone map[string]*prunedHandoff) ([]handoff.Source, error) {
	return w.sources(slices.Collect(maps.Keys(gone)))
}

// keep records how much was received, unless something was refused. If a sandbox does not allow writing outside of
// the project, it writes to the state directory.
func (w *workTreePeer) keep(_ ctx, c *intake) (err error) {
	if n := len(c.held.Documents); n > 0 {
		return errors.New(c.held.Documents[n-1].Why)
	}
	w.reached[w.from.writer] = c.reached
	if w.out == nil {
		w.out, err = w.Exchange().Outside()
	}
	if err == nil {
		err = save(w.out, disk.Beside, nil, w.reached)
	}
	if err != nil {
		err = save(w.state, disk.Beside, nil, w.reached)
	}
	return err
}

// sources returns handoffs of the other store.
func (w *workTreePeer) sources(ids []string) (sources []handoff.Source, err error) {
	here, err := w.from.Exchange().Here(ids)
	if err != nil {
		return nil, err
	}
	origin := handoff.Origin{Writer: w.from.writer}
	if !w.asOwn {
		origin.Commit = fromMain
	}
	failed := w.from.LoadEach(slices.Collect(maps.Values(here)), func(got handoff.Stored, loadErr error) bool {
		source := handoff.Source{Name: "handoff " + got.Entry.ID, Text: got.Text, ID: got.Entry.ID, Origin: &origin}
		signature, sigErr := w.from.signature(got.Entry.ID)
		if signature != "" {
			source.Signatures = []string{signature}
		}
		if bad := cmp.Or(loadErr, sigErr); bad != nil {
			err = errors.Join(err, bad)
		} else {
			sources = append(sources, source)
		}
		return true
	})
	return sources, errors.Join(failed, err)
}
