// Package disk holds the file verbs of the store, each named for what it promises about the disk.
//
// All of them work on plain names inside one open directory, so that nobody can move the place away
// under them. Files are opened without following symbolic links and without waiting for the other end
// of a FIFO, and are checked on the descriptor.
//
// Three rules hold everywhere: a published name never appears without its full content behind it,
// content is synced before its name appears, and what root makes in a directory belongs to the owner
// of that directory. Names themselves survive a power cut only after [Dir.Sync]. After a failed sync
// the descriptor is given up: the kernel may report a later sync of it as good although the data never
// reached the disk.
//
// # Names
//
// The names of the files and directories of a store, each once, and how much of
// each is read:
//
//	handoffs/                  the handoffs directory
//	  INDEX.md                 the table; INDEX-0001.md and so on hold sealed older rows, or INDEX-2026-05.md
//	  .INDEX.md.lock           never truncated, never removed
//	  2026-05-07-….md          the handoffs
//	  .sig/<64 digits>.sig     their signatures
//	.run/                      the state directory
//	  machine-fingerprint      which machine the store belongs to
//	  handoff-events.jsonl     the audit log
//	  consumed-tokens.jsonl    the ledger of resume tokens
//	  …                        and what else is listed here
//
// # Locks
//
// [AcquireLock] takes the exclusive lock of a file, between processes and within one, for as long
// as a critical section lasts.
//
// The lock file is made by the caller when it is missing, and never written,
// truncated, renamed or removed. It must be a regular file with one name that is no symbolic link.
// The library opens it by path; that it is the one that the caller means is seen once the lock is held.
// A waiter is queued by the kernel and does not poll.
//
// # The machine
//
// [Fingerprint] says which machine this is, as a fingerprint, and reads and writes the record of
// the machine that a store was begun on.
//
// The fingerprint is the lower-case hexadecimal SHA-256 of
//
//	hostname|machine-id
//
// where hostname is the first label of the host's name in lower case (on macOS the LocalHostName,
// which does not change with the network), and machine-id is the id that the operating system was
// installed with, trimmed and in lower case, with dashes where the system writes them: 32
// hexadecimal digits on Linux, a UUID on macOS and Windows.
package disk
