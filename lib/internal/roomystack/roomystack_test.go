package roomystack_test

import (
	"runtime/debug"
	"testing"
	"unsafe"

	"github.com/seed-78daf238/handoff/lib/internal/roomystack"
)

//go:noinline
func deep(n int) byte {
	var room [1 << 10]byte
	room[n] = byte(n)
	if n == 0 {
		return room[0]
	}
	return deep(n-1) + room[n]
}

// moves reports whether the stack of a new goroutine is copied while it calls deep.
func moves(begin func()) bool {
	moved := make(chan bool)
	go func() {
		begin()
		var here byte
		before := uintptr(unsafe.Pointer(&here))
		deep(35)
		moved <- uintptr(unsafe.Pointer(&here)) != before
	}()
	return <-moved
}

func TestGrownStackStays(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection can shrink a stack
	if moves(roomystack.Grow) {
		t.Error("the stack is copied after Grow")
	}
	if !moves(func() {}) {
		t.Skip("this runtime copies no stack of 36 KiB without Grow either")
	}
}
