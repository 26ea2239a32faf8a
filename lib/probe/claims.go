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
	"github.com/seed-78daf238/handoff/lib/packet"
	"github.com/seed-78daf238/handoff/lib/relation"
)

// The verdicts about a claim.
const (
	confirmed    = "confirmed"
	contradicted = "contradicted"
	notRun       = "not run"    // unknown
	otherWork    = "other work" // the probe ran, but on other work than the claim is about
)

// ReuseFor is how long a result replaces another run.
const ReuseFor = 24 * time.Hour

// A Prober tests claims. It runs each probe once. It must not be used concurrently.
type Prober struct {
	Root       string      // the root of the work, absolute
	Environ    []string    // the environment of the process
	Definition *Definition // the allowed definition; nil for a project without one
	Only       string      // the only probe to run; "" for all claimed ones
	Operator   string

	// Earlier returns the newest event since a time in this replica's audit log for a run like this; nil returns
	// none.
	Earlier func(like handoff.Probed, since time.Time) (handoff.Probed, bool)
	Record  func(handoff.Probed) bool // adds an event to the audit log, if it is not busy; can be nil
	Now     func() time.Time

	ran map[string]result
}

// A result is the result of one run, and the state of the work at that time.
type result struct {
	handoff.Probed
	known  bool   // it ended and has a meaning
	reason string // without quoted text
	output string
}

// Claims tests the probe claims in the references of a handoff. id is "" if the handoff is not stored. The output of a
// probe that did not pass is unescaped.
func (p *Prober) Claims(ctx context.Context, id string, references []string) (all []packet.Probed) {
	said := relation.Of(references)
	for _, name := range said.Probes {
		if p.Only != "" && p.Only != name {
			continue
		}
		all = append(all, p.claim(ctx, id, name, said))
	}
	return all
}

func (p *Prober) claim(ctx context.Context, id, name string, said relation.Set) packet.Probed {
	f := packet.Probed{Probe: name, Verdict: notRun}
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
	f.Reason, f.Output, f.Pass = r.reason, r.output, r.known && r.ExitCode == 0
	switch {
	case !r.known:
	case !isOf(said, r.Probed):
		f.Verdict = otherWork
	case f.Pass:
		f.Verdict = confirmed
	default:
		f.Verdict = contradicted
	}
	p.record(id, &f, r)
	return f
}

// isOf reports whether a result is for the work of the claim, if the handoff names that.
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

// result runs a probe, or returns the result of an earlier run of the same definition on the same work.
func (p *Prober) result(ctx context.Context, probe Probe) result {
	if changed := p.Definition.Changed(); changed != "" {
		return result{reason: changed + " was changed meanwhile"}
	}
	before := p.work(ctx)
	like := handoff.Probed{Probe: probe.Name, Definition: p.Definition.Digest(), Commit: before.Commit}
	if p.Earlier != nil && before.Commit != "" && before.Changed == 0 {
		if e, ok := p.Earlier(like, p.Now().Add(-ReuseFor)); ok && e.Verdict != notRun {
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
		r.reason, r.output, r.RanAt = "it cannot be started; check its argv", err.Error(), ""
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

// work returns the checked-out commit, and how many tracked files differ from it. If git cannot provide both, it
// returns no commit.
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

// record adds a finding to the audit log. If that fails, the finding mentions it.
func (p *Prober) record(id string, f *packet.Probed, r result) {
	if p.Record == nil || id == "" || r.RanAt == "" {
		return
	}
	e := r.Probed
	e.HandoffID, e.OperatorID, e.Verdict = id, p.Operator, f.Verdict
	if !p.Record(e) {
		f.Reason += "; not recorded: the audit log is busy or cannot be written"
	}
}
