// Package txn changes a store: it is the only one that takes the lock, adds records to the journal, and recovers.
//
// A [Session] is the time in which one process may change the store. Under the lock each operation makes its
// plan, which is a change: a record of effects, and the events that it logs. One function makes all of them:
//
//  1. what can fail for want of room is done: the new INDEX.md and new files are written without their names
//  2. the record is written to the journal and synced once: the change is made
//  3. the files follow, without a sync of their own: new ones, replaced ones, INDEX.md by an exchange of names,
//     the ledger, removed ones, and the lines of the audit log last
//
// A process that finds files which are not as the last record says carries the records out again, in their
// order, proves and syncs all of it, and begins the journal anew. The same checkpoint is made when the journal
// is full, and before others rely on what was written. What somebody has saved in INDEX.md meanwhile is kept:
// the rows are the store's, all else is theirs.
package txn
