package disk

import (
	"sync"
	"sync/atomic"
)

// Each calls do for 0 … n-1, in so many workers. Up to that number no worker is worth its start.
func Each(n, workers int, do func(int)) {
	if n <= workers {
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
