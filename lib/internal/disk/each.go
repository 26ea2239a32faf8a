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

// EachShown is like Each, and calls tell with the progress: often, by one goroutine at a time, and when all is done.
// tell can be nil.
func EachShown(n, workers int, tell func(done, total int), do func(int)) {
	if tell == nil || n == 0 {
		Each(n, workers, do)
		return
	}
	var done atomic.Int64
	var one sync.Mutex
	Each(n, workers, func(i int) {
		do(i)
		now := int(done.Add(1))
		if now == n {
			one.Lock()
		} else if !one.TryLock() {
			return // another goroutine is in tell
		}
		defer one.Unlock()
		tell(now, n)
	})
}
