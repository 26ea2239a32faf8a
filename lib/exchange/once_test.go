package exchange_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	gosync "sync"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/exchange"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// When it has this in its environment, the test binary is one resume: root, operator, id, token and how, by spaces.
const resumeVariable = "REPLICA_TEST_RESUME"

const token = "token-of-the-work"

func resumeOrder(order string) int {
	f := strings.Fields(order)
	err := resume(f[0], f[1], f[2], f[3])
	switch {
	case err == nil:
		fmt.Println("won")
	case errors.As(err, new(*handoff.ConsumedError)), errors.As(err, new(*handoff.TakenError)):
		fmt.Println("lost: " + err.Error())
	default:
		fmt.Println(err)
		return 1
	}
	return 0
}

func remote(root string) exchange.Options {
	return exchange.Options{Root: root, Remote: "origin", Namespace: namespace, Environ: os.Environ(), Wait: time.Hour}
}

// resume consumes the token of a handoff; how is once, offline, forced (by who does not ask), killed (after the claim), or an act
// in its place. Each change changes the options of the store.
func resume(root, operator, id, how string, changes ...func(*handoff.Options)) error {
	o := options(root)
	for _, change := range changes {
		change(&o)
	}
	once := exchange.Once(remote(root))
	switch o.Once = once; how {
	case "offline", "offline-take", "offline-release", "offline-done", "offline-reopen":
		o.Offline = true
	case "forced":
		o.Once = func(_ context.Context, _ *handoff.Store, want []handoff.Consumption, do func([]handoff.Consumption) error) error {
			if len(want) == 0 {
				return nil
			}
			return do(want)
		}
	case "killed":
		o.Once = func(ctx context.Context, s *handoff.Store, want []handoff.Consumption, _ func([]handoff.Consumption) error) error {
			return once(ctx, s, want, func([]handoff.Consumption) error {
				fmt.Println("killed")
				os.Exit(0)
				return nil
			})
		}
	}
	if act, is := strings.CutPrefix(how, "killed-"); is {
		how = act
		o.Once = func(ctx context.Context, s *handoff.Store, want []handoff.Consumption, _ func([]handoff.Consumption) error) error {
			return once(ctx, s, want, func([]handoff.Consumption) error { return errKilled })
		}
	}
	s, err := handoff.Open(o)
	if err != nil {
		return err
	}
	if act := handoff.Act(strings.TrimPrefix(how, "offline-")); slices.Contains([]handoff.Act{handoff.ActTake, handoff.ActRelease, handoff.ActDone, handoff.ActReopen}, act) {
		_, err = s.Act(context.Background(), act, id, handoff.Consumption{Operator: operator})
		return err
	}
	_, err = s.Records().Resume(context.Background(), handoff.Consumption{HandoffID: id, Operator: operator, Token: token})
	return err
}

// errKilled is the error of an action whose replica was killed between its claim and its own record.
var errKilled = errors.New("killed")

func startResume(t testing.TB, root, operator, id, how string) (wait func() string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.Env = append(os.Environ(), resumeVariable+"="+strings.Join([]string{root, operator, id, how}, " "))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return func() string {
		_ = cmd.Wait()
		return strings.TrimSpace(out.String())
	}
}

// shared makes clones that all have one handoff, and have synced.
func shared(t testing.TB, n int) (hub string, roots []string, id string) {
	t.Helper()
	hub, roots = clones(t, n)
	id = write(t, roots[0], "work")
	for _, root := range roots {
		mustSync(t, root)
	}
	return hub, roots, id
}

// consumed returns who has consumed what, in the ledger of a clone.
func consumed(t testing.TB, root string) (lines []string) {
	t.Helper()
	all, err := mustOpen(t, root).Exchange().Consumptions()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		if c.Token == token || c.Token == c.HandoffID { // who resumes has taken it, which has a line too
			lines = append(lines, c.Operator+" "+c.Time+" "+c.Token)
		}
	}
	return lines
}

// mustAgree syncs until nothing is new, and fails unless all clones have the same one line and verify.
func mustAgree(t testing.TB, roots []string) string {
	t.Helper()
	for range 2 {
		for _, root := range roots {
			mustSync(t, root)
		}
	}
	first := consumed(t, roots[0])
	if len(first) != 1 {
		t.Fatalf("the ledger has %q", first)
	}
	for _, root := range roots {
		if lines := consumed(t, root); len(lines) != 1 || lines[0] != first[0] {
			t.Errorf("%s has %q, and not %q", root, lines, first)
		}
		if report, err := mustOpen(t, root).Verify(context.Background()); err != nil || len(report.Faults) > 0 {
			t.Error(root, err, report.Faults)
		}
	}
	return first[0]
}

// racers is how many processes race.
func racers() int { return map[bool]int{false: 5, true: 20}[isThorough()] }

// race has some resume at once and returns who has won, and what the others heard.
func race(t testing.TB, many int, roots []string, id, how string) (winners, told []string) {
	t.Helper()
	var waits []func() string
	for n := range many {
		waits = append(waits, startResume(t, roots[n%len(roots)], fmt.Sprintf("op%d", n), id, how))
	}
	for n, wait := range waits {
		switch out := wait(); {
		case out == "won":
			winners = append(winners, fmt.Sprintf("op%d", n))
		case strings.HasPrefix(out, "lost: "):
			told = append(told, out)
		default:
			t.Errorf("op%d: %s", n, out)
		}
	}
	return winners, told
}

// Of many in several clones who resume at once, one wins, and all hear of that one.
func TestOneWinsEverywhere(t *testing.T) {
	t.Parallel()
	_, roots, id := shared(t, 4)
	winners, told := race(t, racers(), roots, id, "once")
	if len(winners) != 1 {
		t.Fatalf("the winners are %v", winners)
	}
	for _, out := range told {
		if !strings.Contains(out, winners[0]+" resumed ") {
			t.Errorf("%s has won, and another one hears: %s", winners[0], out)
		}
	}
	if line := mustAgree(t, roots); !strings.HasPrefix(line, winners[0]+" ") {
		t.Errorf("%s has won, the ledgers say %s", winners[0], line)
	}
}

// What is taken has one winner in all clones, also when it was given back in another clone that nobody has heard of since; what
// is done has none.
func TestTakeReleaseDone(t *testing.T) {
	t.Parallel()
	_, roots, id := shared(t, 4)
	for n := range 3 {
		winners, told := race(t, racers(), roots, id, "take")
		if len(winners) != 1 || len(told) != racers()-1 {
			t.Fatalf("take %d: the winners are %v, %v", n, winners, told)
		}
		var k int
		fmt.Sscanf(winners[0], "op%d", &k)
		root, how := roots[k%len(roots)], "release"
		if n == 2 {
			how = "done"
		}
		if err := resume(roots[(k+1)%len(roots)], "eve", id, how); !errors.As(err, new(*handoff.TakenError)) {
			t.Errorf("eve can %s it: %v", how, err)
		}
		if err := resume(root, winners[0], id, how); err != nil {
			t.Fatal(err)
		}
	}
	if winners, _ := race(t, racers(), roots, id, "take"); len(winners) != 0 {
		t.Errorf("it is done, and taken by %v", winners)
	}
	for range 2 {
		for _, root := range roots {
			mustSync(t, root)
		}
	}
	want, err := mustOpen(t, roots[0]).Lifecycle().Taking(id)
	if err != nil || !want[id].Done.IsDone() || want[id].Take.N != 2 {
		t.Errorf("%+v %v", want, err)
	}
	for _, root := range roots {
		if life, err := mustOpen(t, root).Lifecycle().Taking(id); err != nil || life[id].Take != want[id].Take || life[id].Done != want[id].Done {
			t.Errorf("%s: %+v %v", root, life, err)
		}
		if report, err := mustOpen(t, root).Verify(context.Background()); err != nil || len(report.Faults) > 0 {
			t.Error(root, err, report.Faults)
		}
	}
}

// Of who takes and who resumes at once, in two clones, one wins, and of who takes and who ends it.
func TestActsExcludeEachOther(t *testing.T) {
	t.Parallel()
	for _, other := range []string{"once", "done"} {
		_, roots, id := shared(t, 2)
		var won int
		waits := []func() string{startResume(t, roots[0], "ann", id, "take"), startResume(t, roots[1], "ben", id, other)}
		for _, wait := range waits {
			if out := wait(); out == "won" {
				won++
			} else if !strings.HasPrefix(out, "lost: ") {
				t.Error(out)
			}
		}
		if won != 1 {
			t.Errorf("%d have won, with %s", won, other)
		}
	}
}

// Whoever is killed, and whenever, one has it in the end, and nobody who was told so has lost it.
func TestTakesAreKilled(t *testing.T) {
	t.Parallel()
	simulation(t, false)
	_, roots, _ := shared(t, 2)
	r := rand.New(rand.NewPCG(2, uint64(os.Getpid())))
	killed := 0
	const rounds = 5
	for round := range rounds {
		id := write(t, roots[0], fmt.Sprintf("work-%d", round))
		begin := time.Now()
		for _, root := range roots {
			syncPatiently(t, root)
		}
		long := 2 * time.Since(begin) // on a busy machine a take is not over either
		outs := make([]string, 4)
		var all gosync.WaitGroup
		for n := range outs {
			wait := time.Duration(r.Int64N(int64(long)))
			all.Go(func() { outs[n] = killedResume(t, roots[n%2], fmt.Sprintf("op%d", n), id, "take", wait) })
		}
		all.Wait()
		var has []string
		for n, out := range outs {
			operator := fmt.Sprintf("op%d", n)
			if out == "" {
				killed++
			}
			err := resume(roots[n%2], operator, id, "take")
			if err == nil {
				has = append(has, operator)
			} else if !errors.As(err, new(*handoff.TakenError)) {
				t.Errorf("%s: %v", operator, err)
			}
			if out == "won" && err != nil {
				t.Errorf("%s had it, and then: %v", operator, err)
			}
		}
		if len(has) != 1 {
			t.Errorf("round %d: %v have it", round, has)
		}
	}
	for range 2 {
		for _, root := range roots {
			syncPatiently(t, root)
		}
	}
	for _, root := range roots {
		if report, err := mustOpen(t, root).Verify(context.Background()); err != nil || len(report.Faults) > 0 {
			t.Error(root, err, report.Faults)
		}
	}
	t.Logf("%d of %d killed", killed, 4*rounds)
}

func killedResume(t *testing.T, root, operator, id, how string, after time.Duration) string {
	cmd := exec.Command(os.Args[0])
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.Env = append(os.Environ(), resumeVariable+"="+strings.Join([]string{root, operator, id, how}, " "))
	if err := cmd.Start(); err != nil {
		t.Error(err)
		return ""
	}
	timer := time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	_ = cmd.Wait()
	return strings.TrimSpace(out.String())
}

// What two clones do offline has a winner once both have synced, and both know whose it is.
func TestOfflineConflict(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"offline-take", "offline"} {
		_, roots, id := shared(t, 3)
		for n, operator := range []string{"ann", "ben"} {
			if err := resume(roots[n], operator, id, how); err != nil {
				t.Fatal(err)
			}
		}
		mustSync(t, roots[1])
		if got := mustSync(t, roots[0]); len(got.Lost) != 1 || got.Lost[0].Here.Operator != "ann" || got.Lost[0].First.Operator != "ben" {
			t.Errorf("%+v", got)
		}
		mustSync(t, roots[2])
		mustSync(t, roots[1])
		for _, root := range roots {
			if life, err := mustOpen(t, root).Lifecycle().Taking(id); err != nil || life[id].Take.Holds().Operator != "ben" {
				t.Errorf("%s: %s: %+v %v", how, root, life, err)
			}
			if report, err := mustOpen(t, root).Verify(context.Background()); err != nil || len(report.Faults) > 0 {
				t.Error(root, err, report.Faults)
			}
		}
		if err := resume(roots[0], "cleo", id, "release"); !errors.As(err, new(*handoff.TakenError)) {
			t.Errorf("who has lost it gives it back: %v", err)
		}
	}
}

// Where nobody asks, each clone has a winner, and each but one of them hears of it from sync, once.
func TestForcedClaimsAreFound(t *testing.T) {
	t.Parallel()
	_, roots, id := shared(t, 3)
	if winners, _ := race(t, racers(), roots, id, "forced"); len(winners) != len(roots) {
		t.Fatalf("the winners are %v", winners)
	}
	first := consumed(t, roots[0])[0]
	for range 2 {
		for n, root := range roots {
			got := mustSync(t, root)
			if n == 0 && len(got.Lost) > 0 {
				t.Errorf("who has sent the claim has lost: %+v", got)
			}
			if n > 0 && (len(got.Lost) != 1 || !strings.HasPrefix(first, got.Lost[0].First.Operator+" ") || got.Lost[0].Here.Operator == got.Lost[0].First.Operator) {
				t.Errorf("%s: %+v", root, got)
			}
		}
		roots = roots[:1]
	}
}

// A claim that is moved counts for nobody who knows it; one that is removed is put back.
func TestMovedClaim(t *testing.T) {
	t.Parallel()
	hub, roots, id := shared(t, 3)
	if err := resume(roots[0], "ann", id, "once"); err != nil {
		t.Fatal(err)
	}
	mustSync(t, roots[0])
	mustSync(t, roots[1])
	ref := fmt.Sprintf("refs/handoff/claims/%x", sha256.Sum256([]byte(token)))
	claim := git(t, hub, "rev-parse", ref)
	git(t, hub, "update-ref", "-d", ref)
	mustSync(t, roots[1])
	git(t, hub, "rev-parse", ref)
	mustSync(t, roots[0])
	text := git(t, hub, "show", claim+":claim.json")
	forged := strings.Replace(text, `"operator_id":"ann"`, `"operator_id":"eve"`, 1)
	setFile(t, hub, ref, forged)
	for _, root := range roots[:2] {
		if got, err := sync(root); !errors.Is(err, handoff.ErrIntegrity) || len(got.Refused) != 1 || got.Refused[0].Claim != filepath.Base(ref) {
			t.Errorf("%s: %v %+v", root, err, got)
		}
		if lines := consumed(t, root); len(lines) != 1 || !strings.HasPrefix(lines[0], "ann ") {
			t.Error(lines)
		}
	}
}

// setFile puts a claim with a text into a repository by force.
func setFile(t testing.TB, hub, ref, text string) {
	t.Helper()
	dir := t.TempDir()
	git(t, dir, "init", "-q")
	if err := os.WriteFile(filepath.Join(dir, "claim.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	git(t, dir, "add", ".")
	git(t, dir, "commit", "-q", "-m", "x")
	git(t, dir, "push", "-q", "--force", hub, "HEAD:"+ref)
}

// Who is killed between the claim and the ledger has the claim: the same operator gets it again, nobody else does, and what
// they do completes it.
func TestKilledAfterTheClaim(t *testing.T) {
	t.Parallel()
	killed := func(t *testing.T) (roots []string, id string) {
		_, roots, id = shared(t, 2)
		if out := startResume(t, roots[0], "ann", id, "killed")(); out != "killed" {
			t.Fatal(out)
		}
		if lines := consumed(t, roots[0]); len(lines) != 0 {
			t.Fatal(lines)
		}
		return roots, id
	}
	t.Run("again", func(t *testing.T) {
		roots, id := killed(t)
		if err := resume(roots[0], "ann", id, "once"); err != nil {
			t.Error(err)
		}
		if line := mustAgree(t, roots); !strings.HasPrefix(line, "ann ") {
			t.Error(line)
		}
	})
	t.Run("sync", func(t *testing.T) {
		roots, _ := killed(t)
		if line := mustAgree(t, roots); !strings.HasPrefix(line, "ann ") {
			t.Error(line)
		}
	})
	for n := range 2 {
		t.Run(fmt.Sprintf("other%d", n), func(t *testing.T) {
			roots, id := killed(t)
			before := (*handoff.ConsumedError)(nil)
			if err := resume(roots[n], "ben", id, "once"); !errors.As(err, &before) || before.By.Operator != "ann" {
				t.Error(err)
			}
			if err := resume(roots[n], "ann", id, "once"); !errors.As(err, &before) || before.By.Operator != "ann" {
				t.Error(err)
			}
			mustAgree(t, roots)
		})
	}
}

// What is in the place of a claim and is none is refused by all, and nothing is consumed.
func TestHostileClaims(t *testing.T) {
	t.Parallel()
	const good = `{"claim":{"handoff_id":"ID","operator_id":"eve","token":"TOKEN","ts_utc":"2026-05-08T12:00:00Z"},"format":"handoff-claim/1","nonce":"00000000000000000000000000000000","writer":"w-0000000000000000"}`
	for name, change := range some(map[string][2]string{
		"no JSON":         {good, "x"},
		"empty":           {good, " "},
		"large":           {good, good + strings.Repeat(" ", 1<<20)},
		"another token":   {"TOKEN", "another-token"},
		"another format":  {"claim/1", "claim/2"},
		"no writer":       {"w-0", "x-0"},
		"an operator":     {"eve", "eve; run this"},
		"a time":          {"2026-05-08T12:00:00Z", "yesterday"},
		"no handoff":      {"ID", "sha256:x"},
		"a credential":    {`"token"`, `"reason":"AKIAIOSFODNN7REALKEY","token"`},
		"another handoff": {"ID", "sha256:" + strings.Repeat("0", 64)},
		"unknown writer":  {"x", "x"},
	}, 4) {
		t.Run(name, func(t *testing.T) {
			hub, roots, id := shared(t, 1)
			sum := sha256.Sum256([]byte(token))
			ref := fmt.Sprintf("refs/handoff/claims/%x", sum)
			setFile(t, hub, ref, strings.NewReplacer("ID", id, "TOKEN", token).Replace(strings.ReplaceAll(good, change[0], change[1])))
			err := resume(roots[0], "ann", id, "once")
			switch name {
			case "unknown writer": // whoever the remote lets in may be the first
				before := (*handoff.ConsumedError)(nil)
				if !errors.As(err, &before) || before.By.Operator != "eve" {
					t.Error(err)
				}
				mustAgree(t, roots)
				return
			case "another handoff":
				lost := (*handoff.LostError)(nil)
				if !errors.As(err, &lost) || lost.By.Operator != "eve" {
					t.Error(err)
				}
				mustSync(t, roots[0])
			default:
				if !errors.Is(err, handoff.ErrIntegrity) {
					t.Error(err)
				}
				if got, err := sync(roots[0]); !errors.Is(err, handoff.ErrIntegrity) || len(got.Refused) != 1 {
					t.Errorf("%v %+v", err, got)
				}
			}
			if lines := consumed(t, roots[0]); len(lines) != 0 {
				t.Error(lines)
			}
		})
	}
}

// Without the remote nothing is consumed, but offline, which is recorded and claimed by the next sync.
func TestResumeWithoutTheRemote(t *testing.T) {
	t.Parallel()
	hub, roots, id := shared(t, 2)
	away := hub + ".away"
	if err := os.Rename(hub, away); err != nil {
		t.Fatal(err)
	}
	err := resume(roots[0], "ann", id, "once")
	if hint := (interface{ Hint() string })(nil); err == nil || !errors.As(err, &hint) || !strings.Contains(hint.Hint(), "--offline") {
		t.Error(err)
	}
	if lines := consumed(t, roots[0]); len(lines) != 0 {
		t.Fatal(lines)
	}
	if err := resume(roots[0], "ann", id, "offline"); err != nil {
		t.Fatal(err)
	}
	log, err := os.ReadFile(filepath.Join(roots[0], ".run", "handoff-events.jsonl"))
	if err != nil || strings.Count(string(log), `"offline":true`) == 0 {
		t.Error("the log does not say so", err)
	}
	if err := os.Rename(away, hub); err != nil {
		t.Fatal(err)
	}
	mustSync(t, roots[0])
	before := (*handoff.ConsumedError)(nil)
	if err := resume(roots[1], "ben", id, "once"); !errors.As(err, &before) || before.By.Operator != "ann" {
		t.Error(err)
	}
	mustAgree(t, roots)
}

// A remote that refuses claims, for all or once, is no winner.
func TestRejectedClaims(t *testing.T) {
	t.Parallel()
	hub, roots, id := shared(t, 1)
	git(t, roots[0], "remote", "set-url", "origin", smartHTTP(t, filepath.Dir(hub), "REMOTE_USER=ann")+"/hub.git")
	if err := os.Remove(outside(t, roots[0], "remote.json")); err != nil {
		t.Fatal(err)
	}
	hook := filepath.Join(hub, "hooks", "update")
	script := "#!/bin/sh\ncase $1 in *claims*) test -e " + hub + "/open || { touch " + hub + "/ONCE; exit 1; };; esac\n"
	if err := os.MkdirAll(filepath.Dir(hook), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(hook, []byte(strings.ReplaceAll(script, "ONCE", "closed")), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := resume(roots[0], "ann", id, "once"); !errors.Is(err, handoff.ErrConfig) {
		t.Error(err)
	}
	if lines := consumed(t, roots[0]); len(lines) != 0 {
		t.Fatal(lines)
	}
	if err := os.WriteFile(hook, []byte(strings.ReplaceAll(script, "ONCE", "open")), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := resume(roots[0], "ann", id, "once"); err != nil {
		t.Error(err)
	}
}

// A remote that lets refs in one by one only might let in half of what is wanted: it is not asked, and
// who wants it is told what to do.
func TestRemoteWithoutAtomic(t *testing.T) {
	t.Parallel()
	hub, roots, id := shared(t, 2)
	git(t, hub, "config", "receive.advertiseAtomic", "false")
	err := resume(roots[0], "ann", id, "once")
	hint := (interface{ Hint() string })(nil)
	if !errors.Is(err, handoff.ErrConfig) || !errors.As(err, &hint) || !strings.Contains(hint.Hint(), "receive.advertiseAtomic") || !strings.Contains(hint.Hint(), "--offline") {
		t.Errorf("%v, %v", err, hint)
	}
	if lines, claims := consumed(t, roots[0]), git(t, hub, "for-each-ref", namespace+"/claims"); len(lines) != 0 || claims != "" {
		t.Error(lines, claims)
	}
	if err := resume(roots[1], "ben", id, "take"); err != nil { // this is one
		t.Error(err)
	}
	git(t, hub, "config", "receive.advertiseAtomic", "true")
	if err := resume(roots[1], "ben", id, "once"); err != nil {
		t.Error(err)
	}
	mustAgree(t, roots)
}

// Without a way to ask nothing is consumed in a store that has synced, and is where it never has.
func TestNobodyAsks(t *testing.T) {
	t.Parallel()
	_, roots := clones(t, 1)
	root := roots[0]
	for n, want := range []bool{true, false} {
		id := write(t, root, fmt.Sprintf("work%d", n))
		_, err := mustOpen(t, root).Records().Resume(context.Background(), handoff.Consumption{HandoffID: id, Operator: "ben"})
		if (err == nil) != want {
			t.Error(n, err)
		}
		mustSync(t, root)
	}
	if lines := consumed(t, root); len(lines) != 1 {
		t.Error(lines)
	}
}

// Two processes of one operator that take at once: the second finds what the first has taken.
func TestTakenMeanwhileHere(t *testing.T) {
	t.Parallel()
	for _, session := range []string{"", "another"} {
		for _, next := range []bool{false, true} {
			_, roots, id := shared(t, 2)
			o := options(roots[0])
			first := gosync.OnceValue(func() error { return resume(roots[0], "ben", id, "take") })
			o.Once = func(ctx context.Context, s *handoff.Store, want []handoff.Consumption,
				do func([]handoff.Consumption) error) error {
				return errors.Join(first(), exchange.Once(remote(roots[0]))(ctx, s, want, do))
			}
			s, err := handoff.Open(o)
			if err != nil {
				t.Fatal(err)
			}
			who, got, found := handoff.Consumption{Operator: "ben", Session: session}, handoff.ActReceipt{}, true
			if next {
				got, found, err = s.Lifecycle().TakeNext(t.Context(), handoff.Filter{To: "ben"}, who)
			} else {
				got, err = s.Act(t.Context(), handoff.ActTake, id, who)
			}
			taken := (*handoff.TakenError)(nil)
			switch {
			case session == "":
				if err != nil || !found || got.Status != "existing" || got.ID != id {
					t.Errorf("next %v: %v %+v", next, err, got)
				}
			case next:
				if err != nil || found {
					t.Errorf("%v %+v", err, got)
				}
			case !errors.As(err, &taken) || taken.By.Operator != "ben":
				t.Error(err)
			}
			if got, err := sync(roots[0]); err != nil || len(got.Refused) > 0 {
				t.Errorf("%v %+v", err, got)
			}
		}
	}
}
