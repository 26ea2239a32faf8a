// Package disk has the verbs with which a store changes files, its lock, its machine and its places. Each verb is
// named for its promise about the disk.
//
// To change something here, know this:
//
//   - A [Dir] is an [os.Root]: a name never leads out of it, also if somebody moves or replaces the directory.
//   - Only plain files are opened. A symbolic link is never followed, and a FIFO never waited for.
//   - A published name has its whole content, which is on the disk before the name.
//   - No verb syncs more than it says: names survive a power cut after [Dir.Sync].
//   - After a failed sync, a later one proves nothing: the kernel may have dropped the data.
//   - What root makes belongs to the owner of the directory. A system or mount that decides owners or modes alone is
//     obeyed.
//
// # Names
//
//	handoffs/                  the handoffs directory
//	  INDEX.md                 the table; INDEX-0001.md and so on hold older rows
//	  .INDEX.md.lock           never truncated, never removed
//	  2026-05-07-….md          the handoffs
//	  .sig/<64 digits>.sig     their signatures
//	  .tmp-<24 digits>         a file that is not published yet; a killed command leaves it
//
//	.run/                      the state directory, with the log
//	  machine-fingerprint      the machine that the store belongs to
//	  held/  kept/             received and not stored yet; cut or moved aside
//
// # Locks
//
// [Dir.Lock] takes the exclusive lock of a file, between processes and within one. The kernel queues those that wait,
// so each has its turn. The lock counts only while its file has its name: who locked a file that was removed or
// replaced meanwhile locks again.
//
// # The machine
//
// [Fingerprint] returns the fingerprint of this machine, and a [MachineRecord] keeps it in a store. It is the
// lower-case hexadecimal SHA-256 of
//
//	hostname|machine-id
//
// hostname is the first label of the host's name in lower case. On macOS it is the LocalHostName, which does
// not change with the network. machine-id is the id of the installation of the operating system, trimmed and
// in lower case, with dashes where the system writes them: 32 hexadecimal digits on Linux, a UUID on macOS
// and Windows. A system without one gets a random id, kept in the state of the user.
package disk
