package disk

import (
	"sync"
	"sync/atomic"
)

// Each calls do for 0 … n-1, in so many workers.
func Each(n, workers int, do func(int)) {
	var wg sync.WaitGroup
	var next atomic.Int64
	for range min(n, workers) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	wg.Wait()
}
