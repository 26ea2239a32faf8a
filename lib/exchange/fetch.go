package exchange

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/exchange/repo"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/git"
)

// fetch fetches what other replicas published since the last time. git refuses a ref that does not continue the
// fetched one; only that writer is affected.
func (r *gitCarrier) fetch(ctx ctx) error {
	var specs strings.Builder
	var news []string
	for _, writer := range slices.Sorted(maps.Keys(r.writers)) {
		id := r.writers[writer]
		if writer != r.writer && r.refs[localRef("fetched", writer)] != id {
			news = append(news, writer)
			specs.WriteString(r.writerRef(writer) + ":" + localRef("fetched", writer) + "\n")
		}
	}
	if r.folds != "" && r.folds != r.refs[knownFolds] && r.folds != r.refs[otherFolds] {
		specs.WriteString("+" + r.foldRef() + ":" + otherFolds + "\n")
	}
	if specs.Len() == 0 {
		return nil
	}
	err := r.fetchRefs(ctx, specs.String())
	if err == nil || git.Refusal(err) != nil {
		r.refs, err = r.repo.Refs(ctx)
	}
	odd := slices.DeleteFunc(news, func(writer string) bool {
		return r.refs[localRef("fetched", writer)] == r.writers[writer]
	})
	if err != nil || len(odd) == 0 {
		return err
	}
	follows, err := r.inspect(ctx, "fetched", odd...)
	if err != nil {
		return err
	}
	moves := make(map[string]string)
	for _, writer := range odd {
		if commit, is := follows[writer]; commit != "" {
			moves[localRef("fetched", writer)] = commit
		} else if is {
			r.refuse(Refusal{Writer: writer, Why: "its history was rewritten"})
		}
	}
	return r.move(ctx, moves)
}

// fetchRefs fetches refs. git reads specs from its standard input.
func (r *gitCarrier) fetchRefs(ctx ctx, specs string) error {
	r.grew = true
	_, err := r.repo.Call(ctx, specs, "fetch", "--quiet", "--no-tags", "--no-write-fetch-head",
		"--no-auto-maintenance", "--stdin")
	return err
}

// inspect fetches refs of writers that may not continue what is here in a space of refs. It returns the commit of
// each ref that does, "" for a ref that does not. A writer that is behind is omitted: a remote may lag behind another
// one.
func (r *gitCarrier) inspect(ctx ctx, space string, writers ...string) (follows map[string]string, err error) {
	var specs strings.Builder
	moves := make(map[string]string)
	for _, writer := range writers {
		specs.WriteString("+" + r.writerRef(writer) + ":" + localRef("found", writer) + "\n")
		moves[localRef("found", writer)] = ""
	}
	if err = r.fetchRefs(ctx, specs.String()); git.Refusal(err) != nil {
		err = fault.New(nil, "run it again",
			"what the writer %s has published could not be fetched: %v", writers[0], err)
	}
	if err == nil {
		r.refs, err = r.repo.Refs(ctx)
	}
	follows = make(map[string]string)
	for _, writer := range writers {
		here, found := r.refs[localRef(space, writer)], r.refs[localRef("found", writer)]
		isAhead, isBehind := here == "", false
		if err == nil && !isAhead {
			isAhead, err = r.repo.IsAncestor(ctx, here, found)
		}
		if err == nil && !isAhead {
			isBehind, err = r.repo.IsAncestor(ctx, found, here)
		}
		switch {
		case isAhead:
			follows[writer] = found
		case !isBehind:
			follows[writer] = ""
		}
	}
	if err != nil {
		return nil, err
	}
	return follows, r.move(ctx, moves)
}

// isReady compares the ref of this writer at the remote with the commits here. Commits that are unknown here were
// sent before sync.git was lost, if other replicas accept them and the audit log continues them. Otherwise another
// replica has a copy of this state directory, or someone else has moved the ref. Nothing is sent then, because the copy
// and the original cannot be told apart.
func (r *gitCarrier) isReady(ctx ctx) error {
	ref := localRef("writers", r.writer)
	there, here := r.writers[r.writer], r.refs[ref]
	if there == "" || there == here {
		return nil
	}
	if here != "" {
		if isOld, err := r.repo.IsAncestor(ctx, there, here); err != nil || isOld {
			return err
		}
	}
	follows, err := r.inspect(ctx, "writers", r.writer)
	found, c := follows[r.writer], newIntake()
	if err == nil && found != "" {
		err = r.accept(ctx, c, []*offer{{writer: r.writer, old: here, commit: found}})
	}
	isCut := func(s handoff.Source) bool { return !r.Exchange().IsWhole(s) }
	if err == nil && c.imported[r.writer] != "" && !slices.ContainsFunc(c.sources, isCut) {
		if _, err = r.locate(ctx, found); err == nil {
			return r.move(ctx, map[string]string{ref: found})
		}
	}
	if err != nil && !errors.Is(err, fault.ErrIntegrity) {
		return err
	}
	return r.errCopied()
}

// offersAtOnce is the number of writers in one git command. Starting git for each writer takes longer than its work.
const offersAtOnce = 500

// receive fetches what other replicas published.
func (r *gitCarrier) receive(ctx ctx, c *intake) (err error) {
	if err = r.fetch(ctx); err != nil {
		return err
	}
	for some := range slices.Chunk(r.offers(), offersAtOnce) {
		if err = r.accept(ctx, c, some); err != nil {
			return err
		}
	}
	return r.listFolded()
}

// sources returns documents from their blobs.
func (r *gitCarrier) sources(ctx ctx, documents []heldDocument) (map[int]handoff.Source, error) {
	want := make([]repo.Wanted, len(documents))
	for i, d := range documents {
		want[i] = repo.Wanted{Object: d.Blob, Max: disk.MaxDocument}
	}
	got, err := r.repo.Spool(ctx, "blob", maxAtOnce, want)
	found := make(map[int]handoff.Source)
	for i, d := range documents {
		if got.Has(want[i]) {
			found[i] = d.source(got)
		}
	}
	return found, unlessLost(err)
}

// source returns the source of the document, whose blob is in got.
func (d heldDocument) source(got repo.Blobs) handoff.Source {
	blob := repo.Wanted{Object: d.Blob, Max: disk.MaxDocument}
	open := func() (src handoff.Source, err error) { // it keeps no more of the document than that
		src.Text, err = got.Text(blob)
		return src, err
	}
	return handoff.Source{Name: d.ID, ID: d.ID, Origin: d.origin(), Open: open}
}

// offers returns what writers have published and was not imported yet.
func (r *gitCarrier) offers() (all []*offer) {
	for _, ref := range slices.Sorted(maps.Keys(r.refs)) {
		writer, ok := strings.CutPrefix(ref, localRef("fetched", ""))
		old, young := r.refs[localRef("imported", writer)], r.refs[ref]
		if ok && form.IsWriter(writer) && old != young && !r.refused[writer] {
			all = append(all, &offer{writer: writer, old: old, commit: young})
		}
	}
	return all
}

// accept adds the offers of writers, each completely or not at all. If git fails for several, it is asked about each
// one. Then an offer that is too large or unreadable does not affect the others.
func (r *gitCarrier) accept(ctx ctx, c *intake, offers []*offer) error {
	err := r.acceptAll(ctx, c, offers)
	switch {
	case err == nil, ctx.Err() != nil:
		return err
	case len(offers) > 1:
		for i := range offers {
			if err := r.accept(ctx, c, offers[i:i+1]); err != nil {
				return err
			}
		}
		return nil
	case err == repo.ErrTooMuch, err == repo.ErrTree, err == repo.ErrNoText:
		r.refuse(Refusal{Writer: offers[0].writer, Why: err.Error()})
		return nil
	}
	return err // it may be temporary
}

// acceptAll adds all valid offers, and refuses the others. If it fails, it adds none.
func (r *gitCarrier) acceptAll(ctx ctx, c *intake, offers []*offer) error {
	spans := make([]repo.Span, len(offers))
	for i, o := range offers {
		spans[i] = repo.Span{Old: o.old, Young: o.commit}
	}
	changes, err := r.repo.ChangesOf(ctx, spans)
	if err != nil {
		return err
	}
	var good []*offer
	var want []repo.Wanted
	for i, o := range offers {
		if why := o.look(changes[i]); why == "" {
			good, want = append(good, o), append(want, o.wants()...)
		} else {
			r.refuse(Refusal{Writer: o.writer, Why: why})
		}
	}
	got, err := r.repo.Spool(ctx, "blob", maxAtOnce, want)
	if err != nil {
		return err
	}
	for _, o := range good {
		if err := r.add(c, o, got); err != nil {
			return err
		}
	}
	return nil
}

// add adds an offer whose objects were read, if all of it is valid.
func (r *gitCarrier) add(c *intake, o *offer, got repo.Blobs) error {
	found, why, err := o.parse(got)
	if err != nil {
		return err
	}
	if why != "" {
		r.refuse(Refusal{Writer: o.writer, Why: why})
		return nil
	}
	of := heldDocument{Held: Held{Writer: o.writer}, Commit: o.commit}
	c.held.Documents = slices.Grow(c.held.Documents, len(o.documents))
	c.sources = slices.Grow(c.sources, len(o.documents))
	for _, change := range o.documents {
		if day := change.Name[:len("0000-00-00")]; day != of.Day {
			of.Day = strings.Clone(day)
		}
		d := of
		d.ID, _ = idOf(change.Name)
		d.Blob, d.Signature = strings.Clone(change.Object), o.signatures[change.Name]
		c.add(d, d.source(got))
		delete(o.signatures, change.Name)
	}
	for name, blob := range o.signatures {
		d := of
		d.ID, _ = idOf(name)
		d.Blob = blob
		c.held.Signatures = append(c.held.Signatures, d)
	}
	ended := make(map[string]knownClaim)
	for name, text := range o.ended {
		if r.learnsFold(name, text) {
			ended[name] = knownClaim{text, folded}
		}
	}
	if err := r.known.ended.add(ended); err != nil {
		return err
	}
	c.said[o.writer] = found
	c.imported[o.writer] = o.commit
	return nil
}
