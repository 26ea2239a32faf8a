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
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/exchange/remote"
	"github.com/seed-78daf238/handoff/lib/internal/exchange"
	"github.com/seed-78daf238/handoff/lib/internal/facts"
	"github.com/seed-78daf238/handoff/lib/internal/log"
	"github.com/seed-78daf238/handoff/lib/internal/store"
	"github.com/seed-78daf238/handoff/testdata/remotetest"
)

var (
	runs = flag.Int("runs", 8, "how many random runs TestRandom makes")
	seed = flag.Uint64("seed", 0, "the seed of the first run")
)

var errBroken = errors.New("the remote is broken")

// A flaky is a memory that fails at random, before or after it has done what was asked, or in the middle.
type flaky struct {
	*remotetest.Memory
	*rand.Rand
	isWell bool
}

func (f *flaky) fails(n int) bool { return !f.isWell && f.IntN(n) == 0 }

func (f *flaky) Versions(ctx context.Context) (map[string]string, error) {
	if f.fails(12) {
		return nil, errBroken
	}
	return f.Memory.Versions(ctx)
}

func (f *flaky) Read(ctx context.Context, after map[string]remote.Position, do func(string, remote.Batch) error) error {
	stops := f.fails(8)
	return f.Memory.Read(ctx, after, func(name string, b remote.Batch) error {
		if stops && f.IntN(3) == 0 {
			return errBroken
		}
		return do(name, b)
	})
}

func (f *flaky) Append(ctx context.Context, all []remote.Addition) (map[string]remote.Position, error) {
	some := slices.Clone(all)
	f.Shuffle(len(some), func(i, j int) { some[i], some[j] = some[j], some[i] })
	some = some[:f.IntN(len(some)+1)]
	switch {
	case f.fails(8):
		return nil, errBroken
	case f.fails(8): // as object stores do
		_, _ = f.Memory.Append(ctx, some)
		return nil, remote.ErrMoved
	case f.fails(8):
		_, _ = f.Memory.Append(ctx, some)
		return nil, errBroken
	case f.fails(6): // a kill before it is recorded
		_, _ = f.Memory.Append(ctx, all)
		return nil, errBroken
	}
	return f.Memory.Append(ctx, all)
}

// A random is a run of several clones, each with a clock of its own.
type random struct {
	*flaky
	*testing.T
	clones  []clone
	now     time.Time
	topics  []string
	written map[string]bool
	holders map[string]int  // who was told that it holds a handoff, from 1
	unsure  map[string]bool // it may have ended
	aside   map[string]string
}

func (r *random) tick() {
	r.now = r.now.Add(time.Duration(r.IntN(5000)) * time.Millisecond)
	for i, c := range r.clones {
		*c.clock = r.now.Add(time.Duration(i-1) * 2 * time.Minute)
	}
}

func (r *random) has(c clone, topic string) bool {
	look, err := c.At.Look(false)
	if err != nil {
		r.Fatal(err)
	}
	h := look.Of(idOf(topic))
	return h != nil && !h.Pruned
}

// one does one thing in a clone.
func (r *random) one() {
	r.tick()
	i := r.IntN(len(r.clones))
	c, me := r.clones[i], fmt.Sprint("op", i)
	topic := r.topics[r.IntN(len(r.topics))]
	n, has := r.IntN(12), r.has(c, topic)
	switch {
	case n < 3:
		_, _ = c.Sync(context.Background(), exchange.Options{})
	case n == 3 && r.IntN(4) == 0:
		r.loses(c, topic)
	case n == 4 && r.IntN(6) == 0:
		_ = c.At.Change(context.Background(), func(ch *store.Change) error {
			ch.Add(log.SyncBegin, log.Payload{Remote: "memory"})
			return nil
		})
	case !has:
		if n < 8 {
			c.write(topic)
			r.written[topic] = true
		}
	case n < 6:
		c.mark(topic, me)
	case n == 6:
		_ = c.At.Change(context.Background(), func(ch *store.Change) error {
			turn(ch, topic, log.Take, me)
			return nil
		})
	default:
		r.act(i, topic, []string{log.Take, log.Take, log.Release, log.Done}[r.IntN(4)])
	}
}

// loses takes the file of a document away, or brings it back.
func (r *random) loses(c clone, topic string) {
	for at, kept := range r.aside {
		_ = os.Rename(kept, at)
		delete(r.aside, at)
		return
	}
	look, _ := c.At.Look(false)
	if h := look.Of(idOf(topic)); h != nil {
		at := filepath.Join(c.At.Opt.Dir, h.File)
		kept := filepath.Join(r.TempDir(), "kept")
		if os.Rename(at, kept) == nil {
			r.aside[at] = kept
		}
	}
}

func (r *random) act(i int, topic, kind string) {
	counts := false
	err := r.clones[i].Act(context.Background(), []string{idOf(topic)}, func(c *store.Change) bool {
		h := c.Of(idOf(topic))
		l := c.Life(h)
		if last := l.Last(); last != nil && kind != log.Take && last.Operator != fmt.Sprint("op", i) {
			counts = false
			return true
		}
		counts = turn(c, topic, kind, fmt.Sprint("op", i))
		return !counts
	})
	switch held := r.holders[topic]; {
	case err != nil || !counts: // it may count all the same, if it came into a log before it moved
		r.unsure[topic] = r.unsure[topic] || kind != log.Take
	case kind != log.Take:
		if held != 0 && held != i+1 && !r.unsure[topic] {
			r.Errorf("%s of %s by %d, which is held by %d", kind, topic, i, held-1)
		}
		r.holders[topic], r.unsure[topic] = 0, kind == log.Done
	case held != 0 && held != i+1 && !r.unsure[topic]:
		r.Errorf("%s is taken by %d and by %d", topic, held-1, i)
	default:
		r.holders[topic], r.unsure[topic] = i+1, false
	}
}

// restores gives the remote back what it loses.
func (r *random) restores() {
	for _, name := range slices.Sorted(maps.Keys(r.Logs)) {
		all := r.Logs[name]
		if n := r.IntN(len(all) + 1); n == 0 {
			delete(r.Logs, name)
		} else {
			r.Logs[name] = slices.Clone(all[:n])
		}
	}
	for _, c := range r.clones {
		for n := 0; ; n++ {
			_, err := c.Sync(context.Background(), exchange.Options{Restore: true})
			if err == nil {
				break
			}
			if n > 300 {
				r.Fatal(err)
			}
		}
	}
}

// events returns the ids of the facts and turns of a clone, each once.
func (r *random) events(c clone) string {
	look, err := c.At.Look(false)
	if err != nil {
		r.Fatal(err)
	}
	all := map[string]bool{}
	_ = c.At.Events(func(e log.Event) {
		switch e.Type {
		case log.MarkRead, log.Take, log.Release, log.Done:
			if all[e.ID()] {
				r.Errorf("an event stands twice in a log: %s", e.Line())
			}
			if all[e.ID()] = true; e.Type != log.MarkRead && look.IsUnsent(e.ID()) {
				r.Errorf("unsent: %s", e.Line())
			}
			if h := look.Of(e.Payload.ID); e.Type != log.MarkRead && !slices.ContainsFunc(look.Turns(h), isID(e.ID())) {
				delete(all, e.ID()) // it was lost
			}
		}
	})
	return strings.Join(slices.Sorted(maps.Keys(all)), "\n")
}

func isID(id string) func(*facts.Turn) bool { return func(t *facts.Turn) bool { return t.ID == id } }

// Whatever fails, clones agree in the end, have all that was acknowledged, and are quiet then.
func TestRandom(t *testing.T) {
	t.Parallel()
	for n := range *runs {
		at := *seed + uint64(n)
		t.Run(fmt.Sprint(at), func(t *testing.T) {
			t.Parallel()
			f := &flaky{Memory: remotetest.NewMemory(), Rand: rand.New(rand.NewPCG(at, 1))}
			r := &random{flaky: f, T: t, now: day, topics: strings.Fields("a b c d e f g h late"), written: map[string]bool{},
				holders: map[string]int{}, unsure: map[string]bool{}, aside: map[string]string{}}
			for range 3 {
				r.clones = append(r.clones, newClone(t, f))
			}
			for range 60 {
				r.one()
			}
			if at%2 == 0 {
				r.restores()
			}
			for range 40 {
				r.one()
			}
			r.settles()
		})
	}
}

// settles syncs without failures, and compares all clones with each other and with a fresh one.
func (r *random) settles() {
	for at, kept := range r.aside {
		_ = os.Rename(kept, at)
	}
	r.isWell, r.now = true, r.now.Add(72*time.Hour)
	r.tick()
	r.clones = append(r.clones, newClone(r.T, r.flaky))
	r.tick()
	for range 2 {
		for _, c := range r.clones {
			c.sync()
		}
	}
	for i, c := range r.clones {
		look, _ := c.At.Look(false)
		before := look.Count
		got := c.sync()
		if look, _ = c.At.Look(false); got.Sent+got.Received+len(got.Lost)+len(got.Held) > 0 || look.Count != before {
			r.Errorf("clone %d is not quiet: %+v, %d more events", i, got, look.Count-before)
		}
		want(r.T, c.says(), r.clones[0].says())
		want(r.T, r.events(c), r.events(r.clones[0]))
		for topic := range r.written {
			if !r.has(c, topic) {
				r.Errorf("clone %d has not %s", i, topic)
			}
		}
		for topic, held := range r.holders {
			l := look.Life(look.Of(idOf(topic)))
			if held > 0 && !r.unsure[topic] && (l.Holder == nil || l.Holder.Operator != fmt.Sprint("op", held-1)) {
				r.Errorf("clone %d does not know that %d holds %s", i, held-1, topic)
			}
		}
	}
}
