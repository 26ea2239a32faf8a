package replica

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/claim"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/git"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
)

// claimAt is the ref of a claim at the remote. It must not exist when it is pushed, and is never changed.
func (x *syncing) claimAt(name string) string { return x.Namespace + "/claims/" + name }

// ownClaim is where a claim of the remote is kept here.
func ownClaim(name string) string { return "refs/handoff/claims/" + name }

// ownTry is the ref of a claim that this store wants to make, before the remote has it.
func ownTry(name string, c handoff.Consumption) string {
	return "refs/handoff/tries/" + name + "/" + c.Operator + "/" + cmp.Or(string(c.Act()), "resume") + "/s" + c.Session
}

// fetchClaims fetches claims by their names and reads them. Those that are none are left out, with the
// reason in bad.
func (x *syncing) fetchClaims(ctx ctx, names []string) (found map[string]claim.Claim, bad map[string]error, err error) {
	found, bad = make(map[string]claim.Claim), make(map[string]error)
	if len(names) == 0 {
		return found, bad, nil
	}
	want := make([]wanted, len(names))
	for i, name := range names {
		want[i] = wanted{x.claims[name] + ":" + claim.File, claim.MaxFile}
	}
	if err := x.fetchObjects(ctx, names); err != nil {
		return nil, nil, err
	}
	texts, err := x.repo.read(ctx, want)
	if err != nil {
		return nil, nil, err
	}
	for i, name := range names {
		c, err := claim.Parse(name, texts[i])
		if err == nil && !(isLine(c.Consumption) && isOnce(c.Token)) {
			err = errors.New("it claims what no ledger has")
		}
		if err != nil {
			bad[name] = err
			continue
		}
		found[name] = c
	}
	return found, bad, nil
}

// fetchObjects fetches the commits of claims by what they are: to find many refs by their names takes git the
// square of the time. A server that gives objects by the names of their refs alone is asked for these.
func (x *syncing) fetchObjects(ctx ctx, names []string) error {
	fetch := func(names []string, spec func(string) string) error {
		var specs strings.Builder
		for _, name := range names {
			specs.WriteString(spec(name) + "\n")
		}
		return x.fetchRefs(ctx, specs.String())
	}
	if fetch(names, func(name string) string { return x.claims[name] }) == nil {
		return nil
	}
	for some := range slices.Chunk(names, claimsAtOnce) {
		if err := fetch(some, x.claimAt); err != nil {
			return err
		}
	}
	return nil
}

// A try is a claim of this replica that the remote is asked to let in.
type try struct {
	claim.Claim
	name, ref string
}

// makeTries makes claims of lines of the ledger, but for those that the operator, and session, has
// tried to claim before: they may have been let in without that being heard of.
func (x *syncing) makeTries(ctx ctx, lines []handoff.Consumption) (tries []try, err error) {
	var before []wanted
	var fresh []try
	for _, line := range lines {
		name := claim.Name(line.Token)
		t := try{claim.New(line, x.writer), name, ownTry(name, line)}
		if x.refs[t.ref] == "" {
			fresh = append(fresh, t)
		}
		tries, before = append(tries, t), append(before, wanted{x.refs[t.ref] + ":" + claim.File, claim.MaxFile})
	}
	if len(fresh) > 0 {
		if err := x.commitTries(ctx, fresh); err != nil {
			return nil, err
		}
	}
	if len(fresh) == len(tries) {
		return tries, nil
	}
	texts, err := x.repo.read(ctx, before)
	for i := range tries {
		if err == nil && x.refs[tries[i].ref] != "" {
			if tries[i].Claim, err = claim.Parse(tries[i].name, texts[i]); err != nil {
				err = x.repo.broken(fmt.Errorf("%s: %w", tries[i].ref, err))
			}
		}
	}
	return tries, err
}

// commitTries makes a root commit for each. Who claims and when stands in its one file.
func (x *syncing) commitTries(ctx ctx, tries []try) error {
	return x.repo.commit(ctx, func(w io.Writer) error {
		for _, t := range tries {
			text, err := t.Bytes()
			if err != nil {
				return err
			}
			fmt.Fprintf(w, "commit %s\ncommitter %s <%s@handoff> %d +0000\ndata 5\nclaim\n", t.ref, x.writer, x.writer, x.Now().Unix())
			if err := addFile(w, claim.File, text); err != nil {
				return err
			}
		}
		return nil
	})
}

// pushTries asks the remote to let claims in, and reports which it has let in, now or before. Where
// all is set, it lets in all of them or none. The words of the remote come with what was not let in.
func (x *syncing) pushTries(ctx ctx, tries []try, all bool) (in map[string]bool, words string, err error) {
	args := []string{"--porcelain", "--no-verify"}
	if all && len(tries) > 1 {
		args = append(args, "--atomic")
	}
	for _, t := range tries {
		if void := x.refused.Claims[t.name]; void.Void && x.claims[t.name] == void.Commit {
			args = append(args, "--force-with-lease="+x.claimAt(t.name)+":"+void.Commit)
		}
	}
	for _, t := range tries {
		args = append(args, t.ref+":"+x.claimAt(t.name))
	}
	out, err := x.repo.call(ctx, git.Call{Args: x.toRemote("push", args...), Limit: transferLimit})
	if e := (*git.Error)(nil); errors.As(err, &e) && e.Code == 1 {
		out, words, err = e.Output, e.Text, nil
	}
	if err != nil {
		return nil, "", err
	}
	in = make(map[string]bool)
	for line := range bytes.Lines(out) {
		fields := strings.Split(strings.TrimSuffix(string(line), "\n"), "\t")
		if len(fields) < 3 {
			continue
		}
		_, ref, _ := strings.Cut(fields[1], ":")
		name := strings.TrimPrefix(ref, x.claimAt(""))
		if in[name] = slices.Contains([]string{"*", "=", "+"}, fields[0]); !in[name] {
			words = fields[2]
		}
	}
	return in, words, nil
}

// settleTries remembers claims that were let in and done.
func (x *syncing) settleTries(ctx ctx, tries []try) error {
	moves := make(map[string]string)
	for _, t := range tries {
		moves[ownClaim(t.name)], moves[t.ref] = t.ref, ""
	}
	return x.repo.setRefs(ctx, moves)
}

// isLine reports whether a ledger may have a line that others claim or tell of.
func isLine(c handoff.Consumption) bool {
	of, _, _, isAct := eventlog.ParseKey(c.Token)
	isKey := form.IsID(c.Token) || len(c.Token) >= 8 && form.IsSlug(c.Token, 128) || isAct && of == c.HandoffID
	return isKey && form.IsID(c.HandoffID) && form.IsSlug(c.Operator, document.MaxName) && form.IsInstant(c.Time) && handoff.CheckReason(c.Reason) == nil &&
		(c.Accepted == "" || form.IsSlug(c.Accepted, 64)) && (c.ConfirmedBy == "" || form.IsSlug(c.ConfirmedBy, document.MaxName)) &&
		(c.Session == "" || form.IsSlug(c.Session, 128)) && len(c.Signature) <= layout.MaxSignature
}

// areAllIn reports whether the remote has taken all of the claims.
func areAllIn(tries []try, in map[string]bool) bool {
	return !slices.ContainsFunc(tries, func(t try) bool { return !in[t.name] })
}
