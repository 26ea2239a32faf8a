package handoff_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// TestReadersWithoutAPause reads with one store in several goroutines, so that one of them always reads, while another
// store writes. Each reader sees what was written before it began.
func TestReadersWithoutAPause(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	reader, writer := open(t, root, nil), open(t, root, nil)
	mustWrite(t, writer, source("t0", "body"))
	var written atomic.Int64
	var done atomic.Bool
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for !done.Load() {
				before := written.Load()
				if all, err := reader.List(handoff.Filter{}); err != nil || int64(len(all)) <= before {
					t.Errorf("%d of %d: %v", len(all), before+1, err)
				}
			}
		})
	}
	for n := range int64(30) {
		mustWrite(t, writer, source(fmt.Sprint("t", n+1), "body"))
		written.Store(n + 1)
	}
	done.Store(true)
	readers.Wait()
}
