package exchange_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	gosync "sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-78daf238/handoff/lib/exchange"
	"github.com/seed-78daf238/handoff/lib/exchange/bucket"
	"github.com/seed-78daf238/handoff/lib/exchange/objects"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/testdata/objectstore"
)

// A farm is an object store and clones that use it.
type farm struct {
	*objectstore.Server
	roots []string
	hub   string // the git remote that they use instead, "" for none
}

func newFarm(t testing.TB, n int) *farm {
	t.Helper()
	f := &farm{Server: objectstore.Start(t, 1)}
	dir := t.TempDir()
	for i := range n {
		root := filepath.Join(dir, fmt.Sprintf("clone%d", i))
		if err := os.Mkdir(root, 0o700); err != nil {
			t.Fatal(err)
		}
		f.roots = append(f.roots, root)
	}
	return f
}

func (f *farm) options(root string) exchange.Options {
	o := remote(root)
	if f.hub != "" {
		return o
	}
	o.Remote = "farm"
	o.Objects = func(ctx context.Context, name string) (objects.Store, string, error) {
		c := bucket.Config{URL: "s3://" + objectstore.Bucket + "/x", Endpoint: f.URL, Getenv: objectstore.Getenv}
		b, err := bucket.Open(ctx, c)
		return b, c.URL, err
	}
	return o
}

func (f *farm) sync(root string, change ...func(*exchange.Options)) (exchange.Result, error) {
	o := f.options(root)
	for _, c := range change {
		c(&o)
	}
	s, err := open(root)
	if err != nil {
		return exchange.Result{}, err
	}
	return exchange.Sync(context.Background(), s, o)
}

func (f *farm) mustSync(t testing.TB, root string, change ...func(*exchange.Options)) exchange.Result {
	t.Helper()
	got, err := f.sync(root, change...)
	if err != nil {
		t.Fatal(root, err)
	}
	return got
}

// act acts in a clone whose remote is the object store.
func (f *farm) act(root, operator string, act handoff.Act, ids ...string) (states string, err error) {
	o := options(root)
	o.Once = exchange.Once(f.options(root))
	s, err := handoff.Open(o)
	if err != nil {
		return "", err
	}
	err = s.Lifecycle().ActAll(context.Background(), act, ids, handoff.Consumption{Operator: operator}, func(got handoff.ActReceipt) error {
		states += got.Status + " " + got.State + ", "
		return nil
	})
	return states, err
}

// requests returns how many requests a function makes.
func (f *farm) requests(do func()) int64 {
	before := f.Requests.Load()
	do()
	return f.Requests.Load() - before
}

// names returns the objects that begin with a prefix.
func (f *farm) names(t testing.TB, prefix string) (names []string) {
	t.Helper()
	b, _, err := f.options(f.roots[0]).Objects(context.Background(), "farm")
	if err != nil {
		t.Fatal(err)
	}
	all, _, err := b.List(context.Background(), prefix, "", 1000)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range all {
		names = append(names, o.Name)
	}
	return names
}

// put replaces an object.
func (f *farm) put(t testing.TB, name, text string) {
	t.Helper()
	b, _, err := f.options(f.roots[0]).Objects(context.Background(), "farm")
	if err == nil {
		err = b.Replace(context.Background(), name, []byte(text))
	}
	if err != nil {
		t.Fatal(err)
	}
}

func (f *farm) get(t testing.TB, name string) string {
	t.Helper()
	b, _, err := f.options(f.roots[0]).Objects(context.Background(), "farm")
	if err != nil {
		t.Fatal(err)
	}
	text, err := b.Get(context.Background(), name, 1<<20)
	if err != nil {
		t.Fatal(name, err)
	}
	return string(text)
}

// What a clone writes, reads, takes and ends reaches the others by way of an object store. A sync without news and a
// take need few requests.
func TestObjectStore(t *testing.T) {
	t.Parallel()
	f := newFarm(t, 3)
	id := write(t, f.roots[0], "work")
	if got := f.mustSync(t, f.roots[0]); got.Sent != 1 || !got.Told || got.Remote != "s3://handoffs/x" {
		t.Errorf("%+v", got)
	}
	for _, root := range f.roots[1:] {
		if got := f.mustSync(t, root); len(got.Received) != 1 || got.Received[0].ID != id || got.Sent != 0 {
			t.Errorf("%+v", got)
		}
	}
	if n := f.requests(func() { f.mustSync(t, f.roots[1]) }); n > 4 {
		t.Errorf("a sync without news has %d requests", n)
	}
	if n := f.requests(func() {
		if got, err := f.act(f.roots[1], "ben", handoff.ActTake, id); err != nil || got != "changed taken, " {
			t.Error(got, err)
		}
	}); n > 4 {
		t.Errorf("a take has %d requests", n)
	}
	if n := f.requests(func() {
		if got, err := f.act(f.roots[2], "cat", handoff.ActTake, id); !errors.As(err, new(*handoff.TakenError)) {
			t.Error(got, err)
		}
	}); n > 6 {
		t.Errorf("a take that lost has %d requests", n)
	}
	f.mustSync(t, f.roots[0]) // it hears of the take without a sync of the clone that has it
	if got := stateOf(t, mustOpen(t, f.roots[0]), id); got != "taken" {
		t.Errorf("state %q", got)
	}
	if n := f.requests(func() {
		if got, err := f.act(f.roots[1], "ben", handoff.ActDone, id); err != nil || got != "changed done, " {
			t.Error(got, err)
		}
	}); n > 4 {
		t.Errorf("a done has %d requests", n)
	}
	f.mustAgree(t)
	for _, root := range f.roots {
		if got := stateOf(t, mustOpen(t, root), id); got != "done" {
			t.Errorf("state %q", got)
		}
	}
	if all := f.names(t, "claims/"); len(all) != 2 {
		t.Error(all)
	}
	if all := f.names(t, "handoffs/"); len(all) != 1 || all[0] != "handoffs/"+strings.TrimPrefix(id, "sha256:")+".md" {
		t.Error(all)
	}
}

// Somebody else's objects are ignored. Objects that were cut or changed are named, and nothing of their writer is
// imported, until they are mended.
func TestObjectsThatAreNotAsWritten(t *testing.T) {
	t.Parallel()
	digest := strings.Repeat("ab", 32)
	for name, change := range map[string]func(*testing.T, *farm, string, string) (says string){
		"foreign objects": func(t *testing.T, f *farm, id, writer string) string {
			for _, name := range []string{"heads/README.txt", "heads/w-1", "heads/w-0123456789abcdeg", "log/x/1", "claims/x", "handoffs/x.md", "a/b"} {
				f.put(t, name, "something else")
			}
			return ""
		},
		"a changed handoff": func(t *testing.T, f *farm, id, writer string) string {
			name := "handoffs/" + strings.TrimPrefix(id, "sha256:") + ".md"
			f.put(t, name, strings.Replace(f.get(t, name), "text", "test", 1))
			return name + " was cut or changed"
		},
		"a cut handoff": func(t *testing.T, f *farm, id, writer string) string {
			name := "handoffs/" + strings.TrimPrefix(id, "sha256:") + ".md"
			f.put(t, name, f.get(t, name)[:100])
			return name + " was cut or changed"
		},
		"a part that names no handoff": func(t *testing.T, f *farm, id, writer string) string {
			f.part(t, writer, `{"handoff":"sha256:`+digest+`"}`)
			return "handoffs/" + digest + ".md is missing"
		},
		"a changed part": func(t *testing.T, f *farm, id, writer string) string {
			name := "log/" + writer + "/0000000001"
			f.put(t, name, strings.Replace(f.get(t, name), `"events":`, `"events":1`, 1))
			return name + " is not what heads/" + writer
		},
		"a cut part": func(t *testing.T, f *farm, id, writer string) string {
			name := "log/" + writer + "/0000000001"
			text := f.get(t, name)
			f.put(t, name, text[:len(text)-3])
			return name
		},
		"a part of another writer": func(t *testing.T, f *farm, id, writer string) string {
			name := "log/" + writer + "/0000000001"
			f.put(t, name, strings.ReplaceAll(f.get(t, name), writer, "w-0123456789abcdef"))
			return name
		},
		"a missing part": func(t *testing.T, f *farm, id, writer string) string {
			f.put(t, "heads/"+writer, fmt.Sprintf(`{"format":"handoff-head/1","writer":%q,"number":7,"log":%q}`, writer, digest))
			return "log/" + writer + "/0000000002 is missing"
		},
		"a part that does not follow": func(t *testing.T, f *farm, id, writer string) string {
			text := fmt.Sprintf(`{"format":"handoff-log/1","writer":%q,"number":2,"previous":%q}`+"\n", writer, digest)
			f.put(t, "log/"+writer+"/0000000002", text)
			f.put(t, "heads/"+writer, fmt.Sprintf(`{"format":"handoff-head/1","writer":%q,"number":2,"log":"%x"}`, writer, sha256.Sum256([]byte(text))))
			return "log/" + writer + "/0000000002 does not continue the log"
		},
		"a part with an event that is none": func(t *testing.T, f *farm, id, writer string) string {
			f.part(t, writer, `{"event":{"a":1}}`)
			return "its log has an event that"
		},
		"a head that is none": func(t *testing.T, f *farm, id, writer string) string {
			f.put(t, "heads/"+writer, "x")
			return "heads/" + writer
		},
		"a large head": func(t *testing.T, f *farm, id, writer string) string {
			f.put(t, "heads/"+writer, strings.Repeat("x", 1<<20))
			return "heads/" + writer
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFarm(t, 2)
			id := write(t, f.roots[0], "work")
			f.mustSync(t, f.roots[0])
			writer, err := mustOpen(t, f.roots[0]).Exchange().Writer()
			if err != nil {
				t.Fatal(err)
			}
			before, err := f.Copy()
			if err != nil {
				t.Fatal(err)
			}
			says := change(t, f, id, writer)
			for range 2 { // it is remembered, and said again
				got, err := f.sync(f.roots[1])
				switch {
				case says == "" && (err != nil || len(got.Received) > 1):
					t.Errorf("%v %+v", err, got)
				case says != "" && (!errors.Is(err, handoff.ErrIntegrity) || !strings.Contains(err.Error(), says) || len(got.Received) > 0 || len(got.Refused) != 1):
					t.Errorf("%v %+v, want %q", err, got, says)
				}
			}
			if err := f.Restore(before); err != nil {
				t.Fatal(err)
			}
			f.mustSync(t, f.roots[1], func(o *exchange.Options) { o.Restore = true })
			f.mustAgree(t)
			if len(marksOf(t, f.roots[1])) != 1 {
				t.Error("the handoff has not come")
			}
		})
	}
}

// part appends a part with a line to the log of a writer, as somebody with its name would.
func (f *farm) part(t testing.TB, writer, line string) {
	t.Helper()
	before := sha256.Sum256([]byte(f.get(t, "log/"+writer+"/0000000001")))
	text := fmt.Sprintf(`{"format":"handoff-log/1","writer":%q,"number":2,"previous":"%x"}`+"\n%s\n", writer, before, line)
	f.put(t, "log/"+writer+"/0000000002", text)
	f.put(t, "heads/"+writer, fmt.Sprintf(`{"format":"handoff-head/1","writer":%q,"number":2,"log":"%x"}`, writer, sha256.Sum256([]byte(text))))
}

// What is kept about an object store can be lost. A copied state directory cannot publish.
func TestObjectStoreStateIsLost(t *testing.T) {
	t.Parallel()
	f := newFarm(t, 2)
	ids := []string{write(t, f.roots[0], "one")}
	f.mustSync(t, f.roots[0])
	f.mustSync(t, f.roots[1])
	if _, err := f.act(f.roots[1], "ben", handoff.ActTake, ids...); err != nil {
		t.Fatal(err)
	}
	f.mustAgree(t)
	for _, root := range f.roots {
		forget(t, root)
	}
	before := len(f.names(t, "log/"))
	write(t, f.roots[0], "two")
	f.mustAgree(t)
	if got := len(f.names(t, "log/")); got != before+2 { // of the handoff, and of the claim, which is told again
		t.Errorf("%d parts of logs, and %d before", got, before)
	}
	// Another replica with this state directory has published.
	writer, err := mustOpen(t, f.roots[1]).Exchange().Writer()
	if err != nil {
		t.Fatal(err)
	}
	parts := f.names(t, "log/"+writer)
	last := f.get(t, parts[len(parts)-1])
	text := fmt.Sprintf(`{"format":"handoff-log/1","writer":%q,"number":%d,"previous":"%x","events":999,"hash":"x"}`+"\n",
		writer, len(parts)+1, sha256.Sum256([]byte(last)))
	f.put(t, fmt.Sprintf("log/%s/%010d", writer, len(parts)+1), text)
	write(t, f.roots[1], "by-the-copy")
	for range 2 {
		if got, err := f.sync(f.roots[1]); !errors.Is(err, handoff.ErrIntegrity) || !strings.Contains(err.Error(), "was copied") || got.Waiting != 1 {
			t.Errorf("%v %+v", err, got)
		}
		f.put(t, "heads/"+writer, fmt.Sprintf(`{"format":"handoff-head/1","writer":%q,"number":%d,"log":"%x"}`, writer, len(parts)+1, sha256.Sum256([]byte(text))))
	}
}

// forget removes what a clone keeps about object stores.
func forget(t testing.TB, root string) {
	t.Helper()
	for _, name := range []string{"sync.json", "objects-*"} {
		found, _ := filepath.Glob(outside(t, root, name))
		for _, path := range found {
			if err := os.RemoveAll(path); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// An object store that was put back to a backup gets again what the clones know. Of two claims the one there counts.
func TestObjectStoreIsRestored(t *testing.T) {
	t.Parallel()
	f := newFarm(t, 3)
	id := write(t, f.roots[0], "one")
	f.mustAgree(t)
	backup, err := f.Copy()
	if err != nil {
		t.Fatal(err)
	}
	second := write(t, f.roots[1], "two")
	f.mustAgree(t)
	if _, err := f.act(f.roots[1], "ben", handoff.ActTake, id, second); err != nil {
		t.Fatal(err)
	}
	f.mustAgree(t)
	if err := f.Restore(backup); err != nil {
		t.Fatal(err)
	}
	for _, root := range f.roots[:1] { // it did not have ben's claim, and has its log
		f.mustSync(t, root, func(o *exchange.Options) { o.Restore = true })
	}
	for range 2 {
		for _, root := range f.roots {
			f.mustSync(t, root, func(o *exchange.Options) { o.Restore = true })
		}
	}
	f.mustAgree(t)
	fourth := filepath.Join(filepath.Dir(f.roots[0]), "clone9")
	if err := os.Mkdir(fourth, 0o700); err != nil {
		t.Fatal(err)
	}
	f.roots = append(f.roots, fourth)
	f.mustAgree(t)
	for _, id := range []string{id, second} {
		if got := stateOf(t, mustOpen(t, fourth), id); got != "taken" {
			t.Errorf("state %q", got)
		}
	}
}

// However often answers are lost and the object store refuses, each handoff has one who takes it, and all clones end
// the same.
func TestObjectStoreFails(t *testing.T) {
	t.Parallel()
	f := newFarm(t, 3)
	var ids []string
	for i := range 6 {
		ids = append(ids, write(t, f.roots[i%3], fmt.Sprint("work-", i)))
	}
	f.mustAgree(t)
	f.Set(objectstore.Faults{LoseAnswer: 0.1, LoseRequest: 0.05, Unavailable: 0.05, Conflict: 0.1})
	var wg gosync.WaitGroup
	var mu gosync.Mutex
	winners := make(map[string][]string)
	for n, root := range f.roots {
		wg.Go(func() {
			for _, id := range ids {
				operator := fmt.Sprint("op", n)
				if got, err := f.act(root, operator, handoff.ActTake, id); err == nil {
					mu.Lock()
					winners[id] = append(winners[id], operator+" "+got)
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	f.Set(objectstore.Faults{})
	f.mustAgree(t)
	for _, id := range ids {
		if len(winners[id]) > 1 {
			t.Errorf("%s: %q", id, winners[id])
		}
	}
}

// What a user must change is said, and nothing here is lost.
func TestObjectStoreRefuses(t *testing.T) {
	t.Parallel()
	for name, deny := range map[string]string{"list": "GET ", "read": "GET x/heads", "write": "PUT x/log/", "claim": "PUT x/claims/"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFarm(t, 2)
			id := write(t, f.roots[0], "work")
			f.mustAgree(t)
			write(t, f.roots[0], "more")
			f.Set(objectstore.Faults{Deny: []string{deny}})
			if name != "claim" {
				if _, err := f.sync(f.roots[0]); !errors.Is(err, handoff.ErrConfig) {
					t.Errorf("sync: %v", err)
				}
			} else if _, err := f.act(f.roots[1], "ben", handoff.ActTake, id); !errors.Is(err, handoff.ErrConfig) {
				t.Errorf("take: %v", err)
			}
			f.Set(objectstore.Faults{})
			f.mustAgree(t)
		})
	}
}

// A handoff whose object was missing is received once somebody has put it back.
func TestMissingObjectComesBack(t *testing.T) {
	t.Parallel()
	f := newFarm(t, 2)
	id := write(t, f.roots[0], "lost")
	f.mustSync(t, f.roots[0])
	name := objects.DocumentName(id)
	text := f.get(t, name)
	there, err := f.Copy()
	if err != nil {
		t.Fatal(err)
	}
	less := maps.Clone(there)
	maps.DeleteFunc(less, func(key string, _ []byte) bool { return strings.HasSuffix(key, name) })
	if err := f.Restore(less); err != nil {
		t.Fatal(err)
	}
	if _, err := f.sync(f.roots[1]); !errors.Is(err, fault.ErrIntegrity) || !strings.Contains(err.Error(), "is missing") {
		t.Errorf("without the object: %v", err)
	}
	f.put(t, name, text)
	if got := f.mustSync(t, f.roots[1]); len(got.Received) != 1 {
		t.Errorf("once it is back: %+v", got)
	}
}

// syncAll syncs all clones, some at once.
func (f *farm) syncAll(t testing.TB) error {
	tick := ticker(t, "clones synced", len(f.roots))
	return objects.Each(len(f.roots), func(i int) error {
		defer tick()
		if _, err := f.sync(f.roots[i]); err != nil {
			return fmt.Errorf("%s: %w", f.roots[i], err)
		}
		return nil
	})
}

// ticker returns a function to call after each of n steps. Every 10 seconds it logs how many are done, so that -v
// shows how far a long test is.
func ticker(t testing.TB, what string, n int) func() {
	var mu gosync.Mutex
	done, began, said := 0, time.Now(), time.Now()
	return func() {
		mu.Lock()
		defer mu.Unlock()
		if done++; time.Since(said) > 10*time.Second {
			said = time.Now()
			t.Logf("%s: %d of %d in %v", what, done, n, time.Since(began).Round(time.Second))
		}
	}
}

// mustAgree syncs all clones until nothing is new. They must have the same handoffs, marks and ledger, and be as
// written.
func (f *farm) mustAgree(t testing.TB) {
	t.Helper()
	for range 2 {
		if err := f.syncAll(t); err != nil {
			t.Fatal(err)
		}
	}
	tick := ticker(t, "clones verified", len(f.roots))
	for _, root := range f.roots {
		tick()
		if diff := cmp.Diff(marksOf(t, f.roots[0]), marksOf(t, root)); diff != "" {
			t.Errorf("%s: %s", root, diff)
		}
		if first, got := f.ledger(t, f.roots[0]), f.ledger(t, root); first != got {
			t.Errorf("%s has\n%sand not\n%s", root, got, first)
		}
		if report, err := mustOpen(t, root).Verify(context.Background()); err != nil || len(report.Faults) > 0 {
			t.Error(root, err, report.Faults)
		}
	}
}

// ledger returns the lines of a ledger, in order.
func (f *farm) ledger(t testing.TB, root string) (text string) {
	t.Helper()
	all, err := mustOpen(t, root).Exchange().Consumptions()
	if err != nil {
		t.Fatal(err)
	}
	lines := make([]string, len(all))
	for i, c := range all {
		lines[i] = fmt.Sprintf("%s %s %s\n", c.Token, c.Operator, c.Time)
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// A handoff whose object is somebody else's stays pending, and everything else is sent.
func TestObjectIsTaken(t *testing.T) {
	t.Parallel()
	f := newFarm(t, 2)
	id := write(t, f.roots[0], "one")
	name := "handoffs/" + strings.TrimPrefix(id, "sha256:") + ".md"
	f.put(t, name, "something else")
	write(t, f.roots[0], "two")
	for range 2 {
		if got, err := f.sync(f.roots[0]); !errors.Is(err, handoff.ErrIntegrity) || !strings.Contains(err.Error(), name) || got.Waiting != 1 {
			t.Errorf("%v %+v", err, got)
		}
	}
	if got := f.mustSync(t, f.roots[1]); len(got.Received) != 1 {
		t.Errorf("%+v", got)
	}
	f.put(t, name, string(mustRead(t, f.roots[0], id)))
	f.mustAgree(t)
	if len(marksOf(t, f.roots[1])) != 2 {
		t.Error("it has not come")
	}
}

func mustRead(t testing.TB, root, id string) []byte {
	t.Helper()
	got, err := mustOpen(t, root).Read(id)
	if err != nil {
		t.Fatal(err)
	}
	return got.Text
}

// An account that can write to an object store can replace a claim. A clone that hears of the first one refuses the
// other, until that is back.
func TestClaimIsReplaced(t *testing.T) {
	t.Parallel()
	f := newFarm(t, 3)
	id := write(t, f.roots[0], "one")
	f.mustAgree(t)
	if _, err := f.act(f.roots[1], "ben", handoff.ActTake, id); err != nil {
		t.Fatal(err)
	}
	name := f.names(t, "claims/")[0]
	first := f.get(t, name)
	writer, err := mustOpen(t, f.roots[2]).Exchange().Writer()
	if err != nil {
		t.Fatal(err)
	}
	forged := regexp.MustCompile(`w-[0-9a-f]{16}`).ReplaceAllString(strings.Replace(first, `"ben"`, `"ann"`, 1), writer)
	f.put(t, name, forged)
	// whoever forges it can also say that another writer was granted it
	const stranger = "w-0123456789abcdef"
	log := fmt.Sprintf(`{"format":"handoff-log/1","writer":%q,"number":1,"previous":""}`+"\n"+`{"claim":%q,"granted":"%x"}`+"\n",
		stranger, strings.TrimPrefix(name, "claims/"), sha256.Sum256([]byte(forged)))
	f.put(t, "log/"+stranger+"/0000000001", log)
	f.put(t, "heads/"+stranger, fmt.Sprintf(`{"format":"handoff-head/1","writer":%q,"number":1,"log":"%x"}`, stranger, sha256.Sum256([]byte(log))))
	for range 2 { // it is said each time
		if _, err := f.sync(f.roots[2]); !errors.Is(err, handoff.ErrIntegrity) || !strings.Contains(fmt.Sprint(err), "was granted") {
			t.Fatal(err)
		}
	}
	if states, err := f.act(f.roots[2], "ann", handoff.ActTake, id); !errors.Is(err, handoff.ErrIntegrity) {
		t.Fatal(states, err)
	}
	f.put(t, name, first)
	for _, root := range f.roots { // the others hear of two as well
		f.mustSync(t, root, func(o *exchange.Options) { o.Restore = true })
	}
	f.mustAgree(t)
	lost := (*handoff.LostError)(nil)
	if _, err := f.act(f.roots[2], "ann", handoff.ActTake, id); !errors.As(err, &lost) && !errors.As(err, new(*handoff.TakenError)) {
		t.Fatal(err)
	}
}

// A claim that was asked for in vain is not told as granted once another clone has it.
func TestRefusedClaimIsNotTold(t *testing.T) {
	t.Parallel()
	f := newFarm(t, 3)
	id := write(t, f.roots[0], "one")
	f.mustAgree(t)
	f.Set(objectstore.Faults{Deny: []string{"PUT x/claims/"}})
	if _, err := f.act(f.roots[1], "ben", handoff.ActTake, id); !errors.Is(err, handoff.ErrConfig) {
		t.Fatal(err)
	}
	f.Set(objectstore.Faults{})
	if _, err := f.act(f.roots[0], "ann", handoff.ActTake, id); err != nil {
		t.Fatal(err)
	}
	if _, err := f.act(f.roots[1], "cat", handoff.ActTake, id); !errors.As(err, new(*handoff.TakenError)) {
		t.Fatal(err)
	}
	write(t, f.roots[1], "more")
	f.mustSync(t, f.roots[1])
	f.mustAgree(t)
}

// What a power cut leaves of what is kept about claims and logs does not count, and what comes after it does.
func TestKeptClaimsAreCut(t *testing.T) {
	t.Parallel()
	f := newFarm(t, 2)
	ids := []string{write(t, f.roots[0], "one"), write(t, f.roots[0], "two")}
	f.mustAgree(t)
	backup, err := f.Copy()
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		if _, err := f.act(f.roots[1], "ben", handoff.ActTake, id); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"claims/*", "tries", "sync.json"} {
			found, err := filepath.Glob(outside(t, f.roots[1], "objects-*/"+name))
			if err != nil || len(found) == 0 {
				t.Fatal(name, err)
			}
			for _, path := range found {
				cut(t, path)
			}
		}
	}
	f.mustSync(t, f.roots[1])
	f.mustAgree(t)
	if err := f.Restore(backup); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		for _, root := range f.roots {
			f.mustSync(t, root, func(o *exchange.Options) { o.Restore = true })
		}
	}
	f.mustAgree(t)
	for _, id := range ids {
		if got := stateOf(t, mustOpen(t, f.roots[0]), id); got != "taken" {
			t.Errorf("state %q", got)
		}
	}
}

// cut removes the end of a file.
func cut(t testing.TB, path string) {
	t.Helper()
	info, err := os.Stat(path)
	if err == nil {
		err = os.Truncate(path, max(info.Size()-5, 0))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A brokenStore cannot create one object.
type brokenStore struct {
	objects.Store
	name string
}

func (b brokenStore) Create(ctx context.Context, name string, body []byte) (bool, error) {
	if name == b.name {
		return false, errors.New("the network is down")
	}
	return b.Store.Create(ctx, name, body)
}

// A network that fails after an object was found to be somebody else's leaves nothing behind that the next sync would
// not send.
func TestNetworkFailsAfterATakenObject(t *testing.T) {
	t.Parallel()
	f := newFarm(t, 2)
	sources := make([]handoff.Source, 70)
	for i := range sources {
		sources[i] = doc(fmt.Sprint("work-", i))
	}
	receipts, err := mustOpen(t, f.roots[0]).WriteAll(t.Context(), sources)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, r := range receipts {
		names = append(names, objects.DocumentName(r.ID))
	}
	slices.Sort(names)
	f.put(t, names[0], "something else")
	o := f.options(f.roots[0])
	open := o.Objects
	o.Objects = func(ctx context.Context, remote string) (objects.Store, string, error) {
		store, url, err := open(ctx, remote)
		return brokenStore{store, names[69]}, url, err
	}
	if _, err := exchange.Sync(t.Context(), mustOpen(t, f.roots[0]), o); err == nil || errors.Is(err, handoff.ErrIntegrity) {
		t.Errorf("the network is down, and the error is %v", err)
	}
	if got, err := f.sync(f.roots[0]); !errors.Is(err, handoff.ErrIntegrity) || got.Waiting != 1 {
		t.Errorf("%v %+v", err, got)
	}
	if got := f.mustSync(t, f.roots[1]); len(got.Received) != 69 {
		t.Errorf("received %d handoffs", len(got.Received))
	}
}
