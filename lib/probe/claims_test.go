//go:build unix

package probe_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/probe"
)

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=ann", "-c", "user.email=ann@example.com"}, args...)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+t.TempDir(), "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// A bench is a repository with probes, and an audit log.
type bench struct {
	*testing.T
	probe.Prober
	log []eventlog.Probed
	at  time.Time
}

func newBench(t *testing.T, definition string) *bench {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	root := project(t, definition)
	b := &bench{T: t, at: now}
	b.Prober = probe.Prober{Root: root, Environ: os.Environ(), Definition: mustRead(t, root), Operator: "ben", Now: func() time.Time { return b.at },
		Record: func(e eventlog.Probed) bool { b.log = append(b.log, e); return true },
		Earlier: func(like eventlog.Probed, since time.Time) (eventlog.Probed, bool) {
			for _, e := range slices.Backward(b.log) {
				at, err := time.Parse(time.RFC3339, e.RanAt)
				if err == nil && !at.Before(since) && e.Probe == like.Probe && e.Definition == like.Definition && e.Commit == like.Commit && e.Changed == 0 && e.ExitCode >= 0 {
					return e, true
				}
			}
			return eventlog.Probed{}, false
		}}
	write(t, filepath.Join(root, "a.txt"), "a\n")
	git(t, root, "init", "-q", "-b", "main")
	git(t, root, "add", ".")
	git(t, root, "commit", "-q", "-m", "one")
	return b
}

// again is the program, run anew.
func (b *bench) again() { b.Prober.Definition = mustRead(b.T, b.Root); b.Prober = fresh(b.Prober) }

func fresh(p probe.Prober) probe.Prober {
	return probe.Prober{Root: p.Root, Environ: p.Environ, Definition: p.Definition, Only: p.Only, Operator: p.Operator, Earlier: p.Earlier, Record: p.Record, Now: p.Now}
}

func (b *bench) claims(refs ...string) string {
	b.Helper()
	var all []string
	for _, f := range b.Claims(b.Context(), "sha256:"+strings.Repeat("a", 64), refs) {
		all = append(all, fmt.Sprintf("%s %s %t: %s", f.Probe, f.Verdict, f.Pass, f.Reason))
	}
	return strings.Join(all, "; ")
}

func (b *bench) expect(got, want string) {
	b.Helper()
	if !strings.HasPrefix(got, want) {
		b.Errorf("got %q, want %q", got, want)
	}
}

func TestClaims(t *testing.T) {
	b := newBench(t, "probes:\n  good: {argv: [sh, -c, 'true']}\n  bad: {argv: [sh, -c, 'echo why; exit 3']}\n  slow: {argv: [sleep, '60'], timeout: 1s}\n  gone: {argv: [./gone]}\n")
	head := git(t, b.Root, "rev-parse", "HEAD")
	b.expect(b.claims("https://example.org"), "")
	b.expect(b.claims("probe:good=passed"), "good confirmed true: passed after ")
	b.expect(b.claims("probe:good=passed", "git:"+head), "good confirmed true")
	b.expect(b.claims("probe:good=passed", "git:"+head[:12]+":main"), "good confirmed true")
	b.expect(b.claims("probe:good=passed", "git:"+strings.Repeat("b", 40)), "good other work true")
	b.expect(b.claims("probe:good=passed", "git:"+head+":main:2"), "good other work true")
	b.expect(b.claims("probe:bad=passed"), "bad contradicted false: failed with exit code 3 after ")
	b.expect(b.claims("probe:bad=passed", "git:"+strings.Repeat("b", 40)), "bad other work false")
	b.expect(b.claims("probe:slow=passed"), "slow not run false: it did not end within 1s")
	b.expect(b.claims("probe:gone=passed"), "gone not run false: it cannot be started")
	b.expect(b.claims("probe:none=passed"), "none not run false: .handoff-probes.yaml defines no probe")
	for _, f := range b.Claims(t.Context(), "", []string{"probe:bad=passed", "probe:good=passed"}) {
		if want := map[string]string{"bad": "why\n"}[f.Probe]; f.Output != want {
			t.Errorf("%s printed %q", f.Probe, f.Output)
		}
	}
	b.Only = "bad"
	b.expect(b.claims("probe:good=passed"), "")
	verdicts := map[string]bool{}
	for _, e := range b.log {
		verdicts[e.Probe+" "+e.Verdict] = true
		if e.OperatorID != "ben" || e.Definition != b.Definition.Digest() || e.Commit != head || e.HandoffID == "" {
			t.Errorf("%+v", e)
		}
	}
	if len(verdicts) != 5 { // what was never started is not there
		t.Errorf("%v", verdicts)
	}
	b.Prober = fresh(b.Prober)
	b.Only, b.Definition = "", nil
	b.expect(b.claims("probe:good=passed"), "good not run false: the project has no ")
}

func TestReuse(t *testing.T) {
	b := newBench(t, "probes: {test: {argv: [sh, -c, 'test -e a.txt']}}\n")
	const ran, stands = "test confirmed true: passed after ", "test confirmed true: passed at 2026-05-08T12:00:00Z, on the same commit"
	b.expect(b.claims("probe:test=passed"), ran)
	b.again()
	b.expect(b.claims("probe:test=passed"), stands)
	b.at = now.Add(24 * time.Hour)
	b.again()
	b.expect(b.claims("probe:test=passed"), stands)
	b.at = now.Add(24*time.Hour + time.Second)
	b.again()
	b.expect(b.claims("probe:test=passed"), ran)
	b.at = now
	for what, change := range map[string]func(){
		"a changed file": func() { write(t, filepath.Join(b.Root, "a.txt"), "b\n") },
		"another commit": func() { git(t, b.Root, "commit", "-q", "-a", "--allow-empty", "-m", "two") },
		"another definition": func() {
			write(t, filepath.Join(b.Root, probe.Name), "probes: {test: {argv: [sh, -c, 'test -e a.txt']}}\n# x\n")
			git(t, b.Root, "commit", "-q", "-a", "--amend", "-m", "three")
		},
	} {
		change()
		b.again()
		if got := b.claims("probe:test=passed"); !strings.HasPrefix(got, ran) {
			t.Errorf("%s: %s", what, got)
		}
		git(t, b.Root, "commit", "-q", "-a", "--allow-empty", "-m", "clean")
	}
	b.again()
	b.claims("probe:test=passed")
	if err := os.RemoveAll(filepath.Join(b.Root, ".git")); err != nil {
		t.Fatal(err)
	}
	b.again()
	b.expect(b.claims("probe:test=passed"), ran)
	b.again()
	b.expect(b.claims("probe:test=passed"), ran)
}

// What a probe does to its definition or to the work counts for nothing.
func TestProbesThatChangeThings(t *testing.T) {
	b := newBench(t, "probes:\n  self: {argv: [sh, -c, 'echo \"# more\" >>.handoff-probes.yaml']}\n  next: {argv: [sh, -c, 'echo x >ran']}\n")
	b.expect(b.claims("probe:self=passed", "probe:next=passed"), "self not run false: .handoff-probes.yaml was changed while it ran; next not run false: .handoff-probes.yaml was changed meanwhile")
	if _, err := os.Stat(filepath.Join(b.Root, "ran")); err == nil {
		t.Error("what was not allowed has run")
	}
	git(t, b.Root, "checkout", "-q", ".")
	b.again() // nobody knows more than before
	b.expect(b.claims("probe:self=passed"), "self not run false: .handoff-probes.yaml was changed while it ran")
	b = newBench(t, "probes: {edits: {argv: [sh, -c, 'echo x >>a.txt']}}\n")
	b.expect(b.claims("probe:edits=passed"), "edits confirmed true: passed after ")
	if len(b.log) != 1 || b.log[0].Commit != "" {
		t.Errorf("%+v", b.log)
	}
	b = newBench(t, "probes: {undoes: {argv: [sh, -c, 'mv .handoff-probes.yaml x; ln -s x .handoff-probes.yaml']}}\n")
	b.expect(b.claims("probe:undoes=passed"), "undoes not run false: .handoff-probes.yaml was changed while it ran")
}
