package replica

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/git"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// restoreRemote publishes again what this clone knows and the remote does not: the writers whose history it
// lacks, or has an older part of, and the claims. Nothing that stands there is replaced.
func (x *syncing) restoreRemote(ctx ctx) error {
	var specs []string
	for _, ref := range slices.Sorted(maps.Keys(x.refs)) {
		writer, is := strings.CutPrefix(ref, own("fetched", ""))
		if is && writer != x.writer && x.isBehind(ctx, x.remote[writer], x.refs[ref]) {
			specs = append(specs, ref+":"+x.at(writer))
		}
		if name, is := strings.CutPrefix(ref, ownClaim("")); is && x.claims[name] == "" {
			specs = append(specs, ref+":"+x.claimAt(name))
		}
	}
	for some := range slices.Chunk(specs, claimsAtOnce) {
		args := x.toRemote("push", append([]string{"--porcelain", "--no-verify"}, some...)...)
		_, err := x.repo.call(ctx, git.Call{Args: args, Limit: transferLimit})
		if e := (*git.Error)(nil); err != nil && !(errors.As(err, &e) && e.Code == 1) { // some stand there since, and stay
			return err
		}
	}
	if len(specs) == 0 {
		return nil
	}
	return x.listRemote(ctx)
}

// isBehind reports whether the remote lacks what is known here of a writer.
func (x *syncing) isBehind(ctx ctx, there, here string) bool {
	if there == here || there == "" {
		return there != here
	}
	isOld, err := x.repo.isAncestor(ctx, there, here)
	return err == nil && isOld
}

// ownProgress returns how far the log of this writer was published. A state directory that has become
// another writer, after it was copied or put back, takes over all anew that was fetched: it may lack what
// sync.git knows to have been imported.
func (x *syncing) ownProgress(ctx ctx) (progress, error) {
	p := x.loadProgress()
	if p.Writer == "" || p.Writer == x.writer {
		p.Writer = x.writer
		return p, nil
	}
	return progress{Sent: store.Sent{Writer: x.writer}, Partly: true, Last: p.Last},
		x.forget(ctx, own("imported", ""), ownClaim(""))
}

// forget removes the refs that begin with one of some names.
func (x *syncing) forget(ctx ctx, names ...string) error {
	moves := make(map[string]string)
	for ref := range x.refs {
		if slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(ref, name) }) {
			moves[ref] = ""
			delete(x.refs, ref)
		}
	}
	return x.repo.setRefs(ctx, moves)
}
