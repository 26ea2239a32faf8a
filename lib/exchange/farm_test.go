//go:build unix

package exchange_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	gosync "sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/google/go-cmp/cmp"

	"github.com/seed-78daf238/handoff/lib/exchange"
	"github.com/seed-78daf238/handoff/lib/exchange/bucket"
	"github.com/seed-78daf238/handoff/lib/exchange/objects"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/testdata/objectstore"
)

var (
	farmReplicas = flag.Int("replicas", 4, "how many clones take from an object store at once")
	farmHandoffs = flag.Int("handoffs", 12, "how many handoffs they take")
	farmWriters  = flag.Int("writers", 2, "how many clones write the handoffs")
	farmGit      = flag.Bool("over-git", false, "they use a git remote")
)

// worker returns the options of a clone that works at the same time as others.
func (f *farm) worker(root string) exchange.Options {
	o := remote(root)
	if f.hub != "" {
		return o
	}
	o.Remote = "farm"
	o.Objects = func(ctx context.Context, _ string) (objects.Store, string, error) {
		b, err := bucket.Open(ctx, bucket.Config{URL: "s3://" + objectstore.Bucket + "/x", Endpoint: f.URL,
			Getenv: objectstore.Getenv, Patience: 20 * time.Second})
		return b, "s3://handoffs/x", err
	}
	return o
}

// An attempt is one take or release of a handoff by a clone, and what came of it.
type attempt struct {
	act      handoff.Act
	by       int // the clone
	id       string
	from, to int64 // the order of calls and answers
	how      outcome
}

type outcome int

const (
	refused outcome = iota
	changed
	unknown
)

// attempt acts in a clone as its operator. A command that ends early leaves open whether it was carried out.
func (f *farm) attempt(ctx context.Context, clone int, act handoff.Act, id string) (how outcome, err error) {
	o := options(f.roots[clone])
	o.Once = exchange.Once(f.worker(f.roots[clone]))
	s, err := handoff.Open(o)
	if err != nil {
		return unknown, err
	}
	err = s.Lifecycle().ActAll(ctx, act, []string{id}, handoff.Consumption{Operator: fmt.Sprintf("op-%d", clone)},
		func(got handoff.ActReceipt) error {
			if got.Status == "changed" {
				how = changed
			}
			return nil
		})
	switch {
	case err == nil:
		return how, nil
	case errors.As(err, new(*handoff.TakenError)), errors.As(err, new(*handoff.LostError)):
		return refused, nil
	}
	return unknown, err
}

// isLegal reports whether for each handoff some order of the attempts explains their outcomes: who takes it finds it
// free, and who releases it has it. A refusal explains nothing, since a clone may refuse by what it heard last.
func isLegal(history []attempt) bool {
	byID := make(map[string][]porcupine.Operation)
	for i, a := range history {
		if a.how != refused {
			byID[a.id] = append(byID[a.id], porcupine.Operation{ClientId: i, Input: a, Call: a.from, Return: a.to})
		}
	}
	model := porcupine.NondeterministicModel{
		Init: func() []any { return []any{-1} },
		Step: func(state, input, _ any) (next []any) {
			holder, a := state.(int), input.(attempt)
			if a.how == unknown {
				next = append(next, holder)
			}
			switch {
			case a.act == handoff.ActTake && (holder == -1 || a.how == unknown && holder == a.by):
				next = append(next, a.by)
			case a.act == handoff.ActRelease && holder == a.by:
				next = append(next, -1)
			}
			return next
		},
	}
	for _, operations := range byID {
		if !porcupine.CheckOperations(model.ToModel(), operations) {
			return false
		}
	}
	return true
}

// forever is after every answer: nobody knows when an attempt without an answer was carried out.
const forever = int64(1) << 60

// work lets every clone take and release handoffs at once, and returns the history. Some attempts end early, as if the
// program had been killed while it waits.
func (f *farm) work(t testing.TB, ids []string, seed uint64, rounds int) (history []attempt) {
	t.Helper()
	var clock atomic.Int64
	var mu gosync.Mutex
	var all gosync.WaitGroup
	for clone := range f.roots {
		random := rand.New(rand.NewPCG(seed, uint64(clone)))
		all.Go(func() {
			mine := ""
			for range rounds {
				a := attempt{act: handoff.ActTake, by: clone, id: ids[random.IntN(len(ids))]}
				if mine != "" && random.IntN(2) == 0 {
					a.act, a.id, mine = handoff.ActRelease, mine, ""
				}
				ctx, cancel := context.WithCancel(context.Background())
				if random.IntN(8) == 0 {
					time.AfterFunc(time.Duration(random.IntN(20))*time.Millisecond, cancel)
				}
				a.from = clock.Add(1)
				var err error
				a.how, err = f.attempt(ctx, clone, a.act, a.id)
				if a.to = clock.Add(1); a.how == unknown {
					a.to = forever
				}
				if err != nil && ctx.Err() == nil && !errors.Is(err, bucket.ErrUnreachable) {
					t.Errorf("clone %d: %v of %s: %v", clone, a.act, a.id, err)
				}
				cancel()
				if a.act == handoff.ActTake && a.how == changed {
					mine = a.id
				}
				mu.Lock()
				history = append(history, a)
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return history
}

// newWorkers returns a farm whose clones all have some handoffs, which -writers clones wrote.
func newWorkers(t testing.TB, clones, handoffs int) (f *farm, ids []string) {
	t.Helper()
	f = newFarm(t, max(clones, *farmWriters))
	ids = make([]string, handoffs)
	began := time.Now()
	join := f.useObjects
	if *farmGit {
		join = f.useGit
	}
	tick := ticker(t, "clones wrote", *farmWriters)
	join(t, func(w int, sync func() error) error {
		defer tick()
		var sources []handoff.Source
		for i := w; i < handoffs; i += *farmWriters {
			sources = append(sources, doc(fmt.Sprintf("work-%d", i)))
		}
		s, err := open(f.roots[w])
		if err != nil {
			return err
		}
		receipts, err := s.WriteAll(context.Background(), sources)
		for i, r := range receipts {
			ids[w+i**farmWriters] = r.ID
		}
		return errors.Join(err, sync())
	})
	wrote := time.Since(began)
	f.roots = f.roots[:clones]
	if err := f.syncAll(t); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d clones wrote %d handoffs in %v, and %d received them in %v", *farmWriters, handoffs, wrote, clones,
		time.Since(began)-wrote)
	return f, ids
}

// useObjects lets each writer sync to an object store that has nothing yet, since a clone that sends also receives all
// that is there. The object store of the farm then has all that they sent.
func (f *farm) useObjects(t testing.TB, write func(w int, sync func() error) error) {
	const groups = 4 // each has an object store of its own
	alone := make([]*farm, groups)
	for g := range groups {
		alone[g] = &farm{Server: objectstore.Start(t, 1)}
	}
	there := objectstore.Copy{}
	var mu gosync.Mutex
	err := objects.Each(groups, func(g int) error {
		for w := g; w < *farmWriters; w += groups {
			err := write(w, func() error {
				err := alone[g].Restore(nil)
				if err == nil {
					_, err = alone[g].sync(f.roots[w])
				}
				return err
			})
			all, copyErr := alone[g].Copy()
			if err = errors.Join(err, copyErr); err != nil {
				return err
			}
			mu.Lock()
			maps.Copy(there, all)
			mu.Unlock()
		}
		return nil
	})
	if err = errors.Join(err, f.Restore(there)); err != nil {
		t.Fatal(err)
	}
}

// useGit is useObjects for a git remote. The repository of each clone becomes a link to the one of all.
func (f *farm) useGit(t testing.TB, write func(w int, sync func() error) error) {
	dir := filepath.Dir(f.roots[0])
	f.hub = filepath.Join(dir, "hub.git")
	git(t, ".", "init", "-q", "--bare", "--template=", f.hub)
	hubs := make([]string, len(f.roots))
	tick := ticker(t, "clones made", len(f.roots))
	for i, root := range f.roots {
		hubs[i] = filepath.Join(dir, fmt.Sprintf("hub%d.git", i))
		git(t, ".", "init", "-q", "--bare", "--template=", hubs[i])
		git(t, root, "init", "-q", "--template=")
		git(t, root, "remote", "add", "origin", hubs[i])
		tick()
	}
	err := objects.Each(*farmWriters, func(w int) error {
		return write(w, func() error {
			_, err := f.sync(f.roots[w])
			return err
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	tick = ticker(t, "joined", len(hubs))
	for i, hub := range hubs {
		if i < *farmWriters {
			refs := []string{namespace + "/writers/*:" + namespace + "/writers/*"}
			if i == 0 {
				refs = append(refs, namespace+"/folded:"+namespace+"/folded")
			}
			git(t, f.hub, append([]string{"fetch", "-q", "--no-auto-maintenance", hub}, refs...)...)
		}
		if err := errors.Join(os.RemoveAll(hub), os.Symlink(f.hub, hub)); err != nil {
			t.Fatal(err)
		}
		tick()
	}
	git(t, f.hub, "gc", "-q")
}

// Clones that work at once, over a network that loses requests and answers and with a server that refuses, take each
// handoff once, and end the same. Far more of them:
//
//	go test ./lib/exchange -run FarmOfClones -replicas 100 -handoffs 1000 -timeout 0
func TestFarmOfClones(t *testing.T) {
	t.Parallel()
	f, ids := newWorkers(t, *farmReplicas, *farmHandoffs)
	seed := rand.Uint64()
	t.Logf("the seed is %d", seed)
	f.Set(objectstore.Faults{LoseRequest: 0.02, LoseAnswer: 0.05, Late: 0.02, Unavailable: 0.02, Conflict: 0.05,
		Internal: 0.02, Slow: 0.1, Cut: 0.02, Delay: 3 * time.Millisecond})
	began := time.Now()
	history := f.work(t, ids, seed, 6)
	f.Set(objectstore.Faults{})
	t.Logf("%d takes and releases in %v", len(history), time.Since(began))
	f.mustAgree(t)
	if !isLegal(history) {
		t.Errorf("no order explains what the clones were told:\n%+v", history)
	}
	succeeded := 0
	for _, a := range history {
		if a.how == changed {
			succeeded++
		}
	}
	if succeeded == 0 {
		t.Error("nobody took anything")
	}
	first := statesOf(t, f.roots[0])
	for _, root := range f.roots[1:] {
		if diff := cmp.Diff(first, statesOf(t, root)); diff != "" {
			t.Errorf("%s: %s", root, diff)
		}
	}
}

// statesOf returns the states of all handoffs of a clone.
func statesOf(t testing.TB, root string) map[string]string {
	t.Helper()
	s := mustOpen(t, root)
	lives, err := s.Lifecycle().Taking("")
	entries, listErr := s.List(handoff.Filter{All: true})
	if err = errors.Join(err, listErr); err != nil {
		t.Fatal(err)
	}
	states := make(map[string]string)
	for _, e := range entries {
		held, done := lives[e.ID].Take.Holds(), lives[e.ID].Done
		states[e.ID] = fmt.Sprint(held.Operator, " ", held.Time, " ", done.Operator, " ", lives[e.ID].Take.N)
	}
	return states
}

// A server that lets a second claim through makes two clones take the same handoff, and isLegal finds it.
func TestFarmWithoutConditions(t *testing.T) {
	t.Parallel()
	f, ids := newWorkers(t, 2, 1)
	f.Set(objectstore.Faults{IgnoreAfterProbe: true})
	var history []attempt
	for clone := range f.roots {
		how, err := f.attempt(context.Background(), clone, handoff.ActTake, ids[0])
		if err != nil {
			t.Fatal(err)
		}
		history = append(history, attempt{act: handoff.ActTake, by: clone, id: ids[0], from: int64(2 * clone),
			to: int64(2*clone + 1), how: how})
	}
	if history[0].how != changed || history[1].how != changed || isLegal(history) {
		t.Errorf("two winners were not found: %+v", history)
	}
}

// BenchmarkFarm measures takes of clones that work at once, and syncs without news, over an object store in process.
//
//	go test ./lib/exchange -run '^$' -bench Farm -benchtime 1x -replicas 100 -handoffs 1000
func BenchmarkFarm(b *testing.B) {
	f, ids := newWorkers(b, *farmReplicas, *farmHandoffs)
	b.Run("take", func(b *testing.B) {
		requests, bytes := f.Requests.Load(), f.Received.Load()+f.Sent.Load()
		var won, lost atomic.Int64
		var all gosync.WaitGroup
		began, used := time.Now(), processorTime(b)
		for clone := range f.roots {
			all.Go(func() {
				for i := clone; i < len(ids); i += len(f.roots) { // each handoff once
					how, err := f.attempt(context.Background(), clone, handoff.ActTake, ids[i])
					switch {
					case err != nil:
						b.Error(err)
					case how == changed:
						won.Add(1)
					default:
						lost.Add(1)
					}
				}
			})
		}
		all.Wait()
		took, cpu, n := time.Since(began), processorTime(b)-used, float64(len(ids))
		var memory runtime.MemStats
		runtime.ReadMemStats(&memory)
		if won.Load() != int64(len(ids)) {
			b.Errorf("%d of %d takes won", won.Load(), len(ids))
		}
		b.ReportMetric(n/took.Seconds(), "takes/s")
		b.ReportMetric(cpu.Seconds()*1000/n, "cpu-ms/take")
		b.ReportMetric(float64(f.Requests.Load()-requests)/n, "requests/take")
		b.ReportMetric(float64(f.Received.Load()+f.Sent.Load()-bytes)/n, "bytes/take")
		b.ReportMetric(float64(memory.HeapSys)/(1<<20), "MB")
	})
	b.Run("claims", func(b *testing.B) { // what the store itself can do, without what clones write on their disks
		requests := f.Requests.Load()
		var won atomic.Int64
		var all gosync.WaitGroup
		const claims = 10_000
		began, used := time.Now(), processorTime(b)
		for clone := range *farmReplicas {
			all.Go(func() {
				store, _, err := f.worker("").Objects(context.Background(), "")
				if err != nil {
					b.Error(err)
					return
				}
				for i := clone; i < claims; i += *farmReplicas {
					created, err := store.Create(context.Background(), objects.ClaimName(fmt.Sprintf("%064x", i)),
						fmt.Appendf(nil, "clone %d", clone))
					if err != nil {
						b.Error(err)
					} else if created {
						won.Add(1)
					}
				}
			})
		}
		all.Wait()
		if won.Load() != claims {
			b.Errorf("%d of %d claims", won.Load(), claims)
		}
		b.ReportMetric(claims/time.Since(began).Seconds(), "claims/s")
		b.ReportMetric((processorTime(b)-used).Seconds()*1000/claims, "cpu-ms/claim")
		b.ReportMetric(float64(f.Requests.Load()-requests)/claims, "requests/claim")
	})
	for name, root := range map[string]string{"send 100": f.roots[0], "receive 100": f.roots[1]} {
		b.Run(name, func(b *testing.B) {
			for n := 0; b.Loop(); n++ {
				b.StopTimer()
				for i := range f.roots[:2] {
					f.mustSync(b, f.roots[i])
				}
				sources := make([]handoff.Source, 100)
				for i := range sources {
					sources[i] = doc(fmt.Sprintf("%s-%d-%d", name[:4], n, i))
				}
				if _, err := mustOpen(b, f.roots[0]).WriteAll(context.Background(), sources); err != nil {
					b.Fatal(err)
				}
				if root != f.roots[0] {
					f.mustSync(b, f.roots[0])
				}
				b.StartTimer()
				f.mustSync(b, root)
			}
		})
	}
	b.Run("no news", func(b *testing.B) {
		f.mustSync(b, f.roots[0])
		f.mustSync(b, f.roots[0])
		requests := f.Requests.Load()
		for b.Loop() {
			f.mustSync(b, f.roots[0])
		}
		b.ReportMetric(float64(f.Requests.Load()-requests)/float64(b.N), "requests/sync")
	})
}
