// Package faults holds no code, only tests that break the world around the program and then look at what
// is on disk: every system call made to fail, the process killed at it, the power cut, disks full, files
// that may not change, hosts that are others, and crowds of writers.
//
// The tests know the store from its documentation alone and share no code with it, so that a mistake in
// one is not repeated in the other. They need strace and, for some, root and loop devices; without they
// skip and say why. HANDOFF_FAULTS=ci tries a part of what there is in each
// scenario, drawn by HANDOFF_SEED, so that runs with different seeds try different parts; HANDOFF_FAULTS=all tries
// everything, which takes hours; of two cuts after one another, which are millions, it draws some. Without either, the
// sweeps and simulations try one write, and those that have no short form skip.
//
// What a sweep has found is tried again by its name, with the calls before it in the log:
// HANDOFF_FAULTS=ci go test ./cmd/handoff/faults -v -run 'TestSweep/^trust$' -injections 'fstat:error=EIO:when=36';
// the flag is a regular expression for any of all the injections there are, such as '.*:error=EIO:when=\d+'.
//
// Each store lies at the same path in all its copies, in a memory file system of its own where the caller may mount
// one: the program authenticates what it writes with a key that follows from the path, and with the secret in the home
// of the user, which lies beside the project and is killed, cut and filled up with it (site_test.go).
//
// Beside these a simulation replays what commands ask of the system on a model of the directory tree (record_test.go,
// replay_test.go), loses what file systems may lose in a power cut (losses_test.go), and gives the program the trees
// that are left, after another start of the system (cuts_test.go): list, read and verify show all that was
// acknowledged, and the next command recovers. Syncs that fail forget what they were to write. That the simulation
// finds what is missing is shown by leaving out, one after the other, the one sync of a change, the order of a
// checkpoint, the text of INDEX.md in it, and its proof (control_test.go). How often commands wait for the disk is
// counted in count_test.go.
//
// A soak lets workers give all commands at once while many of these are killed or stopped, and compares what readers
// and the store say with what was acknowledged: go test ./cmd/handoff/faults -run Soak -soak 15m -timeout 0. A round
// that fails names its seed, for -soakseed.
//
// Histories of take, steal, done, release and reopen, by many sessions in one store, are compared with a
// model of the life of a handoff (historymodel_test.go) by porcupine, which looks for an order of events that
// explains all answers: go test ./cmd/handoff/faults -run Histories -histories 15m -timeout 0. A history that nothing
// explains names its seed, for -historyseed.
package faults
