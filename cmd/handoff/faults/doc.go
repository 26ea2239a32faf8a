// Package faults holds no code, only tests that break the world around the program and then look at what is on disk:
// every system call made to fail, the process killed at it, the power cut, disks full, and crowds of writers.
//
// The tests know the store from its documentation alone and share no code with it, so that a mistake in one is not
// repeated in the other (look_test.go). They need strace and, for some, root and loop devices; without they skip and
// say why. Without HANDOFF_FAULTS they try a little. HANDOFF_FAULTS=ci tries a part of what there is, drawn by
// HANDOFF_SEED; HANDOFF_FAULTS=all tries everything, which takes hours.
//
// A sweep gives a command in which one call fails or is the last one, looks, gives it again, and looks again
// (sweep_test.go). What it has found is tried again by its name, with the calls before it in the log:
//
//	go test ./cmd/handoff/faults -v -run 'TestSweep/^write$' -injections 'fstat:error=EIO:when=36'
//
// A simulation replays what commands ask of the system on a model of the tree (record_test.go, replay_test.go), loses
// what file systems may lose in a power cut (losses_test.go), and gives the program the trees that are left
// (simulation_test.go). On real file systems the power is cut by an ioctl or by a copy of the device
// (powercut_test.go).
//
// A soak lets workers give all commands at once while many of these are killed or stopped, and compares what readers
// and the store say with what was acknowledged: go test ./cmd/handoff/faults -run Soak -soak 15m -timeout 0.
//
// What finds nothing must be able to: each sync is left out once, and programs that are broken on purpose must be found
// (control_test.go, broken_test.go).
//
// The user's state, with the pin, belongs to a path. So each store lies at one path in all its copies, and each test
// has one of its own, with the home of the user beside it.
package faults
