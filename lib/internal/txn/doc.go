// Package txn changes a store. Only txn takes the lock, adds records to the journal, and recovers.
//
// A [Session] is the time in which one process may change the store. Under the lock each operation makes a
// plan. A plan is a change: a record of effects, and the events that it logs. One function carries out all
// changes:
//
//  1. do what can fail if the disk is full: write the new INDEX.md and new files, without their names
//  2. write the record to the journal and sync it: the change is made
//  3. update the files without syncing them: new files, replaced files, INDEX.md by an exchange of names, the ledger,
//     removed files, and last the lines of the audit log
//
// A process that finds files that differ from the last record recovers. It carries out the records again in
// their order, verifies and syncs all of it, and starts the journal over. The same checkpoint happens when
// the journal is full, and before other stores rely on the changes. If someone saved INDEX.md meanwhile, the
// store keeps that text: the rows belong to the store, all else belongs to the person.
package txn
