package replica

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/git"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
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
			warn(fmt.Sprintf("%s cannot be written: this work tree has a replica of its own from now on, with %s; commands that can write the main one take over what it gets",
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
		if err == nil && store.IsThere(filepath.Join(p.Options.At(root).StateDir, layout.Log)) && settings.IsTrusted(root) {
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
		b, err := openBeside(p.Options, p.Options.At(root), true)
		if err != nil {
			return nil, err
		}
		ids, c, err := b.news()
		b.close()
		if err != nil || len(ids)+len(c.held.Marks)+len(c.held.Tokens) > 0 {
			found[root] = len(ids)
		}
	}
	return found, nil
}

// A beside is one taking over from another work tree.
type beside struct {
	*syncing // of the store that takes over
	from     *handoff.Store
	source   *syncing
	writer   string // of that
	known    map[string]progress
}

func openBeside(to, from handoff.Options, asOwn bool) (b *beside, err error) {
	b = &beside{known: make(map[string]progress)}
	b.syncing = &syncing{Options: Options{Now: time.Now}, asOwn: asOwn, logSize: 1 << 62}
	b.again = func(_ ctx, gone map[string]*past) ([]handoff.Source, error) {
		return b.sources(slices.Collect(maps.Keys(gone)))
	}
	from.Warn, from.Progress, from.Once = nil, nil, nil
	if b.Store, err = handoff.Open(to); err != nil {
		return nil, err
	}
	if b.from, err = handoff.Open(from); err != nil {
		return nil, err
	}
	b.source = &syncing{Store: b.from, logSize: 1 << 62}
	defer func() {
		if err != nil {
			b.close()
		}
	}()
	if b.source.state, err = b.from.State(); err != nil || b.source.state == nil {
		return b, err
	}
	if b.writer, err = b.from.Writer(); err != nil {
		return nil, err
	}
	if b.syncing.state, err = b.Store.State(); err != nil || b.syncing.state == nil {
		return b, err
	}
	var text []byte
	if b.syncing.out, err = b.Store.Outside(); err == nil {
		text, err = b.syncing.out.ReadFile(layout.Beside, maxHeld)
	}
	if err != nil { // see keep
		text, _ = b.syncing.state.ReadFile(layout.Beside, maxHeld)
	}
	_ = json.Unmarshal(text, &b.known) // what cannot be read is taken over again
	return b, nil
}

func (b *beside) close() {
	b.syncing.close()
	b.source.close()
}

// news returns the handoffs of the events that are new, those that are not in the store, and how far
// the log has come.
func (b *beside) news() (ids []string, c *catch, err error) {
	c = &catch{held: held{Marks: map[string][]mark{}}, near: true, all: !b.asOwn}
	p := b.known[b.writer]
	if b.source.state == nil {
		return nil, c, nil
	}
	log, done, err := b.source.openLog()
	if err != nil {
		return nil, c, err
	}
	defer done()
	_, end, err := eventlog.Tail(log, log.Size())
	if err != nil || end == p.Offset {
		return nil, c, err
	}
	if end < p.Offset {
		return nil, c, fault.New(fault.ErrIntegrity, "look whose it is", "its audit log is shorter than it was")
	}
	vague := false
	for e := range eventlog.Scan(log, p.Offset, &err) {
		s, err := p.follow(e)
		if err != nil {
			return nil, c, fault.New(fault.ErrIntegrity, "run `handoff doctor` there", "%v", err)
		}
		if p.Offset = e.End(); s.isOwn() || c.all && s.HandoffID != "" && s.Type == eventlog.TypeImport {
			ids = append(ids, s.HandoffID)
		}
		vague = vague || s.isVague()
		c.note(b.writer, s)
	}
	if err != nil {
		return nil, c, err
	}
	p.Offset, c.reached = end, p
	if vague {
		entries, err := b.from.List(handoff.Filter{})
		if err != nil {
			return nil, c, err
		}
		for _, e := range entries {
			ids = append(ids, e.ID)
		}
	}
	slices.Sort(ids)
	return slices.DeleteFunc(slices.Compact(ids), b.has), c, nil
}

// takeBeside takes over what one store has that another one lacks, and says how many handoffs those
// are. What is refused is tried again with the next.
func takeBeside(ctx ctx, to, from handoff.Options, asOwn bool) (n int, err error) {
	b, err := openBeside(to, from, asOwn)
	if err != nil {
		return 0, err
	}
	defer b.close()
	ids, c, err := b.news()
	if err != nil || c.reached.Offset == 0 && b.syncing.state != nil {
		return 0, err
	}
	if _, err := b.Settle(ctx); err != nil { // a replica begins
		return 0, err
	}
	if b.syncing.state == nil {
		if b.syncing.state, err = b.Store.State(); err != nil {
			return 0, err
		}
	}
	sources, err := b.sources(ids)
	if err != nil {
		return 0, err
	}
	var refused error
	if len(sources) > 0 {
		results, err := b.WriteGood(ctx, sources)
		if err != nil {
			return 0, err
		}
		for _, r := range results {
			if r.Err == nil && r.Receipt.Status != handoff.StatusExisting {
				n++
			} else if r.Err != nil && !errors.As(r.Err, new(*handoff.PrunedError)) {
				refused = r.Err
			}
		}
	}
	if err := b.takeState(ctx, c); err != nil || refused != nil {
		return n, errors.Join(refused, err)
	}
	b.known[b.writer] = c.reached
	return n, b.keep()
}

// keep remembers how far others were taken over: outside of the project, or where a sandbox lets nobody write
// there, in the state directory.
func (b *beside) keep() (err error) {
	if b.syncing.out == nil {
		b.syncing.out, err = b.Store.Outside()
	}
	if err == nil {
		err = saveJSON(b.syncing.out, layout.Beside, b.known)
	}
	if err != nil {
		err = saveJSON(b.syncing.state, layout.Beside, b.known)
	}
	return err
}

func (b *beside) sources(ids []string) (sources []handoff.Source, err error) {
	b.source.Store = b.from
	entries, err := b.source.entries(ids)
	if err != nil {
		return nil, err
	}
	origin := handoff.Origin{Writer: b.writer}
	if !b.asOwn {
		origin.Commit = fromMain
	}
	failed := b.from.LoadEach(entries, func(got handoff.Stored, loadErr error) bool {
		if loadErr != nil {
			err = errors.Join(err, loadErr)
			return true
		}
		source := handoff.Source{Name: "handoff " + got.Entry.ID, Text: got.Text, ID: got.Entry.ID, Origin: &origin}
		signature, sigErr := b.from.SignatureText(got.Entry.ID)
		if sigErr != nil && !errors.Is(sigErr, fault.ErrIntegrity) {
			err = errors.Join(err, sigErr) // else it would be stored without, for good
			return true
		}
		if sigErr == nil && signature != "" {
			source.Signatures = []string{signature}
		}
		sources = append(sources, source)
		return true
	})
	return sources, errors.Join(failed, err)
}
