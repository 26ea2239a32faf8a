package probe

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/git"
	"github.com/seed-78daf238/handoff/lib/relation"
)

// A Verdict says what became of a claim.
type Verdict string

// The verdicts.
const (
	Confirmed    Verdict = "confirmed"
	Contradicted Verdict = "contradicted"
	NotRun       Verdict = "not run"    // nobody knows
	OtherWork    Verdict = "other work" // the probe has run, on other work than that of which it was claimed
)

// A Finding is what became of the claim that a probe passed.
type Finding struct {
	Probe   string
	Defined bool // by the project: the name is not the sender's alone
	Verdict Verdict
	Passed  bool   // the probe did
	Reason  string // in our own words
	Output  string // of a probe that did not pass: the last that it printed, as it is
}

// ReuseFor is how long a result stands for another run.
const ReuseFor = 24 * time.Hour

// A Prober confirms claims. It is for one goroutine. Each probe runs once.
type Prober struct {
	Root       string      // of the work, absolute
	Environ    []string    // of the process
	Definition *Definition // that was allowed; nil for a project without one
	Only       string      // the one probe that is to run, "" for all that are claimed
	Operator   string

	// Earlier returns what the audit log of this replica says of the newest run like one, since a
	// time; nil knows of none.
	Earlier func(like handoff.Probed, since time.Time) (handoff.Probed, bool)
	Record  func(handoff.Probed) bool // adds an event to the audit log, if that is possible at once; may be nil
	Now     func() time.Time

	ran map[string]result
}

// A result is that of one run, and of the work that it ran on.
type result struct {
	handoff.Probed
	known  bool   // it came to an end, and says something
	reason string // of our own
	output string
}

// Claims runs the probes that a handoff claims to have passed. id is that of a stored handoff, "" for another.
func (p *Prober) Claims(ctx context.Context, id string, references []string) (all []Finding) {
	said := relation.Of(references)
	for _, name := range said.Probes {
		if p.Only != "" && p.Only != name {
			continue
		}
		all = append(all, p.claim(ctx, id, name, said))
	}
	return all
}

func (p *Prober) claim(ctx context.Context, id, name string, said relation.Set) Finding {
	f := Finding{Probe: name, Verdict: NotRun}
	if p.Definition == nil {
		f.Reason = "the project has no " + Name
		return f
	}
	probe, err := p.Definition.Find(name)
	if err != nil {
		f.Reason = Name + " defines no probe of this name"
		return f
	}
	f.Defined = true
	r, again := p.ran[name]
	if !again {
		r = p.result(ctx, probe)
		if p.ran == nil {
			p.ran = make(map[string]result)
		}
		p.ran[name] = r
	}
	f.Reason, f.Output, f.Passed = r.reason, r.output, r.known && r.ExitCode == 0
	switch {
	case !r.known:
	case !isOf(said, r.Probed):
		f.Verdict = OtherWork
	case f.Passed:
		f.Verdict = Confirmed
	default:
		f.Verdict = Contradicted
	}
	p.record(id, &f, r)
	return f
}

// isOf reports whether a result is of the work of which the claim was made, as far as the handoff says
// which that was.
func isOf(said relation.Set, r handoff.Probed) bool {
	if len(said.Git) == 0 {
		return true
	}
	return slices.ContainsFunc(said.Git, func(f relation.Form) bool {
		changed := f.Changed
		if changed == "" {
			changed = "0"
		}
		return r.Commit != "" && strings.HasPrefix(r.Commit, f.Commit) && changed == strconv.Itoa(r.Changed)
	})
}

// result runs a probe, or returns what an earlier run of the same definition has found in the same work.
func (p *Prober) result(ctx context.Context, probe Probe) result {
	if changed := p.Definition.Changed(); changed != "" {
		return result{reason: changed + " was changed meanwhile"}
	}
	before := p.work(ctx)
	like := handoff.Probed{Probe: probe.Name, Definition: p.Definition.Digest(), Commit: before.Commit}
	if p.Earlier != nil && before.Commit != "" && before.Changed == 0 {
		if e, ok := p.Earlier(like, p.Now().Add(-ReuseFor)); ok && e.Verdict != string(NotRun) {
			return result{Probed: e, known: true,
				reason: fmt.Sprintf("%s at %s, on the same commit; not run again", exit(e.ExitCode), e.RanAt)}
		}
	}
	like.RanAt, like.Changed = p.Now().UTC().Format(time.RFC3339), before.Changed
	o, err := probe.Run(ctx, p.Root, p.Environ)
	changed := p.Definition.Changed()
	like.ExitCode, like.DurationMS = o.Code, o.Took.Milliseconds()
	r := result{Probed: like, output: string(o.Output)}
	switch {
	case err != nil:
		r.reason, r.output, r.RanAt = "it cannot be started; look at its argv", err.Error(), ""
		return r
	case changed != "":
		r.reason = changed + " was changed while it ran"
		return r
	case o.Why != "":
		r.reason = o.Why
		return r
	}
	r.known, r.reason = true, fmt.Sprintf("%s after %s", exit(o.Code), rough(o.Took))
	if o.Code == 0 {
		r.output = ""
	}
	if o.Left {
		r.reason += "; it left processes that may still run"
	}
	if p.work(ctx) != before {
		r.Commit, r.reason = "", r.reason+"; the work was changed while it ran"
	}
	return r
}

func rough(d time.Duration) time.Duration {
	if d < time.Second {
		return d.Round(time.Millisecond)
	}
	return d.Round(100 * time.Millisecond)
}

func exit(code int) string {
	if code == 0 {
		return "passed"
	}
	return fmt.Sprintf("failed with exit code %d", code)
}

// work returns the commit that is checked out, and how many tracked files are not as they are in it;
// no commit where git cannot say both.
func (p *Prober) work(ctx context.Context) (at struct {
	Commit  string
	Changed int
}) {
	tree := git.Tree{Dir: p.Root, Environ: p.Environ}
	commit, _, err := tree.Head(ctx)
	if err != nil {
		return at
	}
	files, err := tree.Differing(ctx, commit)
	if err == nil {
		at.Commit, at.Changed = commit, len(files)
	}
	return at
}

// record adds what was found to the audit log, and says in the finding where that was not possible.
func (p *Prober) record(id string, f *Finding, r result) {
	if p.Record == nil || id == "" || r.RanAt == "" {
		return
	}
	e := r.Probed
	e.HandoffID, e.OperatorID, e.Verdict = id, p.Operator, string(f.Verdict)
	if !p.Record(e) {
		f.Reason += "; the audit log is busy or cannot be written, and does not have it"
	}
}
