package replica

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// offersAtOnce is how many writers git is asked about with one command. To start one for each of them takes
// longer than all that it does then.
const offersAtOnce = 500

// offers returns what of the writers was not imported yet.
func (x *syncing) offers() (all []*offer) {
	for _, ref := range slices.Sorted(maps.Keys(x.refs)) {
		writer, ok := strings.CutPrefix(ref, own("fetched", ""))
		old, young := x.refs[own("imported", writer)], x.refs[ref]
		if ok && form.IsWriter(writer) && old != young && !x.isRefused(writer) {
			all = append(all, &offer{writer: writer, old: old, commit: young, signatures: make(map[string]string)})
		}
	}
	return all
}

// letGo forgets what was fetched of those who are refused, and remembers what that was: the remote may be put
// right, and is asked anew once it has something else.
func (x *syncing) letGo(ctx ctx) error {
	moves := make(map[string]string)
	for _, r := range x.got.Refused {
		fetched, imported := own("fetched", r.Writer), x.refs[own("imported", r.Writer)]
		if r.Writer != "" && x.refs[fetched] != imported {
			moves[fetched] = imported
			x.refused.Writers[r.Writer] = refusedClaim{Commit: x.remote[r.Writer], Why: r.Why}
		}
	}
	return x.repo.setRefs(ctx, moves)
}

// isKnownBad reports whether what the remote has of a writer was refused before, and refuses it again.
func (x *syncing) isKnownBad(writer, commit string) bool {
	before, was := x.refused.Writers[writer]
	if was && before.Commit == commit {
		x.refuse(writer, before.Why)
	}
	return was && before.Commit == commit
}

// look returns the offers whose trees changed as those of writers do. Where git has no answer for several, it is
// asked about each, so that one that cannot be read keeps no other from being read.
func (x *syncing) look(ctx ctx, offers []*offer) (good []*offer, err error) {
	all, err := x.repo.changesOf(ctx, offers)
	if err != nil && len(offers) > 1 {
		for i := range offers {
			one, err := x.look(ctx, offers[i:i+1])
			if err != nil {
				return nil, err
			}
			good = append(good, one...)
		}
		return good, nil
	}
	for i, o := range offers {
		why := ""
		switch isTheirs := err == errTooMuch || err == errTree || err == errNoText; {
		case err == nil:
			why = o.look(all[i])
		case !isTheirs: // which is not to be remembered
			return nil, err
		default:
			why = err.Error()
		}
		if why == "" {
			good = append(good, o)
		} else {
			x.refuse(o.writer, why)
		}
	}
	return good, ctx.Err()
}

// take adds what writers offer, of each all that it offers or nothing. The error is one of this replica.
func (x *syncing) take(ctx ctx, c *catch, offers []*offer) error {
	var want []wanted
	for _, o := range offers {
		want = append(want, o.wants()...)
	}
	got, err := x.repo.lay(ctx, want)
	if errors.Is(err, errTooMuch) {
		return x.takeEach(ctx, c, offers)
	}
	for _, o := range offers {
		if err == nil {
			err = x.add(c, o, got.first(len(o.wants())))
			got.parts = got.parts[len(o.wants()):]
		}
	}
	return err
}

// takeEach takes offers one by one, and refuses the one that is too much alone.
func (x *syncing) takeEach(ctx ctx, c *catch, offers []*offer) error {
	if len(offers) == 1 {
		x.refuse(offers[0].writer, errTooMuch.Error())
		return nil
	}
	for i := range offers {
		if err := x.take(ctx, c, offers[i:i+1]); err != nil {
			return err
		}
	}
	return nil
}

// add adds an offer whose objects were read, if all of it is as it has to be.
func (x *syncing) add(c *catch, o *offer, got blobs) error {
	found, why, err := o.parse(got)
	if err != nil {
		return err
	}
	if why != "" {
		x.refuse(o.writer, why)
		return nil
	}
	c.grow(len(o.documents))
	origin := &handoff.Origin{Writer: o.writer, Commit: o.commit}
	for i, d := range o.documents {
		id, _ := idOf(d.name)
		c.add(heldDocument{ID: id, Writer: o.writer, Commit: o.commit, Blob: strings.Clone(d.blob), Signature: o.signatures[d.name]}, origin, got, o.first(got)+i)
		delete(o.signatures, d.name)
	}
	for name, blob := range o.signatures {
		id, _ := idOf(name)
		c.held.Signatures = append(c.held.Signatures, heldDocument{ID: id, Writer: o.writer, Commit: o.commit, Blob: blob})
	}
	c.said[o.writer] = found
	c.moves[own("imported", o.writer)] = o.commit
	return nil
}
