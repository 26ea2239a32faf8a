package exchange

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// The claims of a handoff that ended need no refs of their own: their writer folds them. It publishes the texts in its
// tree, and removes the refs with the same push. A folded claim counts like any other, in every clone that knows it.
//
// A clone that does not know it must not win the claim again. Therefore each fold also moves one ref for all,
// refs/handoff/folded, and a push of claims is only accepted if that ref is where the clone has seen it: where it knew
// all claims that were folded before.

// folded is the version of a claim that was folded.
const folded = "folded"

// The refs of sync.git for refs/handoff/folded: how far the folds are known here, and what was fetched.
const (
	knownFolds = "refs/handoff/folded"
	otherFolds = "refs/handoff/folding"
)

// foldRef returns the ref at the remote that each fold moves.
func (r *gitCarrier) foldRef() string { return r.Namespace + "/folded" }

// foldedFile returns the path of a folded claim in the tree of its writer, under the day of its ts_utc.
func foldedFile(name, at string) string { return at[:len("0000-00-00")] + "/" + name + foldedSuffix }

const foldedSuffix = ".claim"

// foldedName is the inverse of foldedFile. It ignores the day.
func foldedName(file string) (name string, ok bool) {
	day, rest, _ := strings.Cut(file, "/")
	name, isClaim := strings.CutSuffix(rest, foldedSuffix)
	return name, form.Matches(day, "0000-00-00") && isClaim && form.IsDigest(name)
}

// foldable returns the claims of this writer at the remote whose handoffs have ended.
func (r *gitCarrier) foldable() (claims []try, err error) {
	lives, err := r.Lifecycle().Taking("")
	if err != nil {
		return nil, err
	}
	gone := r.Exchange().Pruned()
	for _, name := range slices.Sorted(maps.Keys(r.claims)) {
		k := r.known.of(name)
		c, bad := eventlog.ParseClaim(name, k.text)
		isOwn := bad == nil && c.Writer == r.writer && k.version == r.claims[name] && k.version != folded
		isOver := gone[c.HandoffID] || lives[c.HandoffID].Done.IsDone()
		if isOwn && isOver && len(claims) < mostFolds {
			claims = append(claims, try{c, name, k.text})
		}
	}
	return claims, nil
}

// mostFolds is the number of claims that one push folds. The next ones fold the others.
const mostFolds = 1000

// makeFold makes the commit to which the ref of all folds moves, and the next one of this writer after tip, which has
// the claims. No other commit has the id of the first, also of the same second.
func (r *gitCarrier) makeFold(ctx ctx, tip string, claims []try) (fold, next string, err error) {
	pack := r.repo.NewPack()
	defer pack.Close()
	who, message := committer(r.writer, r.Now().Unix()), fmt.Sprintf("%d claims folded\n", len(claims))
	pack.File("writer", []byte(r.writer+"\n"+rand.Text()+"\n"))
	fold, err = pack.Commit(ctx, "", who, message)
	if next = tip; len(claims) > 0 {
		for _, c := range claims {
			pack.File(foldedFile(c.name, c.Time), c.text)
		}
		next, err = pack.Commit(ctx, tip, who, message)
	}
	return fold, next, cmp.Or(err, r.repo.Store(pack))
}

// pushFolds pushes the ref of this writer with its claims that ended, and removes their refs. It reports whether the
// remote has accepted all of it; otherwise nothing of it counts. Without claims, it makes the ref that folds move, if
// the remote lacks it.
func (r *gitCarrier) pushFolds(ctx ctx, ref string, claims []try) (bool, error) {
	if len(claims) == 0 && r.folds != "" {
		return false, nil
	}
	fold, next, err := r.makeFold(ctx, r.refs[ref], claims)
	if err != nil {
		return false, err
	}
	options := []string{"--atomic", "--force-with-lease=" + r.foldRef() + ":" + r.folds}
	specs := []string{next + ":" + r.writerRef(r.writer), fold + ":" + r.foldRef()}
	for _, c := range claims {
		options = append(options, "--force-with-lease="+r.claimRef(c.name)+":"+r.claims[c.name])
		specs = append(specs, ":"+r.claimRef(c.name))
	}
	_, no, err := r.pushRefs(ctx, nil, options, specs...)
	if no != nil || err != nil { // another replica folds, or the remote cannot: the next sync tries again
		return false, nil
	}
	ended := make(map[string]knownClaim)
	for _, c := range claims {
		ended[c.name] = knownClaim{c.text, folded}
		delete(r.claims, c.name)
	}
	return true, errors.Join(r.known.learn(ended), r.move(ctx, map[string]string{ref: next, knownFolds: fold}))
}

// guard returns options and a ref for a push of claims, which fails if folds are unknown here. If the remote has lost
// that ref, the push makes a new one: all folds that the remote has were just learned, and a clone that has not learned
// them does not know the new one.
func (r *gitCarrier) guard(ctx ctx) (options, specs []string, err error) {
	refs, err := r.repo.RefsBelow(ctx, knownFolds)
	at := refs[knownFolds]
	if err != nil || at == "" {
		return nil, nil, err
	}
	there := at
	if r.writers != nil && r.folds == "" {
		at, _, err = r.makeFold(ctx, "", nil)
		there = ""
	}
	options = []string{"--atomic", "--force-with-lease=" + r.foldRef() + ":" + there}
	return options, []string{at + ":" + r.foldRef()}, err
}

// relist learns the claims that were folded since the last sync too. It records how far they are known once judge has
// added them to the ledger. It imports nothing.
func (r *gitCarrier) relist(ctx ctx, judge func() error) (err error) {
	if err = r.list(ctx); err == nil {
		r.refs, err = r.repo.Refs(ctx)
	}
	if err == nil && r.refs[knownFolds] != r.folds {
		err = r.receive(ctx, newIntake())
	}
	if err == nil {
		err = judge()
	}
	if err == nil {
		err = r.knowFolds(ctx)
	}
	return err
}

// knowFolds records how far the folds are known.
func (r *gitCarrier) knowFolds(ctx ctx) error {
	if r.folds == "" || r.refs[otherFolds] != r.folds {
		return nil
	}
	return r.move(ctx, map[string]string{knownFolds: r.folds, otherFolds: ""})
}

// learnsFold reports whether a folded claim is to be judged: the one that is known, or an unknown one. Two clones fold
// different claims of one action only if the remote was put back to a backup in between. What is known counts until the
// user restores the remote; then it is the earlier claim, so that every clone decides alike.
func (r *gitCarrier) learnsFold(name string, text []byte) bool {
	known, other := r.known.of(name), r.known.ended.of(name).text
	isBefore := func(than []byte) bool {
		a, _ := eventlog.ParseClaim(name, text)
		b, bad := eventlog.ParseClaim(name, than)
		return bad == nil && a.Before(b)
	}
	switch {
	case bytes.Equal(text, known.text):
		return known.version != folded
	case known.version == folded && !isBefore(known.text):
		return false
	}
	return other == nil || !bytes.Equal(other, known.text) && isBefore(other)
}

// listFolded adds the folded claims that are not in the ledger yet to the claims of the remote.
func (r *gitCarrier) listFolded() error {
	names, err := r.known.ended.names()
	for name := range names {
		if r.claims[name] == "" {
			r.claims[name] = folded
		}
	}
	return err
}
