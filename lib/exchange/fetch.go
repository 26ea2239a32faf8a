package exchange

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/git"
)

// Time limits for a remote.
var (
	answerLimit   = 30 * time.Second
	transferLimit = 10 * time.Minute
)

// fetch fetches what other replicas published since the last time. git refuses a ref that does not continue the
// fetched one; only that writer is affected.
func (r *remote) fetch(ctx ctx) error {
	var specs strings.Builder
	var news []string
	for _, writer := range slices.Sorted(maps.Keys(r.writers)) {
		id := r.writers[writer]
		if writer != r.writer && r.refs[localRef("fetched", writer)] != id && !r.isKnownBad(writer, id) {
			news = append(news, writer)
			specs.WriteString(r.writerRef(writer) + ":" + localRef("fetched", writer) + "\n")
		}
	}
	if len(news) == 0 {
		return nil
	}
	err := r.fetchRefs(ctx, specs.String())
	if err == nil || git.Refusal(err) != nil {
		r.refs, err = r.repo.allRefs(ctx)
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
func (r *remote) fetchRefs(ctx ctx, specs string) error {
	r.grew = true
	_, err := r.repo.call(ctx, specs, "fetch", "--quiet", "--no-tags", "--no-write-fetch-head",
		"--no-auto-maintenance", "--stdin")
	return err
}

// inspect fetches refs of writers that may not continue what is here in a space of refs. It returns the commit of
// each ref that does, "" for a ref that does not. A writer that is behind is omitted: a remote may lag behind another
// one.
func (r *remote) inspect(ctx ctx, space string, writers ...string) (follows map[string]string, err error) {
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
		r.refs, err = r.repo.allRefs(ctx)
	}
	follows = make(map[string]string)
	for _, writer := range writers {
		here, found := r.refs[localRef(space, writer)], r.refs[localRef("found", writer)]
		isAhead, isBehind := here == "", false
		if err == nil && !isAhead {
			isAhead, err = r.repo.isAncestor(ctx, here, found)
		}
		if err == nil && !isAhead {
			isBehind, err = r.repo.isAncestor(ctx, found, here)
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

// reconcile compares the ref of this writer at the remote with the commits here. Commits that are unknown here were
// sent before sync.git was lost, if the audit log continues them. Otherwise another replica has a copy of this state
// directory. Nothing is sent then, because the copy and the original cannot be told apart.
func (r *remote) reconcile(ctx ctx) error {
	ref := localRef("writers", r.writer)
	there, here := r.writers[r.writer], r.refs[ref]
	if there == "" || there == here {
		return nil
	}
	if here != "" {
		if isOld, err := r.repo.isAncestor(ctx, there, here); err != nil || isOld {
			return err
		}
	}
	follows, err := r.inspect(ctx, "writers", r.writer)
	if found := follows[r.writer]; err == nil && found != "" {
		if _, err := r.locate(ctx, found); err == nil {
			return r.move(ctx, map[string]string{ref: found})
		} else if errors.Is(err, errBroken) {
			return err
		}
	}
	if err != nil {
		return err
	}
	return fault.New(fault.ErrIntegrity,
		"where the copy is, run `handoff doctor machine regenerate --reason copied`, "+
			"and sync again: `handoff help git`",
		"the remote has of this writer, %s, what was not written here: its state directory was copied, "+
			"or put back to an older one; nothing was sent", r.writer)
}

// offersAtOnce is the number of writers in one git command. Starting git for each writer takes longer than its work.
const offersAtOnce = 500

// collect fetches what other replicas published.
func (r *remote) collect(ctx ctx, c *intake) (err error) {
	if err = r.fetch(ctx); err != nil {
		return err
	}
	if c.held, c.kept, err = loadHeld(r.out); err != nil {
		return err
	}
	if err = r.takeHeld(ctx, c); err != nil {
		return err
	}
	for some := range slices.Chunk(r.offers(), offersAtOnce) {
		if err = r.accept(ctx, c, some); err != nil {
			return err
		}
	}
	return r.addSignatures(ctx, c)
}

// takeHeld makes sources from the held documents.
func (r *remote) takeHeld(ctx ctx, c *intake) error {
	waited := c.held.Documents
	c.held.Documents = nil
	want := make([]wanted, len(waited))
	for i, d := range waited {
		want[i] = wanted{d.Blob, disk.MaxDocument}
	}
	got, err := r.repo.spoolObjects(ctx, "blob", maxAtOnce, want)
	if err != nil {
		return err
	}
	for i, d := range waited {
		if got.has(want[i]) { // otherwise sync.git was lost, and the document is fetched again
			c.add(d, d.source(got))
		}
	}
	c.waited = len(c.sources)
	return nil
}

// source returns the source of the document, whose blob is in got.
func (d heldDocument) source(got blobs) handoff.Source {
	open := func() (src handoff.Source, err error) {
		src.Text, err = got.text(wanted{d.Blob, disk.MaxDocument})
		return src, err
	}
	return handoff.Source{Name: d.ID, ID: d.ID, Origin: d.origin(), Open: open}
}

// offers returns what writers have published and was not imported yet.
func (r *remote) offers() (all []*offer) {
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
func (r *remote) accept(ctx ctx, c *intake, offers []*offer) error {
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
	case err == errTooMuch, err == errTree, err == errNoText:
		r.refuse(Refusal{Writer: offers[0].writer, Why: err.Error()})
		return nil
	}
	return err // it may be temporary
}

// acceptAll adds all valid offers, and refuses the others. If it fails, it adds none.
func (r *remote) acceptAll(ctx ctx, c *intake, offers []*offer) error {
	changes, err := r.repo.changesOf(ctx, offers)
	if err != nil {
		return err
	}
	var good []*offer
	var want []wanted
	for i, o := range offers {
		if why := o.look(changes[i]); why == "" {
			good, want = append(good, o), append(want, o.wants()...)
		} else {
			r.refuse(Refusal{Writer: o.writer, Why: why})
		}
	}
	got, err := r.repo.spoolObjects(ctx, "blob", maxAtOnce, want)
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
func (r *remote) add(c *intake, o *offer, got blobs) error {
	found, why, err := o.parse(got)
	if err != nil {
		return err
	}
	if why != "" {
		r.refuse(Refusal{Writer: o.writer, Why: why})
		return nil
	}
	of := heldDocument{Held: Held{Writer: o.writer}, Commit: o.commit}
	for _, change := range o.documents {
		d := of
		d.ID, _ = idOf(change.name)
		d.Blob, d.Signature = strings.Clone(change.object), o.signatures[change.name]
		c.add(d, d.source(got))
		delete(o.signatures, change.name)
	}
	for name, blob := range o.signatures {
		d := of
		d.ID, _ = idOf(name)
		d.Blob = blob
		c.held.Signatures = append(c.held.Signatures, d)
	}
	c.said[o.writer] = found
	c.moves[localRef("imported", o.writer)] = o.commit
	return nil
}

// addSignatures adds signatures to the documents, including those that other writers have, or that were made later.
func (r *remote) addSignatures(ctx ctx, c *intake) error {
	others := make(map[string][]string)
	for _, s := range c.held.Signatures {
		others[s.ID] = append(others[s.ID], s.Blob)
	}
	var want []wanted
	var of []int
	for i, d := range c.held.Documents {
		for _, blob := range append([]string{d.Signature}, others[d.ID]...) {
			if blob != "" {
				want, of = append(want, wanted{blob, disk.MaxSignature}), append(of, i)
			}
		}
	}
	texts, err := r.repo.read(ctx, want)
	for n, text := range texts {
		if s := &c.sources[of[n]]; len(text) > 0 {
			s.Signatures = append(s.Signatures, string(text))
		}
	}
	return err
}

var errRefused = errors.New("its writer is refused")

// choose refuses writers that published an invalid document, with everything else that they offer.
func (r *remote) choose(c *intake, results []handoff.Result) error {
	if failed := r.repo.failed.Load(); failed != nil { // the fault is in this store
		for i := range results {
			results[i].Err = *failed
		}
		return *failed
	}
	results, documents, sources := results[c.waited:], c.held.Documents[c.waited:], c.sources[c.waited:]
	for i, got := range results {
		if got.Err != nil && !r.Exchange().IsWhole(sources[i]) {
			r.refuse(Refusal{Writer: documents[i].Writer, Why: firstLine(got.Err)})
		}
	}
	for i, d := range documents {
		if r.refused[d.Writer] {
			delete(c.moves, localRef("imported", d.Writer))
			results[i].Err = errRefused
		}
	}
	return nil
}

// extend adds claims and signatures for the stored handoffs.
func (r *remote) extend(ctx ctx, c *intake) error {
	if failed := r.repo.failed.Load(); failed != nil && len(c.sources) > 0 { // it failed after choose
		return *failed
	}
	if err := r.takeClaims(ctx, c); err != nil || r.DryRun {
		return err
	}
	return r.takeSignatures(ctx, c)
}

// keep saves what is held, and how much of each writer was imported.
func (r *remote) keep(ctx ctx, c *intake) error {
	// the held documents must be saved before the refs move
	if err := save(r.out, disk.SyncHeld, c.kept, c.held); err != nil {
		return err
	}
	return r.repo.setRefs(ctx, c.moves)
}

// takeSignatures adds signatures to stored handoffs that have none. A bad signature is replaced by a good one.
// Signatures of handoffs that are not here are held.
func (r *remote) takeSignatures(ctx ctx, c *intake) error {
	var later []heldDocument
	var want []wanted
	var sources []handoff.Source
	before := make(map[string]string)
	for _, d := range c.held.Signatures {
		text := ""
		got, err := r.Read(d.ID)
		if got.Signature.State != "" {
			text, err = r.Exchange().SignatureText(d.ID)
		}
		switch {
		case err != nil:
			later = append(later, d)
		case got.Signature.State != handoff.SignatureGood && !r.refused[d.Writer]:
			before[d.ID], want = text, append(want, wanted{d.Blob, disk.MaxSignature})
			name := "the signature of " + d.ID
			sources = append(sources, handoff.Source{Name: name, Text: got.Text, ID: d.ID, Origin: d.origin()})
		}
	}
	c.held.Signatures = later
	texts, err := r.repo.read(ctx, want)
	if err != nil || len(want) == 0 {
		return err
	}
	for i := range sources {
		sources[i].Signatures = []string{string(texts[i])}
	}
	if _, err := r.WriteGood(ctx, sources); err != nil { // signatures that do not match are ignored
		return err
	}
	for id, old := range before {
		if text, err := r.Exchange().SignatureText(id); err == nil && text != old {
			r.got.Signatures++
		}
	}
	return nil
}

// fetchPruned returns the given handoffs from the refs of their writers, with their signatures. Pruning does not
// remove them there.
func (r *remote) fetchPruned(ctx ctx, gone map[string]*prunedHandoff) (sources []handoff.Source, err error) {
	var want []wanted
	var from []handoff.Source
	for _, ref := range slices.Sorted(maps.Keys(r.refs)) {
		writer, isFetched := strings.CutPrefix(ref, localRef("fetched", ""))
		if !isFetched && ref != localRef("writers", r.writer) {
			continue
		}
		d := heldDocument{Held: Held{Writer: strings.TrimPrefix(writer, localRef("writers", ""))}, Commit: r.refs[ref]}
		for id, p := range gone {
			name := d.Commit + ":" + fileOf(id, p.time)
			want = append(want, wanted{name, disk.MaxDocument}, wanted{signatureOf(name), disk.MaxSignature})
			from = append(from, handoff.Source{Name: id, ID: id, Origin: d.origin()})
		}
	}
	texts, err := r.repo.read(ctx, want)
	found := make(map[string]bool)
	for i, source := range from {
		if source.Text = texts[2*i]; err != nil || source.Text == nil || found[source.ID] {
			continue
		}
		if signature := texts[2*i+1]; len(signature) > 0 {
			source.Signatures = []string{string(signature)}
		}
		found[source.ID], sources = true, append(sources, source)
	}
	return sources, err
}
