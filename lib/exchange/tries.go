package exchange

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
)

// localClaimRef returns the ref of sync.git for a claim of the remote.
func localClaimRef(name string) string { return "refs/handoff/claims/" + name }

// triesBelow is the prefix of refs for claims that this store wants to make.
const triesBelow = "refs/handoff/tries/"

// tryRef returns the ref of such a claim, before the remote has it.
func tryRef(name string, c handoff.Consumption) string {
	return triesBelow + name + "/" + c.Operator + "/" + cmp.Or(string(c.Act()), "resume") + "/s" + c.Session
}

// fetchClaims fetches claims by their names and returns their files. Fetching many refs takes git quadratic time, so
// it asks for the objects. A server that only provides objects by the names of their refs is asked for the refs.
func (r *remote) fetchClaims(ctx ctx, names []string) ([][]byte, error) {
	fetch := func(names []string, refspec func(string) string) error {
		var specs strings.Builder
		for _, name := range names {
			specs.WriteString(refspec(name) + "\n")
		}
		return r.fetchRefs(ctx, specs.String())
	}
	if fetch(names, func(name string) string { return r.claims[name] }) != nil {
		for some := range slices.Chunk(names, atOnce) {
			if err := fetch(some, r.claimRef); err != nil {
				return nil, err
			}
		}
	}
	return r.readFiles(ctx, names, r.claims)
}

// readFiles returns the files of claims by their names, from local commits. A missing file is nil.
func (r *remote) readFiles(ctx ctx, names []string, commits map[string]string) ([][]byte, error) {
	want := make([]wanted, len(names))
	for i, name := range names {
		want[i] = wanted{commits[name] + ":" + eventlog.ClaimFile, eventlog.MaxFile}
	}
	return r.repo.read(ctx, want)
}

// readClaims fetches and reads claims, in the order of their leases.
func (r *remote) readClaims(ctx ctx, names []string) (all []remoteClaim, err error) {
	texts, err := r.fetchClaims(ctx, names)
	if err != nil {
		return nil, err
	}
	for i, name := range names {
		c, err := eventlog.ParseClaim(name, texts[i])
		if err == nil && !(isLine(c.Consumption) && isOnce(c.Token)) {
			err = errors.New("it claims what no ledger has")
		}
		h := remoteClaim{Claim: c, name: name}
		if err != nil {
			h.Claim, h.why, h.isBad = eventlog.Claim{}, err.Error(), true
		}
		all = append(all, h)
	}
	slices.SortFunc(all, func(a, b remoteClaim) int {
		return cmp.Or(compareTurns(a.Consumption, b.Consumption), cmp.Compare(a.name, b.name))
	})
	return all, nil
}

// knownClaims returns the claims that were received before, by name, as they were then.
func (r *remote) knownClaims(ctx ctx, all []remoteClaim) (map[string]eventlog.Claim, error) {
	commits := make(map[string]string)
	var names []string
	for _, h := range all {
		if commit := r.refs[localClaimRef(h.name)]; commit != "" {
			names, commits[h.name] = append(names, h.name), commit
		}
	}
	known := make(map[string]eventlog.Claim)
	texts, err := r.readFiles(ctx, names, commits)
	for i, name := range names {
		if c, bad := eventlog.ParseClaim(name, texts[i]); bad == nil {
			known[name] = c
		}
	}
	return known, err
}

// A try is a claim that this replica asks the remote for.
type try struct {
	eventlog.Claim
	name, ref string
}

// makeTries makes claims from ledger lines. It uses existing tries of the same operator and session again: they may
// have been granted without an answer. A claim is the only file of a root commit.
func (r *remote) makeTries(ctx ctx, lines lines) (tries []try, err error) {
	var names []string // of existing tries
	before := make(map[string]string)
	var fresh []try
	for _, line := range lines {
		name := eventlog.ClaimName(line.Token)
		t := try{eventlog.NewClaim(line, r.writer), name, tryRef(name, line)}
		if commit := r.refs[t.ref]; commit == "" {
			fresh = append(fresh, t)
		} else {
			names, before[name] = append(names, name), commit
		}
		tries = append(tries, t)
	}
	if len(fresh) > 0 {
		if err := r.repo.commit(ctx, func(w *bufio.Writer) error { return r.writeTries(w, fresh) }); err != nil {
			return nil, err
		}
	}
	texts, err := r.readFiles(ctx, names, before)
	for i := range tries {
		n := slices.Index(names, tries[i].name)
		if n < 0 || err != nil {
			continue
		}
		if tries[i].Claim, err = eventlog.ParseClaim(tries[i].name, texts[n]); err != nil {
			err = r.repo.repoError(fmt.Errorf("%s: %w", tries[i].ref, err))
		}
	}
	return tries, err
}

// writeTries writes a commit for each try; see [remote.writeCommit].
func (r *remote) writeTries(w *bufio.Writer, tries []try) error {
	for _, t := range tries {
		text, err := t.Bytes()
		if err != nil {
			return err
		}
		r.beginCommit(w, t.ref, "claim")
		addFile(w, eventlog.ClaimFile, text)
	}
	return nil
}

// pushTries asks the remote for claims, and reports which it has granted, now or before. If all is set, it grants all
// or none. words is the answer of the remote to the others.
func (r *remote) pushTries(ctx ctx, tries []try, all bool) (in map[string]bool, words string, err error) {
	var options, specs []string
	if all && len(tries) > 1 {
		options = append(options, "--atomic")
	}
	for _, t := range tries {
		if no := r.denials.Claims[t.name]; no.Void && r.claims[t.name] == no.Commit {
			options = append(options, "--force-with-lease="+r.claimRef(t.name)+":"+no.Commit)
		}
		specs = append(specs, t.ref+":"+r.claimRef(t.name))
	}
	out, no, err := r.pushRefs(ctx, options, specs...)
	if err != nil {
		return nil, "", err
	}
	if no != nil {
		words = no.Text
	}
	in = make(map[string]bool)
	for line := range bytes.Lines(out) {
		fields := strings.Split(strings.TrimSuffix(string(line), "\n"), "\t")
		if len(fields) < 3 {
			continue
		}
		_, ref, _ := strings.Cut(fields[1], ":")
		name := strings.TrimPrefix(ref, r.claimRef(""))
		if in[name] = slices.Contains([]string{"*", "=", "+"}, fields[0]); !in[name] {
			words = fields[2]
		}
	}
	return in, words, nil
}

// settleTries records that claims were granted and used.
func (r *remote) settleTries(ctx ctx, tries []try) error {
	moves := make(map[string]string)
	for _, t := range tries {
		moves[localClaimRef(t.name)], moves[t.ref] = t.ref, ""
	}
	return r.repo.setRefs(ctx, moves)
}

// refusedError returns the error if the remote refuses a claim that no clone has.
func (r *remote) refusedError(t try, words string) error {
	return fault.New(fault.ErrConfig, "ask who looks after the remote",
		"the remote refuses %s: %s", r.claimRef(t.name), words)
}
