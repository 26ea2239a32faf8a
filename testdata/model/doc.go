// Package model explores every way in which kills, power cuts and failed syncs can meet the protocol by which a store
// changes: see package store. It is the reference of that protocol: who changes one changes both.
//
//	go test ./testdata/model                          a small bound, and some of the controls
//	go test ./testdata/model -args -whole             all of it: some minutes
//	go test ./testdata/model -args -only chain -v     the controls whose name has that word
//
// A command is a run of system calls. The exploration goes breadth first from an empty store, so that the first change
// counts too. Before each call it tries a kill, a reader and every tree that a power cut can leave. Each field of rules
// leaves a clause of the protocol out, or reads it in another way; its zero value is the protocol.
//
// # The file system
//
// The log is a row of lines. Of unsynced lines each is lost (zeros, garbage, a part of it), kept, or what stood there
// before; every length that the file had since its sync is possible. Names in both directories are lost or kept each by
// itself; a body without a sync is whole or damaged; INDEX.md that was renamed without a sync may be empty; a pin is
// the new one, the one before, or empty. A sync that fails, also one of the kernel of which nobody hears, leaves pages
// clean that the disk may lack; memory may forget them at once or later.
//
// # The commands
//
// Users A and B, of whom B may have no pin, write d0, d1 or both as a batch, mark, take, prune and repair; somebody
// copies d0 by hand, without a sync. Both documents want the same names. Commands follow each other, since there is a
// lock; the staging of bodies touches only files of its own.
//
// # The properties
//
//	G1 event, G1 document   what an exit 0, "existing" or a refused take rests on is there after every cut
//	G3                      a batch is whole
//	G4                      no event without its document
//	one unsynced            all changes but the last are on the disk, at each call
//	G5 after the command    a command that ended leaves nothing of its own visible that can go
//	reader warned           readers are not warned without a cause
//	stop                    no exit 6 after kills, cuts and failed syncs
//	one winner              one user has taken a document
//	twice                   the same write twice is one file
//	damage is 6             a bad or changed line before the last change; for the owner of the pin in the last one too
//	repair ends it          after a repair, also one that was killed or cut, commands work
//	repair moves, removed   no good document goes
//	note                    the text of people in INDEX.md stays
//
// Assumed is that writing the same bytes again harms none of them (TearsSame shows the loss otherwise), and that a
// directory whose sync failed is not clean (WeakDirs; ext4, XFS and btrfs go read-only).
//
// Not in the model: byte lengths of lines, temporary names, the snapshot, what is kept of a torn end, the parents of
// the directories, the lock file, signatures, what git tracks, exchange, machines, batches of more than two.
package model
