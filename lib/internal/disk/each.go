package disk

import (
	"sync"
	"sync/atomic"
)

// Each calls do for 0 … n-1. Fewer than 16 calls run in the calling goroutine, others in the workers.
func Each(n, workers int, do func(int)) {
	if n < 16 {
		for i := range n {
			do(i)
		}
		return
	}
	var wg sync.WaitGroup
	var next atomic.Int64
	for range workers {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	wg.Wait()
}
