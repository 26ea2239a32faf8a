package exchange_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-78daf238/handoff/lib/exchange"
	"github.com/seed-78daf238/handoff/lib/exchange/bucket"
	"github.com/seed-78daf238/handoff/lib/exchange/objects"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/testdata/objectstore"
)

// An asObjects is a bucket with the objects of package exchange.
type asObjects struct{ *bucket.Bucket }

func (b asObjects) List(ctx context.Context, dir, after string, limit int) (all []objects.Object, more bool, err error) {
	found, more, err := b.Bucket.List(ctx, dir, after, limit)
	for _, o := range found {
		all = append(all, objects.Object(o))
	}
	return all, more, err
}

// A farm is an object store and clones that use it.
type farm struct {
	*objectstore.Server
	roots  []string
	bucket *bucket.Bucket // the one of the last command
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
	o.Remote = "farm"
	o.Objects = func(ctx context.Context, name string) (objects.Store, string, error) {
		c := bucket.Config{URL: "s3://" + objectstore.Bucket + "/x", Endpoint: f.URL, Getenv: objectstore.Getenv}
		b, err := bucket.Open(ctx, c)
		f.bucket = b
		return asObjects{b}, c.URL, err
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

// mustAgree syncs all clones until nothing is new. They must have the same handoffs, marks and ledger, and be as
// written.
func (f *farm) mustAgree(t testing.TB) {
	t.Helper()
	for range 2 {
		for _, root := range f.roots {
			f.mustSync(t, root)
		}
	}
	for _, root := range f.roots {
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
