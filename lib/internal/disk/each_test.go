package disk_test

import (
	"sync/atomic"
	"testing"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
)

// Each number is done once, whether there are few or many.
func TestEach(t *testing.T) {
	for _, n := range []int{0, 1, 15, 16, 1000} {
		done := make([]atomic.Int32, n)
		disk.Each(n, 4, func(i int) { done[i].Add(1) })
		for i := range done {
			if done[i].Load() != 1 {
				t.Errorf("of %d, %d was done %d times", n, i, done[i].Load())
			}
		}
	}
}
