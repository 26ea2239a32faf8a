// Package parallel shares many small pieces of work among goroutines.
package parallel

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Workers is how many goroutines share what keeps processors busy: as many as there are, and not so
// many that what each has in memory adds up.
func Workers() int { return min(runtime.GOMAXPROCS(0), 8) }

// Each calls do for 0 … n-1. Few calls stay on the calling thread; many are shared among the workers.
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

// EachShown is Each, and tells how far it has come: by one goroutine at a time, often, and when all is
// done. tell may be nil.
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
			return // somebody else is telling right now
		}
		defer one.Unlock()
		tell(now, n)
	})
}
