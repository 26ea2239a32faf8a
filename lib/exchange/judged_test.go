package exchange_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/exchange"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
)

// listed writes an operators file that lists some, each with capabilities.
func listed(t testing.TB, root string, operators ...string) {
	t.Helper()
	text := "---\nschema_version: '1.0'\noperators:\n"
	for _, line := range operators {
		name, capabilities, _ := strings.Cut(line, " ")
		text += fmt.Sprintf("  - {id: %s, capabilities: [%s], active_since: '2020-01-01'}\n", name, capabilities)
	}
	if err := os.WriteFile(filepath.Join(root, "OPERATORS.md"), []byte(text+"---\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}

func judged(root string) handoff.Options {
	o := options(root)
	o.OperatorsFile = filepath.Join(root, "OPERATORS.md")
	return o
}

func openJudged(t testing.TB, root string) *handoff.Store {
	t.Helper()
	s, err := handoff.Open(judged(root))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func syncJudged(root string, change func(*exchange.Options)) (exchange.Result, error) {
	s, err := handoff.Open(judged(root))
	if err != nil {
		return exchange.Result{}, err
	}
	o := remote(root)
	if change != nil {
		change(&o)
	}
	return exchange.Sync(context.Background(), s, o)
}

func mustSyncJudged(t testing.TB, root string) exchange.Result {
	t.Helper()
	got, err := syncJudged(root, nil)
	if err != nil {
		t.Fatal(root, err)
	}
	return got
}

func mustAct(t testing.TB, s *handoff.Store, act handoff.Act, id, operator string) {
	t.Helper()
	if _, err := s.Act(context.Background(), act, id, handoff.Consumption{Operator: operator}); err != nil {
		t.Fatal(act, operator, err)
	}
}

// stateOf returns the state of a handoff, "" if it is not here.
func stateOf(t testing.TB, s *handoff.Store, id string) string {
	t.Helper()
	entries, err := s.List(handoff.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	states, _ := s.Lifecycle().States(entries)
	for i, e := range entries {
		if e.ID == id {
			return string(states[i])
		}
	}
	return ""
}

// pruneAll prunes what is archived in a clone.
func pruneAll(t testing.TB, s *handoff.Store, operator, id string) {
	t.Helper()
	e, err := s.Find(id)
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Read(id)
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{id: fmt.Sprintf("%x", sha256.Sum256(got.Text))}
	outcomes, err := s.Prune(context.Background(), operator, []handoff.Entry{e}, texts, "x.jsonl")
	if err != nil || outcomes[0] != nil {
		t.Fatal(outcomes, err)
	}
}

// What others say counts as far as the rules of this clone let them do it. A writer with an operators file of
// its own marks as read, archives and prunes in vain, and ends what it has not taken in vain.
func TestOthersAreJudged(t *testing.T) {
	t.Parallel()
	_, roots, id := shared(t, 2)
	listed(t, roots[0], "ann", "ben")
	listed(t, roots[1], "ann", "ben", "mal archive")
	mal := openJudged(t, roots[1])
	if _, err := mal.MarkRead(context.Background(), "mal", id); err != nil {
		t.Fatal(err)
	}
	if _, err := mal.MarkRead(context.Background(), "ben", id); err != nil {
		t.Fatal(err)
	}
	mustAct(t, mal, handoff.ActArchive, id, "mal")
	pruneAll(t, mal, "mal", id)
	mustSyncJudged(t, roots[1])
	for range 2 {
		mustSyncJudged(t, roots[0])
	}
	ann := openJudged(t, roots[0])
	if state := stateOf(t, ann, id); state != "read" { // ben is known, and anybody may say that he has read it
		t.Errorf("it is %q", state)
	}
	if marks := marksOf(t, roots[0]); len(marks[id]) != 1 || marks[id]["ben"] == "" {
		t.Errorf("the marks are %v", marks)
	}
	listed(t, roots[0], "ann", "ben", "mal archive") // and counts later, once it may
	mustSyncJudged(t, roots[0])
	if state := stateOf(t, ann, id); state != "archived" {
		t.Errorf("it is %q", state)
	}
}

// Who has not taken a handoff does not end it, though the remote has let the claim in.
func TestDoneByAnother(t *testing.T) {
	t.Parallel()
	for _, act := range []handoff.Act{handoff.ActDone, handoff.ActRelease} {
		_, roots, id := shared(t, 3)
		if err := resume(roots[0], "ben", id, "take"); err != nil {
			t.Fatal(err)
		}
		o := options(roots[1])
		type lines = []handoff.Consumption
		o.Once = func(ctx context.Context, s *handoff.Store, _ lines, do func(lines) error) error {
			forged := handoff.Consumption{Token: act.Key(id, 0), HandoffID: id, Operator: "mal", Time: "2026-05-08T12:00:00Z"}
			return exchange.Once(remote(roots[1]))(ctx, s, lines{forged}, do)
		}
		s, err := handoff.Open(o)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = s.Act(context.Background(), handoff.ActTake, id, handoff.Consumption{Operator: "mal"})
		for _, root := range []string{roots[0], roots[2], roots[0]} {
			mustSync(t, root)
			if state := stateOf(t, mustOpen(t, root), id); state != "taken" {
				t.Errorf("%s by mal: in %s it is %q", act, filepath.Base(root), state)
			}
		}
		if err := resume(roots[0], "ben", id, "done"); err != nil {
			t.Errorf("%s by mal stands in the way: %v", act, err)
		}
		for _, root := range []string{roots[0], roots[2]} {
			mustSync(t, root)
			if state := stateOf(t, mustOpen(t, root), id); state != "done" {
				t.Errorf("%s by mal, and done: in %s it is %q", act, filepath.Base(root), state)
			}
		}
	}
}

// claimCommit returns the commit of a claim for fastImport.
func claimCommit(name, text string) string {
	return fmt.Sprintf("commit refs/handoff/claims/%s\ncommitter x <x@x> 1 +0000\ndata 1\nx\n"+
		"M 100644 inline claim.json\ndata %d\n%s\n", name, len(text), text)
}

func fastImport(t testing.TB, hub, commits string) {
	t.Helper()
	cmd := exec.Command("git", "fast-import", "--quiet", "--done", "--date-format=raw")
	cmd.Dir, cmd.Stdin = hub, strings.NewReader(commits+"done\n")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatal(err, string(out))
	}
}

// A stranger names this replica as the writer of a claim. The replica has not asked for it, so it records the claim as
// that of another one: its own log does not say that it released the handoff. As after each release, ben has not read
// it, so that it does not wait for nobody.
func TestForgedOwnClaim(t *testing.T) {
	t.Parallel()
	hub, roots, id := shared(t, 2)
	if err := resume(roots[0], "ben", id, "take"); err != nil {
		t.Fatal(err)
	}
	mustSync(t, roots[0])
	writer, err := mustOpen(t, roots[0]).Exchange().Writer()
	if err != nil {
		t.Fatal(err)
	}
	key := id + "#release.0"
	claim := eventlog.NewClaim(handoff.Consumption{Token: key, HandoffID: id, Operator: "ben",
		Time: time.Now().UTC().Format(time.RFC3339)}, writer)
	text, err := claim.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	fastImport(t, hub, claimCommit(eventlog.ClaimName(key), string(text)))
	for range 2 {
		for _, root := range roots {
			mustSync(t, root)
		}
	}
	for _, root := range roots {
		if mark := marksOf(t, root)[id]["ben"]; mark != "" {
			t.Errorf("%s: ben has read it at %s", root, mark)
		}
		if life := mustOpen(t, root).Lifecycle().Of(id); life.Take.Holds().IsDone() {
			t.Errorf("%s: the claim does not count: %+v", root, life)
		}
	}
	log, err := os.ReadFile(filepath.Join(roots[0], ".run", "handoff-events.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(log)) {
		if strings.Contains(line, `"handoff.release"`) && !strings.Contains(line, `"synced":true`) {
			t.Errorf("its own: %s", line)
		}
	}
}

// An operator whose clone believes that they have a handoff hears that somebody else took it since they gave
// it back in another clone.
func TestStaleHolderAsks(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"take", "once"} {
		_, roots, id := shared(t, 3)
		if err := resume(roots[1], "ben", id, "take"); err != nil {
			t.Fatal(err)
		}
		mustSync(t, roots[0])
		if err := resume(roots[0], "ben", id, "release"); err != nil {
			t.Fatal(err)
		}
		if err := resume(roots[2], "carl", id, "take"); err != nil {
			t.Fatal(err)
		}
		taken := (*handoff.TakenError)(nil)
		if err := resume(roots[1], "ben", id, how); !errors.As(err, &taken) || taken.By.Operator != "carl" {
			t.Errorf("%s: %v", how, err)
		}
	}
}

// What was ended in one clone is not given back in another, and the other way round.
func TestReleaseOrDone(t *testing.T) {
	t.Parallel()
	for _, first := range []string{"done", "release"} {
		_, roots, id := shared(t, 2)
		if err := resume(roots[0], "ben", id, "take"); err != nil {
			t.Fatal(err)
		}
		mustSync(t, roots[1])
		if err := resume(roots[1], "ben", id, first); err != nil {
			t.Fatal(err)
		}
		if first == "done" {
			taken := (*handoff.TakenError)(nil)
			if err := resume(roots[0], "ben", id, "release"); !errors.As(err, &taken) || taken.Ended == "" {
				t.Error(err)
			}
		} else if err := resume(roots[0], "ben", id, "done"); err != nil { // it was free
			t.Error(err)
		}
		for range 2 {
			for _, root := range roots {
				mustSync(t, root)
			}
		}
		for _, root := range roots {
			if life := mustOpen(t, root).Lifecycle().Of(id); life.Done.Operator != "ben" {
				t.Errorf("%s first: %s: %+v", first, root, life)
			}
		}
	}
}

// Offline one clone ends what another gives back: the claim that stands decides, and both agree.
func TestReleaseOrDoneOffline(t *testing.T) {
	t.Parallel()
	for _, hows := range [][2]string{{"offline-done", "offline-release"}, {"offline-release", "offline-done"}} {
		_, roots, id := shared(t, 3)
		if err := resume(roots[0], "ben", id, "take"); err != nil {
			t.Fatal(err)
		}
		mustSync(t, roots[1])
		for n, how := range hows {
			if err := resume(roots[n], "ben", id, how); err != nil {
				t.Fatal(err)
			}
		}
		mustSync(t, roots[0])
		if got := mustSync(t, roots[1]); len(got.Lost) != 1 {
			t.Errorf("%v: %+v", hows, got)
		}
		mustSync(t, roots[2])
		mustSync(t, roots[0])
		for _, root := range roots {
			life := mustOpen(t, root).Lifecycle().Of(id)
			if life.Done.IsDone() != (hows[0] == "offline-done") {
				t.Errorf("%v: %s: %+v", hows, root, life)
			}
		}
	}
}

// A copied state that becomes a writer of its own takes along what it had acknowledged and nobody had heard.
func TestCopyKeepsWhatItAcknowledged(t *testing.T) {
	t.Parallel()
	_, roots, id := shared(t, 2)
	other, done := write(t, roots[0], "other"), write(t, roots[0], "done")
	mustSync(t, roots[0])
	s := mustOpen(t, roots[0])
	mustAct(t, s, handoff.ActArchive, id, "ann")
	if _, err := s.MarkRead(context.Background(), "cat", other); err != nil {
		t.Fatal(err)
	}
	for _, how := range []string{"offline-take", "offline-done"} {
		if err := resume(roots[0], "ben", done, how); err != nil {
			t.Fatal(err)
		}
	}
	// A backup is put back where the first was.
	copied := roots[0] + "-copy"
	if out, err := exec.Command("cp", "-a", roots[0], copied).CombinedOutput(); err != nil {
		t.Fatal(err, string(out))
	}
	if err := errors.Join(os.RemoveAll(roots[0]), os.Rename(copied, roots[0])); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Maintenance().Regenerate(context.Background(), "ann", "copied"); err != nil {
		t.Fatal(err)
	}
	good := func(root string) {
		s := mustOpen(t, root)
		if stateOf(t, s, id) != "archived" || stateOf(t, s, done) != "done" || marksOf(t, root)[other]["cat"] == "" {
			t.Errorf("%s: %q %q %v", root, stateOf(t, s, id), stateOf(t, s, done), marksOf(t, root)[other])
		}
		if entries, err := s.List(handoff.Filter{}); err != nil || len(entries) != 3 {
			t.Error(root, len(entries), err)
		}
	}
	mustSync(t, roots[0])
	mustSync(t, roots[1])
	good(roots[1])
	mustSync(t, roots[0])
	good(roots[0])
}

// A remote that was put back to a backup lets a second one in. What stands there counts, the other hears it,
// and both go on.
func TestRestoredRemote(t *testing.T) {
	t.Parallel()
	hub, roots, id := shared(t, 3)
	backup := hub + ".backup"
	if out, err := exec.Command("cp", "-a", hub, backup).CombinedOutput(); err != nil {
		t.Fatal(err, string(out))
	}
	if err := resume(roots[0], "ann", id, "take"); err != nil {
		t.Fatal(err)
	}
	gone := write(t, roots[2], "of-a-clone-that-is-gone")
	mustSync(t, roots[2])
	mustSync(t, roots[0])
	if err := errors.Join(os.RemoveAll(hub), os.Rename(backup, hub)); err != nil {
		t.Fatal(err)
	}
	if err := resume(roots[1], "ben", id, "take"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := sync(roots[0]); !errors.Is(err, handoff.ErrIntegrity) || !strings.Contains(err.Error(), "was moved") {
			t.Error(err)
		}
	}
	got, err := syncJudged(roots[0], func(o *exchange.Options) { o.Restore = true })
	if err != nil || len(got.Lost) != 1 || got.Lost[0].First.Operator != "ben" {
		t.Errorf("%+v %v", got, err)
	}
	mustSync(t, roots[1])
	mustSync(t, roots[0])
	for _, root := range roots[:2] {
		s := mustOpen(t, root)
		if life := s.Lifecycle().Of(id); life.Take.Holds().Operator != "ben" {
			t.Errorf("%s: %+v", root, life)
		}
		if _, err := s.Find(gone); err != nil {
			t.Error(root, err)
		}
	}
}
