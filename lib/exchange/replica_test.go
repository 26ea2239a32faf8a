package exchange_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-78daf238/handoff/lib/exchange"
	"github.com/seed-78daf238/handoff/lib/handoff"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/schema"
	"github.com/seed-78daf238/handoff/testdata/memory"
)

// When it has these in its environment, the test binary is one sync, to be killed.
const rootVariable = "REPLICA_TEST_ROOT"

func TestMain(m *testing.M) {
	exchange.SetAnswerLimit(time.Hour) // a busy machine is no silent remote
	if order := os.Getenv(resumeVariable); order != "" {
		os.Exit(resumeOrder(order))
	}
	if root := os.Getenv(rootVariable); root != "" {
		if _, err := sync(root); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	end := memory.Begin()
	code := inHome(m)
	end()
	os.Exit(code)
}

// inHome runs the tests in a home of their own, which git and the tests share.
func inHome(m *testing.M) int {
	home, err := os.MkdirTemp("", "handoff-exchange-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(home)
	os.Setenv("HOME", home)
	os.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	return m.Run()
}

// isThorough reports whether the simulations go on for long, and all cases of a table are tried.
func isThorough() bool { return os.Getenv("HANDOFF_FAULTS") == "all" }

// simulation skips a test that tells random stories, unless they are wanted.
func simulation(t *testing.T, wanted bool) {
	t.Helper()
	if !wanted && os.Getenv("HANDOFF_FAULTS") == "" {
		t.Skip("a simulation: set HANDOFF_FAULTS=ci")
	}
}

// some returns all cases of a table if the simulations go on for long, and else n of them, others each time.
func some[C any](all map[string]C, n int) map[string]C {
	names := slices.Collect(maps.Keys(all))
	rand.Shuffle(len(names), func(i, k int) { names[i], names[k] = names[k], names[i] })
	for _, name := range names[min(n, len(names)):] {
		if !isThorough() {
			delete(all, name)
		}
	}
	return all
}

// namespace is where the refs of the remote are.
var namespace = "refs/handoff"

func options(root string) handoff.Options {
	return handoff.Options{Dir: filepath.Join(root, "handoffs"), StateDir: filepath.Join(root, ".run"), Root: root,
		UserState: filepath.Clean(root) + ".state", Git: handoff.GitSynced, Rules: schema.Frontmatter(), LockTimeout: time.Hour,
		Fingerprint: func() (string, error) { return strings.Repeat("0", 64), nil }}
}

// outside is the path of what a store keeps outside of its project.
func outside(t testing.TB, root, name string) string {
	t.Helper()
	path, err := mustOpen(t, root).Exchange().OutsidePath()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(path, name)
}

func open(root string) (*handoff.Store, error) { return handoff.Open(options(root)) }

func mustOpen(t testing.TB, root string) *handoff.Store {
	t.Helper()
	s, err := open(root)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// sync waits: what another test starts in this process has all that is open until it runs, the lock of a sync too.
func sync(root string) (exchange.Result, error) {
	s, err := open(root)
	if err != nil {
		return exchange.Result{}, err
	}
	return exchange.Sync(context.Background(), s, remote(root))
}

func mustSync(t testing.TB, root string) exchange.Result {
	t.Helper()
	got, err := sync(root)
	if err != nil {
		t.Fatal(root, err)
	}
	return got
}

func git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=ann", "-c", "user.email=ann@example.com"}, args...)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// clones makes clones of a project that has a remote for their handoffs.
func clones(t testing.TB, n int) (hub string, roots []string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	if testing.Short() && !strings.HasPrefix(t.Name(), "TestTransports/") {
		t.Skip("starts git some hundred times; what a sync does at once is done in TestTransports and over object stores too")
	}
	dir := t.TempDir()
	hub = filepath.Join(dir, "hub.git")
	git(t, dir, "init", "-q", "--bare", "--template=", hub)
	if err := os.MkdirAll(filepath.Join(hub, "hooks"), 0o700); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		root := filepath.Join(dir, fmt.Sprintf("clone%d", i))
		git(t, dir, "init", "-q", "--template=", root)
		origin := fmt.Sprintf("[remote \"origin\"]\n\turl = %s\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n", hub)
		config, err := os.OpenFile(filepath.Join(root, ".git", "config"), os.O_APPEND|os.O_WRONLY, 0)
		if err == nil {
			_, err = config.WriteString(origin)
			err = errors.Join(err, config.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
		roots = append(roots, root)
	}
	return hub, roots
}

func doc(topic string) handoff.Source {
	return handoff.Source{Fields: &handoff.Document{SchemaVersion: "1.0", From: "ann", To: "ben", Topic: topic, Time: "2026-05-07T12:00:00Z", Body: strings.Repeat("text\n", 50)}}
}

func write(t testing.TB, root, topic string) string {
	t.Helper()
	r, err := mustOpen(t, root).WriteAll(context.Background(), []handoff.Source{doc(topic)})
	if err != nil {
		t.Fatal(err)
	}
	return r[0].ID
}

// marksOf returns who has read what, by id.
func marksOf(t testing.TB, root string) map[string]map[string]string {
	t.Helper()
	entries, err := mustOpen(t, root).List(handoff.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]map[string]string)
	for _, e := range entries {
		all[e.ID] = make(map[string]string)
		for _, m := range e.Marks() {
			all[e.ID][m.Operator] = m.Time
		}
	}
	return all
}

// Whatever is written, read and killed, in whatever order, all replicas end with the same.
func TestReplicasEndTheSame(t *testing.T) {
	t.Parallel()
	simulation(t, false)
	many, rounds := 5, 30
	_, roots := clones(t, many)
	r := rand.New(rand.NewPCG(1, uint64(os.Getpid())))
	written := map[string]bool{write(t, roots[0], "first"): true}
	begin := time.Now()
	mustSync(t, roots[0])
	killed, long := 0, 4*time.Since(begin) // what was killed is done again, and takes longer
	for round := range rounds {
		root := roots[r.IntN(len(roots))]
		switch r.IntN(4) {
		case 0, 1:
			written[write(t, root, fmt.Sprintf("topic-%d", round))] = true
		case 2:
			operator := []string{"ben", "cat"}[r.IntN(2)]
			for id := range marksOf(t, root) {
				if r.IntN(2) == 0 {
					if _, err := mustOpen(t, root).MarkRead(context.Background(), operator, id); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		if killAfter(t, root, time.Duration(r.Int64N(int64(long)))) {
			killed++
		}
	}
	for range 3 {
		for _, root := range roots {
			syncPatiently(t, root)
		}
	}
	want := marksOf(t, roots[0])
	if len(want) != len(written) {
		t.Errorf("%d handoffs were written, %d are there", len(written), len(want))
	}
	for _, root := range roots {
		if diff := cmp.Diff(want, marksOf(t, root)); diff != "" {
			t.Errorf("%s: %s", root, diff)
		}
		report, err := mustOpen(t, root).Verify(context.Background())
		if err != nil || len(report.Faults) > 0 {
			t.Errorf("%s: %v %v", root, err, report.Faults)
		}
		if got := mustSync(t, root); got.Sent+len(got.Received)+got.Marks+got.Held+got.Waiting > 0 {
			t.Errorf("%s: something is left: %+v", root, got)
		}
	}
	t.Logf("%d handoffs, %d of %d syncs killed", len(written), killed, rounds)
}

// killAfter kills a sync after a while, and reports whether it had not ended before.
func killAfter(t *testing.T, root string, wait time.Duration) bool {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), rootVariable+"="+root)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(wait, func() { cmd.Process.Kill() })
	defer timer.Stop()
	err := cmd.Wait()
	return err != nil
}

// syncPatiently waits for what a killed sync has left running.
func syncPatiently(t *testing.T, root string) {
	t.Helper()
	if _, err := exchange.Sync(t.Context(), mustOpen(t, root), remote(root)); err != nil {
		t.Fatal(root, err)
	}
}

// Of syncs of one clone at once each waits for the others, and finds what they have sent meanwhile.
func TestSyncsAtOnce(t *testing.T) {
	t.Parallel()
	_, roots := clones(t, 1)
	write(t, roots[0], "first")
	const many = 4
	ended := make(chan error, many)
	for n := range many {
		go func() {
			var bad error
			for i := range 2 {
				s := mustOpen(t, roots[0])
				_, err := s.WriteAll(context.Background(), []handoff.Source{doc(fmt.Sprintf("t-%d-%d", n, i))})
				_, syncErr := exchange.Sync(context.Background(), s, exchange.Options{Root: roots[0], Remote: "origin", Namespace: namespace, Environ: os.Environ(), Wait: time.Hour})
				bad = errors.Join(bad, err, syncErr)
			}
			ended <- bad
		}()
	}
	for range many {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// Of several marks of an operator the earliest counts everywhere.
func TestEarliestMarkCounts(t *testing.T) {
	t.Parallel()
	_, roots := clones(t, 2)
	id := write(t, roots[0], "one")
	mustSync(t, roots[0])
	mustSync(t, roots[1])
	for i, at := range []string{"2026-05-09T12:00:00Z", "2026-05-08T12:00:00Z"} {
		o := options(roots[i])
		o.Now = func() time.Time { then, _ := time.Parse(time.RFC3339, at); return then }
		s, err := handoff.Open(o)
		if err == nil {
			_, err = s.MarkRead(context.Background(), "ben", id)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		mustSync(t, roots[0])
		mustSync(t, roots[1])
	}
	want := map[string]map[string]string{id: {"ben": "2026-05-08T12:00:00Z"}}
	for _, root := range roots {
		if diff := cmp.Diff(want, marksOf(t, root)); diff != "" {
			t.Error(root, diff)
		}
		if report, err := mustOpen(t, root).Verify(context.Background()); err != nil || len(report.Faults)+len(report.Warnings) > 0 {
			t.Error(err, report.Faults, report.Warnings)
		}
	}
}

// Of a writer who has published anything else than a writer does, nothing is imported; of the others all is. If the
// ref was moved by someone else, its writer sends nothing.
func TestForgedWriters(t *testing.T) {
	t.Parallel()
	forgeries := map[string]string{
		"another document": `sed -i s/text/TEXT/ */*.md`,
		"another day":      `mkdir 2026-01-01; git mv $(ls 2026-05-07/* | head -1) 2026-01-01/`,
		"a link":           `ln -s /etc/passwd 2026-05-07/link.md`,
		"a link by name":   `ln -s /etc/passwd 2026-05-07/` + strings.Repeat("0", 64) + `.md`,
		"a mode":           `chmod 755 2026-05-07/*`,
		"another file":     `echo x >README`,
		"deep":             `mkdir -p a/b; echo x >a/b/c`,
		"no document":      `echo x >2026-05-07/` + strings.Repeat("0", 64) + `.md`,
		"log cut":          `: >log/0001.jsonl`,
		"log torn":         `truncate -s -5 log/0001.jsonl`,
		"log changed":      `sed -i 1s/ann/bob/ log/0001.jsonl`,
		"log gap":          `git mv log/0001.jsonl log/0003.jsonl`,
		"log more":         `echo '{}' >>log/0001.jsonl`,
		"log second":       `cp log/0001.jsonl log/0002.jsonl`,
		"writer":           `sed -i s/w-/v-/ writer.json`,
		"no writer":        `git rm -q -f writer.json`,
		"a large one":      `head -c 5000000 /dev/zero >2026-05-07/` + strings.Repeat("0", 64) + `.md`,
	}
	_, roots := clones(t, 3)
	for i, root := range roots[:2] {
		write(t, root, fmt.Sprintf("topic-%d", i))
		mustSync(t, root)
	}
	mustSync(t, roots[2])
	write(t, roots[0], "topic-2")
	mustSync(t, roots[0])
	writer, err := mustOpen(t, roots[0]).Exchange().Writer()
	if err != nil {
		t.Fatal(err)
	}
	hub := filepath.Join(filepath.Dir(roots[0]), "hub.git")
	ref := "refs/handoff/writers/" + writer
	true, knows := git(t, hub, "rev-parse", ref), roots[2]
	saved := filepath.Join(t.TempDir(), "saved")
	if err := os.CopyFS(saved, os.DirFS(knows)); err != nil {
		t.Fatal(err)
	}
	for name, script := range some(forgeries, 4) {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "w")
			git(t, hub, "worktree", "add", "-q", "--detach", dir, true)
			out, err := exec.Command("sh", "-c", "set -e; cd "+dir+"; "+script).CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			git(t, dir, "add", "-A", "-f")
			git(t, dir, "commit", "-q", "-m", name)
			git(t, hub, "update-ref", ref, git(t, dir, "rev-parse", "HEAD"))
			if _, err := sync(roots[0]); !errors.Is(err, handoff.ErrIntegrity) {
				t.Errorf("its writer goes on from what it has not published: %v", err)
			}
			fresh := filepath.Join(t.TempDir(), "fresh")
			git(t, hub, "init", "-q", fresh)
			git(t, fresh, "remote", "add", "origin", hub)
			if err := errors.Join(os.RemoveAll(knows), os.CopyFS(knows, os.DirFS(saved))); err != nil {
				t.Fatal(err)
			}
			for root, want := range map[string]int{fresh: 1, fresh + "/.": 1, knows: 2, knows + "/.": 2} { // each twice
				got, err := sync(root)
				if want == 1 && name == "log cut" { // a shorter log is a log too, for who has not seen the longer one
					continue
				}
				if !errors.Is(err, handoff.ErrIntegrity) || len(got.Refused) != 1 || got.Refused[0].Writer != writer {
					t.Errorf("%s: %v %+v", root, err, got)
				}
				if ids := marksOf(t, root); len(ids) != want {
					t.Errorf("%s: %d handoffs", root, len(ids))
				}
			}
		})
	}
}

// What was refused counts no longer once the remote has something else, or nothing, in its place.
func TestRemoteIsPutRight(t *testing.T) {
	t.Parallel()
	hub, roots := clones(t, 2)
	id := write(t, roots[0], "work")
	mustSync(t, roots[0])
	writer, err := mustOpen(t, roots[0]).Exchange().Writer()
	if err != nil {
		t.Fatal(err)
	}
	ref := "refs/handoff/writers/" + writer
	good := git(t, hub, "rev-parse", ref)
	bad := git(t, hub, "commit-tree", "-m", "bad", "-p", good, git(t, hub, "mktree", "--missing"))
	refused := func() {
		t.Helper()
		git(t, hub, "update-ref", ref, bad)
		if got, err := sync(roots[1]); !errors.Is(err, handoff.ErrIntegrity) || len(got.Refused) != 1 {
			t.Errorf("%+v, %v", got, err)
		}
	}
	refused()
	git(t, hub, "update-ref", "-d", ref)
	mustSync(t, roots[1])
	refused()
	git(t, hub, "update-ref", ref, good)
	if got := mustSync(t, roots[1]); len(got.Received) != 1 || got.Received[0].ID != id {
		t.Errorf("%+v", got)
	}
	refused()
	git(t, hub, "update-ref", ref, good)
	mustSync(t, roots[1])
}

// While a sync runs, or what it has started does, there is no other one.
func TestOneSyncAtATime(t *testing.T) {
	t.Parallel()
	_, roots := clones(t, 1)
	write(t, roots[0], "one")
	mustSync(t, roots[0])
	dir, err := disk.OpenDir(outside(t, roots[0], "sync.git"))
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	if err := dir.Lock(context.Background(), time.Hour); err != nil {
		t.Fatal(err)
	}
	o := remote(roots[0])
	o.Wait = 0
	if _, err := exchange.Sync(t.Context(), mustOpen(t, roots[0]), o); !errors.Is(err, handoff.ErrBusy) {
		t.Error(err)
	}
	remnants := []string{"packed-refs.lock", "objects/pack/tmp_pack_X", "objects/pack/.tmp-1-pack-X.pack", "objects/pack/pack-X.keep"}
	for _, name := range remnants {
		if err := os.WriteFile(filepath.Join(dir.Path(), name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	dir.Unlock()
	write(t, roots[0], "two")
	if got := mustSync(t, roots[0]); got.Sent != 1 {
		t.Errorf("%+v", got)
	}
	for _, name := range remnants {
		if _, err := os.Stat(filepath.Join(dir.Path(), name)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s, which git left, is still there", name)
		}
	}
}

// What is held stays, whatever becomes of its writer.
func TestHeldOutlivesItsWriter(t *testing.T) {
	t.Parallel()
	hub, roots := clones(t, 2)
	write(t, roots[0], "one")
	mustSync(t, roots[0])
	operators := func(ids ...string) {
		text := "---\nschema_version: '1.0'\noperators:\n"
		for _, id := range ids {
			text += fmt.Sprintf("  - {id: %s, display_name: %s, github_handle: %s, git_email: %s@example.com, capabilities: [write], active_since: '2020-01-01T00:00:00Z'}\n", id, id, id, id)
		}
		if err := os.WriteFile(filepath.Join(roots[1], "OPERATORS.md"), []byte(text+"---\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	operators("cat")
	if got := mustSync(t, roots[1]); got.Held != 1 || len(got.Received) != 0 {
		t.Fatalf("%+v", got)
	}
	ref := git(t, hub, "for-each-ref", "--format=%(refname)", "refs/handoff/writers")
	git(t, hub, "update-ref", ref, git(t, hub, "commit-tree", "-m", "again", ref+"^{tree}"))
	if got, err := sync(roots[1]); !errors.Is(err, handoff.ErrIntegrity) || got.Held != 1 {
		t.Errorf("%v %+v", err, got)
	}
	operators("ann", "ben")
	if got, err := sync(roots[1]); !errors.Is(err, handoff.ErrIntegrity) || got.Held != 0 || len(got.Received) != 1 {
		t.Errorf("%v %+v", err, got)
	}
}

// A document that was held is stored later only if its day is right, as one that comes.
func TestHeldUnderAnotherDay(t *testing.T) {
	t.Parallel()
	hub, roots := clones(t, 2)
	write(t, roots[0], "one")
	mustSync(t, roots[0])
	listed(t, roots[1], "cat")
	ref := git(t, hub, "for-each-ref", "--format=%(refname)", "refs/handoff/writers")
	dir := filepath.Join(t.TempDir(), "w")
	git(t, hub, "worktree", "add", "-q", "--detach", dir, ref)
	git(t, dir, "mv", "2026-05-07", "2026-01-01")
	git(t, dir, "commit", "-q", "-m", "moved")
	git(t, hub, "update-ref", ref, git(t, dir, "rev-parse", "HEAD"))
	if got := mustSyncJudged(t, roots[1]); got.Held != 1 || len(got.Received) != 0 {
		t.Fatalf("%+v", got)
	}
	listed(t, roots[1], "ann", "ben")
	for range 2 {
		got := mustSyncJudged(t, roots[1])
		if got.Held != 1 || len(got.Received) != 0 || !strings.Contains(strings.Join(got.Why, " "), "another day, 2026-01-01") {
			t.Errorf("%+v", got)
		}
	}
}

// A sync that was killed while git made its repository is repeated as any other.
func TestHalfMadeRepository(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]string{"empty HEAD": ": >HEAD", "cut HEAD": "printf 'ref: refs/h' >HEAD", "no HEAD": "rm HEAD; : >HEAD.lock", "no refs": "rm -r refs", "no objects": "rm -r objects", "no config": "rm config; : >config.lock"} {
		_, roots := clones(t, 1)
		write(t, roots[0], "one")
		dir := outside(t, roots[0], "sync.git")
		git(t, roots[0], "init", "-q", "--bare", "--template=", dir)
		if out, err := exec.Command("sh", "-c", "cd "+dir+"; "+spoil).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if got, err := sync(roots[0]); err != nil || got.Sent != 1 {
			t.Errorf("%s: %v %+v", name, err, got)
		}
	}
}
