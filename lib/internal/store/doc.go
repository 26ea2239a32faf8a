// Package store keeps a store: documents and one log. All else, INDEX.md, the pin and the snapshot, is derived from the
// two and made again when it is missing.
//
//	<handoffs directory>/
//	  2026-05-07-alice-bob-retry-policy.md   a document; it never changes
//	  .sig/<64 hex>.sig                      its signature
//	  INDEX.md, INDEX-0001.md …              derived
//	  .INDEX.md.lock                         never truncated, never removed
//	<state directory>/
//	  handoff-events.jsonl                   the log
//	  machine-fingerprint                    the machine of the store
//	  handoff-events.cross-host-staging.jsonl
//	  kept/                                  what was cut or moved aside
//	<user's state>/<hash of the real path of the state directory>/
//	  head                                   the pin: the last line that a change of this user left
//	  open, closed                           the snapshot
//
// # A change
//
//  1. Each body is written to a temporary file of the handoffs directory, and synced.
//  2. The lock is taken.
//  3. The end of the log is compared with the pin, and recovered: see package log. While the log has no change, the
//     record of the machine, the log and the directories become durable.
//  4. The events are planned from the facts. Writing asks the log before the names of files.
//  5. The bodies get their names, and the directory is synced.
//  6. All events are appended by one write, and synced. This is the commit.
//  7. INDEX.md, the pin and the snapshot follow. Nothing is synced, and errors are ignored.
//
// So exit 0 means that body, name and event are on the disk, and an event is never there before its document. If
// appending fails, the names stay: the log may be on the disk nevertheless.
//
// # Reading
//
// Readers take no lock and write nothing. They read the pin before the log, use the snapshot and the log from its
// point, and leave out what recovery would cut. A document is proven by its id each time it is read.
package store
