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

// ownClaim is where a claim of the remote is kept here.
func ownClaim(name string) string { return "refs/handoff/claims/" + name }

// triesBelow is where the claims are that this store wants to make.
const triesBelow = "refs/handoff/tries/"

// ownTry is the ref of such a claim, before the remote has it.
func ownTry(name string, c handoff.Consumption) string {
	return triesBelow + name + "/" + c.Operator + "/" + cmp.Or(string(c.Act()), "resume") + "/s" + c.Session
}

// fetchClaims fetches claims by their names and returns their files. To find many refs by their names takes git the
// square of the time, so that the objects are asked for; a server that gives objects by the names of their refs alone
// is asked for these.
func (r *remote) fetchClaims(ctx ctx, names []string) ([][]byte, error) {
	fetch := func(names []string, spec func(string) string) error {
		var specs strings.Builder
		for _, name := range names {
			specs.WriteString(spec(name) + "\n")
		}
		return r.fetchRefs(ctx, specs.String())
	}
	if fetch(names, func(name string) string { return r.claims[name] }) != nil {
		for some := range slices.Chunk(names, atOnce) {
			if err := fetch(some, r.claimAt); err != nil {
				return nil, err
			}
		}
	}
	return r.readFiles(ctx, names, r.claims)
}

// readFiles returns the files of claims by their names, of commits that are here; nil for one that is not.
func (r *remote) readFiles(ctx ctx, names []string, commits map[string]string) ([][]byte, error) {
	want := make([]wanted, len(names))
	for i, name := range names {
		want[i] = wanted{commits[name] + ":" + eventlog.ClaimFile, eventlog.MaxFile}
	}
	return r.repo.read(ctx, want)
}

// readClaims fetches and reads claims, in the order of their turns.
func (r *remote) readClaims(ctx ctx, names []string) (all []heard, err error) {
	texts, err := r.fetchClaims(ctx, names)
	if err != nil {
		return nil, err
	}
	for i, name := range names {
		c, err := eventlog.ParseClaim(name, texts[i])
		if err == nil && !(isLine(c.Consumption) && isOnce(c.Token)) {
			err = errors.New("it claims what no ledger has")
		}
		h := heard{Claim: c, name: name}
		if err != nil {
			h.Claim, h.why, h.isBad = eventlog.Claim{}, err.Error(), true
		}
		all = append(all, h)
	}
	slices.SortFunc(all, func(a, b heard) int {
		return cmp.Or(inTurn(a.Consumption, b.Consumption), cmp.Compare(a.name, b.name))
	})
	return all, nil
}

// knownClaims returns by their names the claims that were taken over before, as they were then.
func (r *remote) knownClaims(ctx ctx, all []heard) (map[string]eventlog.Claim, error) {
	commits := make(map[string]string)
	var names []string
	for _, h := range all {
		if commit := r.refs[ownClaim(h.name)]; commit != "" {
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

// A try is a claim of this replica that the remote is asked to let in.
type try struct {
	eventlog.Claim
	name, ref string
}

// makeTries makes claims of lines of the ledger, but for those that the operator, and session, has
// tried to claim before: they may have been let in without that being heard of. Who claims and when stands in the
// one file of a root commit.
func (r *remote) makeTries(ctx ctx, lines lines) (tries []try, err error) {
	var names []string // of those that were tried
	before := make(map[string]string)
	var fresh []try
	for _, line := range lines {
		name := eventlog.ClaimName(line.Token)
		t := try{eventlog.NewClaim(line, r.writer), name, ownTry(name, line)}
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
			err = r.repo.broken(fmt.Errorf("%s: %w", tries[i].ref, err))
		}
	}
	return tries, err
}

// writeTries writes a commit for each, see [remote.writeCommit].
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

// pushTries asks the remote to let claims in, and reports which it has let in, now or before. Where
// all is set, it lets in all of them or none. The words of the remote come with what was not let in.
func (r *remote) pushTries(ctx ctx, tries []try, all bool) (in map[string]bool, words string, err error) {
	var options, specs []string
	if all && len(tries) > 1 {
		options = append(options, "--atomic")
	}
	for _, t := range tries {
		if no := r.denials.Claims[t.name]; no.Void && r.claims[t.name] == no.Commit {
			options = append(options, "--force-with-lease="+r.claimAt(t.name)+":"+no.Commit)
		}
		specs = append(specs, t.ref+":"+r.claimAt(t.name))
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
		name := strings.TrimPrefix(ref, r.claimAt(""))
		if in[name] = slices.Contains([]string{"*", "=", "+"}, fields[0]); !in[name] {
			words = fields[2]
		}
	}
	return in, words, nil
}

// settleTries remembers claims that were let in and done.
func (r *remote) settleTries(ctx ctx, tries []try) error {
	moves := make(map[string]string)
	for _, t := range tries {
		moves[ownClaim(t.name)], moves[t.ref] = t.ref, ""
	}
	return r.repo.setRefs(ctx, moves)
}

// noEntry says that the remote does not let a claim in that nobody has.
func (r *remote) noEntry(t try, words string) error {
	return fault.New(fault.ErrConfig, "ask who looks after the remote",
		"the remote refuses %s: %s", r.claimAt(t.name), words)
}
