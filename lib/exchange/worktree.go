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

// fromMain stands for the commit of what came from the main work tree: that is for its replica to send.
const fromMain = "main-work-tree"

// Gather brings the replicas of the work trees of a repository together, without git. Where the main one can be
// written it takes over what the others have; a linked one whose main one cannot takes over all that has, and
// begins with that. It says what is new, and of what it cannot take over why. Without news it costs next to nothing.
func Gather(ctx ctx, p *handoff.Project) {
	warn := p.Options.Warn
	if warn == nil {
		warn = func(string) {}
	}
	if p.Beside != nil {
		main := p.Options.At(p.Beside.Main)
		if !p.Beside.Begun {
			p.StandOnItsOwn()
		}
		if n, err := takeBeside(ctx, p.Options, main, false); err != nil {
			warn(fmt.Sprintf("what %s has is not taken over: %s", p.Beside.Main, firstLine(err)))
		} else if !p.Beside.Begun {
			p.Beside.Begun = true
			warn(fmt.Sprintf("%s cannot be written: this work tree has a replica of its own from now on, with %s; "+
				"commands that can write the main one take over what it gets",
				p.Beside.Main, handoff.Count(n, "handoff")))
		}
		return
	}
	roots := replicasBeside(p)
	if len(roots) > 0 && !p.Options.CanWrite() {
		return
	}
	for _, root := range roots {
		switch n, err := takeBeside(ctx, p.Options, p.Options.At(root), true); {
		case err != nil:
			warn(fmt.Sprintf("what the work tree %s has is not taken over: %s", root, firstLine(err)))
		case n > 0:
			warn(fmt.Sprintf("took over %s of the work tree %s", handoff.Count(n, "handoff"), root))
		}
	}
}

// replicasBeside returns the roots of the project in linked work trees of ours that have a replica of
// their own.
func replicasBeside(p *handoff.Project) (roots []string) {
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

// Unimported says which replicas of linked work trees hold what is not in the main one yet, and how
// much, by their roots.
func Unimported(p *handoff.Project) (map[string]int, error) {
	found := make(map[string]int)
	for _, root := range replicasBeside(p) {
		w, err := openBeside(p.Options, p.Options.At(root), true)
		if err != nil {
			return nil, err
		}
		c := &catch{said: make(map[string][]said)}
		ids, err := w.news(c)
		w.close()
		for _, s := range c.said[w.from.writer] {
			c.note(w.from.writer, s)
		}
		isTombstone := func(e effect) bool { return e.Kind == kindTombstone }
		if err != nil || len(ids)+len(slices.DeleteFunc(c.held.Told, isTombstone)) > 0 {
			found[root] = len(ids)
		}
	}
	return found, nil
}

// A neighbour is the peer in another work tree of the same user.
type neighbour struct {
	*exchange           // of the store that takes over
	from      *exchange // that of the neighbour
	reached   map[string]progress
}

// takeBeside takes over what one store has that another one lacks, and says how many handoffs those
// are. What is refused is tried again with the next.
func takeBeside(ctx ctx, to, from handoff.Options, asOwn bool) (n int, err error) {
	w, err := openBeside(to, from, asOwn)
	if err != nil {
		return 0, err
	}
	defer w.close()
	if err = w.take(ctx); errors.Is(err, errNoNews) {
		err = nil
	}
	return len(w.got.Received), err
}

// errNoNews is that a neighbour has nothing new.
var errNoNews = errors.New("nothing is new")

func openBeside(to, from handoff.Options, asOwn bool) (w *neighbour, err error) {
	w = &neighbour{reached: make(map[string]progress)}
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

// open opens the directories of both, as far as there are any.
func (w *neighbour) open() (err error) {
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
		_, _ = load(w.state, disk.Beside, &w.reached) // what cannot be read is taken over again
	}
	return nil
}

func (w *neighbour) close() {
	w.exchange.close()
	w.from.close()
}

// news adds what the events say that are new, and returns the handoffs of them that are not in the store.
func (w *neighbour) news(c *catch) (ids []string, err error) {
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
		return nil, fault.New(fault.ErrIntegrity, "look whose it is", "its audit log is shorter than it was")
	}
	isVague := false
	for e := range eventlog.Scan(log, p.Offset, &err) {
		s, err := p.follow(e)
		if err != nil {
			return nil, fault.New(fault.ErrIntegrity, "run `handoff doctor` there", "%v", err)
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

// tell adds what the neighbour has, once the store that takes over is there.
func (w *neighbour) tell(ctx ctx, c *catch) error {
	ids, err := w.news(c)
	if err == nil && c.reached.Offset == 0 && w.state != nil {
		err = errNoNews
	}
	if err == nil {
		_, err = w.Exchange().Settle(ctx) // a replica begins
	}
	if err == nil && w.state == nil {
		w.state, err = w.Exchange().State()
	}
	if err != nil {
		return err
	}
	sources, err := w.sources(ids)
	for _, source := range sources {
		c.add(heldDocument{ID: source.ID, Writer: w.from.writer}, source)
	}
	return err
}

// choose refuses nothing: each document stands for itself.
func (w *neighbour) choose(*catch, []handoff.Result) error { return nil }

// extend has nothing to do: there are no claims, and signatures come with their documents.
func (w *neighbour) extend(ctx, *catch) error { return nil }

// again returns the handoffs that the neighbour has of those.
func (w *neighbour) again(_ ctx, gone map[string]*past) ([]handoff.Source, error) {
	return w.sources(slices.Collect(maps.Keys(gone)))
}

// keep remembers how far the neighbour was taken over, unless something was refused: outside of the project, or where
// a sandbox lets nobody write there, in the state directory.
func (w *neighbour) keep(_ ctx, c *catch) (err error) {
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

// sources returns handoffs of the neighbour.
func (w *neighbour) sources(ids []string) (sources []handoff.Source, err error) {
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
		signature, sigErr := w.from.Exchange().SignatureText(got.Entry.ID)
		if errors.Is(sigErr, fault.ErrIntegrity) {
			sigErr = nil // any other one may go, and it would be stored without for good
		} else if signature != "" {
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
