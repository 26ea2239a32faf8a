// Package roomystack gives the main goroutine the stack that a command needs, before anything else is initialised. Else it grows
// four times, each time walks all that is on it, and brings in the tables that are needed for that: a twelfth of what starting takes.
package roomystack

// A package that imports nothing is initialised before those that import something, and of its kind before internal/….
func init() { grow(false) }

// grow has a frame of the size that is wanted; nothing is put into it.
//
//go:noinline
func grow(fill bool) {
	if fill {
		var room [24 << 10]byte
		use(&room)
	}
}

//go:noinline
func use(room *[24 << 10]byte) { room[0] = 1 }
