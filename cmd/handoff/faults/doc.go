// Package faults holds no code, only tests that break the world around the program and then look at what
// is on disk: every system call made to fail, the process killed at it, the power cut, disks full, files
// that may not change, hosts that are others, and crowds of writers.
//
// The tests know the store from its documentation alone and share no code with it, so that a mistake in
// one is not repeated in the other. They need strace and, for some, root and loop devices; without they
// skip and say why. HANDOFF_FAULTS=ci kills every scenario wherever it changed something (with portable
// staging every other one), tries ENOSPC and EIO at every call of those that come first, for as long as
// closeTime says, and a sample of the rest, of which it leaves out two thirds after wholeTime; HANDOFF_FAULTS=all tries everything, which takes hours; without
// either only what is quick runs.
//
// Beside these a simulation replays what commands ask of the system on a model of the directory tree (record_test.go,
// replay_test.go), loses what file systems may lose in a power cut (losses_test.go), and gives the program the trees
// that are left (cuts_test.go). That each sync is needed is shown by leaving it out of the model (dropped_test.go).
//
// A soak lets workers give all commands at once while many of these are killed or stopped, and compares what readers and
// the store say with what was acknowledged: go test ./cmd/handoff/faults -run Soak -soak 15m -timeout 0. A round that
// fails names its seed, for -soakseed.
//
// Clones of a project, each on a host of its own where unshare(2) may make one, exchange what they have over one repository (by
// path, git's own protocol and HTTP), kill and hinder each other, and must all end with the same:
// go test ./cmd/handoff/faults -run SimulateClones -replicas 64 -rounds 20 -timeout 0; a few of them do in each run.
package faults
