package bucket_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/exchange/bucket"
	"github.com/seed-78daf238/handoff/testdata/objectstore"
)

// contend lets writers create the same objects until each has an answer, and returns how many believe that they
// created each object.
func contend(t *testing.T, s *objectstore.Server, claims, writers int) []int {
	t.Helper()
	winners := make([]int, claims)
	var mu sync.Mutex
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			b := open(t, s, nil)
			for c := range claims {
				created, err := b.Create(t.Context(), fmt.Sprintf("claims/%d", c), fmt.Appendf(nil, "writer %d", w))
				for try := 0; errors.Is(err, bucket.ErrUnreachable) && try < 20; try++ {
					created, err = b.Create(t.Context(), fmt.Sprintf("claims/%d", c), fmt.Appendf(nil, "writer %d", w))
				}
				if err != nil {
					t.Error(err)
				}
				if created {
					mu.Lock()
					winners[c]++
					mu.Unlock()
				}
			}
		})
	}
	all.Wait()
	return winners
}

// Lost requests and answers, answers that are cut, and servers that refuse for a while leave one winner.
func TestOneWriterCreatesWhateverHappens(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			s := objectstore.Start(t, seed)
			s.Set(objectstore.Faults{LoseRequest: 0.05, LoseAnswer: 0.1, Late: 0.05, Unavailable: 0.05, Conflict: 0.1,
				Internal: 0.05, Slow: 0.1, Cut: 0.05, Delay: 5 * time.Millisecond})
			for c, n := range contend(t, s, 6, 6) {
				if n != 1 {
					t.Errorf("claim %d has %d winners", c, n)
				}
			}
		})
	}
}

// Without conditions two writers win: contend can fail.
func TestContendFindsTwoWinners(t *testing.T) {
	t.Parallel()
	s := objectstore.Start(t, 1)
	s.Set(objectstore.Faults{IgnoreConditions: true})
	two := false
	for _, n := range contend(t, s, 6, 6) {
		two = two || n > 1
	}
	if !two {
		t.Error("a server that ignores If-None-Match lets one writer win")
	}
}

func TestChangedObjectIsReturned(t *testing.T) {
	t.Parallel()
	s := objectstore.Start(t, 1)
	b := open(t, s, nil)
	if err := b.Replace(t.Context(), "head", []byte("one")); err != nil {
		t.Fatal(err)
	}
	s.Set(objectstore.Faults{Change: 1})
	if body, err := b.Get(t.Context(), "head", 10); err != nil || string(body) == "one" {
		t.Errorf("%q, %v", body, err)
	}
}

func TestRestored(t *testing.T) {
	t.Parallel()
	s := objectstore.Start(t, 1)
	b := open(t, s, nil)
	if created, err := b.Create(t.Context(), "a", []byte("one")); !created || err != nil {
		t.Fatal(created, err)
	}
	c, err := s.Copy()
	if err != nil {
		t.Fatal(err)
	}
	if created, err := b.Create(t.Context(), "b", nil); !created || err != nil {
		t.Fatal(created, err)
	}
	if err := s.Restore(c); err != nil {
		t.Fatal(err)
	}
	if page, _, err := b.List(t.Context(), "", "", 10); err != nil || len(page) != 1 || page[0].Name != "a" {
		t.Errorf("%v, %v", page, err)
	}
}
