// Package txn changes a store: it is the only one that takes the lock, writes index files, log and
// ledger, and recovers.
//
// A [Session] is the time in which one process may change the store. Under the lock each change is one
// step of an [Operation], carried out in an order that lets any interruption be finished or taken back
// (spec 2-store):
//
//  1. the audit log is prepared: a torn end goes aside, room is reserved, the lines are linked to its head
//  2. the intent appears whole and is durable: what will be published, and the lines of the log
//  3. bodies get their names, exclusively, and the directory is synced
//  4. the commit: one file is replaced, or one line of the ledger is synced
//  5. the lines are appended to the log and synced
//  6. the intent is removed
//
// Who finds an intent recovers first. Committed changes are completed; what is not committed is taken
// back, unless the log has it already: then an index file was put back to an older state, and the
// change is made again. An intent carries an HMAC with the secret of the state directory ([Key]): what
// others put there is refused.
package txn
