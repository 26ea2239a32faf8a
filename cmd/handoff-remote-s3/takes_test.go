//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/exchange/remote"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/schema"
	"github.com/seed-78daf238/handoff/testdata/remotetest"
)

// BenchmarkTakes has 8 clones take 100 handoffs over an object store in this process, in the order of chance. A helper
// serves a clone for ever, or each command has one of its own.
func BenchmarkTakes(b *testing.B) {
	for _, way := range []string{"a helper for each clone", "a helper for each take"} {
		b.Run(way, func(b *testing.B) {
			for b.Loop() {
				takeAll(b, way == "a helper for each take")
			}
		})
	}
}

// kept is a remote that stays open.
type kept struct{ remote.Remote }

// Close does nothing.
func (kept) Close() error { return nil }

// Announce makes the versions of logs change.
func (k kept) Announce(ctx context.Context, logs []string) error {
	return k.Remote.(interface {
		Announce(context.Context, []string) error
	}).Announce(ctx, logs)
}

// processorTime returns the processor time of this process and of its children that have ended.
func processorTime() (sum time.Duration) {
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		_ = syscall.Getrusage(who, &u)
		sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	return sum
}

func takeAll(b *testing.B, each bool) {
	b.StopTimer()
	const clones, handoffs = 8, 100
	f := remotetest.NewBucket(b)
	stores := make([]*handoff.Store, clones)
	for i := range stores {
		o, root := helperOf(b, f), b.TempDir()
		open := func(*handoff.Store) (remote.Remote, string, error) {
			r, err := remote.OpenHelper(o)
			return r, "farm", err
		}
		if !each {
			r := client(b, o)
			open = func(*handoff.Store) (remote.Remote, string, error) { return kept{r}, "farm", nil }
		}
		s, err := handoff.Open(handoff.Options{Dir: filepath.Join(root, "handoffs"), StateDir: filepath.Join(root, ".run"),
			Root: root, UserState: b.TempDir(), Rules: schema.Frontmatter(), Remote: open, Lease: time.Hour})
		if err != nil {
			b.Fatal(err)
		}
		stores[i] = s
	}
	var sources []handoff.Source
	for i := range handoffs {
		sources = append(sources, handoff.Source{Text: fmt.Appendf(nil, "---\nschema_version: '1.0'\nfrom: ann\nto: next\n"+
			"topic: t%d\nts_utc: '2026-05-07T12:00:00Z'\n---\nDo it.\n", i)})
	}
	receipts, err := stores[0].WriteAll(b.Context(), sources)
	if err != nil {
		b.Fatal(err)
	}
	for _, s := range stores {
		if _, err := s.Sync(b.Context(), handoff.SyncOptions{}); err != nil {
			b.Fatal(err)
		}
	}
	var taken atomic.Int64
	var all sync.WaitGroup
	before, begin := f.Requests, time.Now()
	spent := processorTime()
	b.StartTimer()
	for i, s := range stores {
		all.Go(func() {
			for _, n := range rand.Perm(handoffs) {
				_, err := s.Act(b.Context(), handoff.ActTake, receipts[n].ID, handoff.Who{Operator: fmt.Sprint("op", i), Session: "s"})
				if other := (*handoff.TakenError)(nil); err == nil {
					taken.Add(1)
				} else if !errors.As(err, &other) {
					b.Error(err)
				}
				if taken.Load() == handoffs {
					return
				}
			}
		})
	}
	all.Wait()
	if taken.Load() != handoffs {
		b.Errorf("%d takes were acknowledged", taken.Load())
	}
	b.ReportMetric(handoffs/time.Since(begin).Seconds(), "takes/s")
	b.ReportMetric(float64((processorTime()-spent).Milliseconds())/handoffs, "cpu-ms/take")
	b.ReportMetric(float64(f.Requests-before)/handoffs, "requests/take")
}
