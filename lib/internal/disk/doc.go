// Package disk has the file operations of the store. Each is named for its promise about the disk.
//
// All operations take plain names inside an open directory, so that no other process can move the directory
// away. They do not follow symbolic links or wait for the other end of a FIFO, and they check the open
// descriptor.
//
// Three rules hold everywhere:
//
//   - a published name always has its full content
//   - content is synced before its name appears
//   - what root creates in a directory belongs to the owner of the directory
//
// Names survive a power cut only after [Dir.Sync]. After a failed sync, close the descriptor: the kernel may
// report a later sync as successful although the data never reached the disk.
//
// # Names
//
// The package defines the names of all files and directories of a store, and the largest size that is read:
//
//	handoffs/                  the handoffs directory
//	  INDEX.md                 the table; INDEX-0001.md and so on hold older rows
//	  .INDEX.md.lock           never truncated, never removed
//	  2026-05-07-….md          the handoffs
//	  .sig/<64 digits>.sig     their signatures
//
//	.run/                      the state directory
//	  machine-fingerprint      the machine that the store belongs to
//	  handoff-events.jsonl     the audit log
//	  consumed-tokens.jsonl    the ledger of resume tokens
//	  …                        and the other names below
//
// # Locks
//
// [AcquireLock] takes the exclusive lock of a file, between processes and within one.
//
// The caller creates a missing lock file. A lock file is never written, truncated, renamed or removed. It
// must be a regular file and no symbolic link. The file is opened by path; after locking,
// AcquireLock checks that it is still the same file. The kernel queues waiting processes, so they do not
// poll.
//
// # The machine
//
// [Fingerprint] returns the fingerprint of this machine. A [MachineRecord] stores the fingerprint in a store.
// The fingerprint is the lower-case hexadecimal SHA-256 of
//
//	hostname|machine-id
//
// hostname is the first label of the host's name in lower case. On macOS it is the LocalHostName, which does
// not change with the network. machine-id is the id of the installation of the operating system, trimmed and
// in lower case, with dashes where the system writes them: 32 hexadecimal digits on Linux, a UUID on macOS
// and Windows.
package disk
