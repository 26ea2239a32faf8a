// Package roomystack gives a goroutine the stack that a command needs before it begins. Else the stack grows four times, each time
// all that is on it is walked, and the tables that this takes are brought in: a twelfth of what starting costs. Who imports the
// package has it on the main goroutine before anything else is initialised: what imports nothing comes first.
package roomystack

func init() { Grow() }

// Grow is called where a goroutine begins.
func Grow() { grow(false) }

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
