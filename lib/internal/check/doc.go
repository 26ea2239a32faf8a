// Package check derives everything in a store again and says what does not agree: ids from documents,
// rows from documents, events from rows, the chain of the log, read marks and consumed tokens from
// events, and what is left over.
//
// What changes is read until nothing has changed in between, so that a change under way is no fault. A
// fault breaks the promise of the store; a warning does not. Each [Finding] has its place and, where
// one is known, the command that mends it. Package repair works from the same findings.
//
// # Repair
//
// [Repair] mends what [Verify] finds, under the lock, without throwing anything away: what is
// replaced is kept beside with a time in its name, what does not verify goes into quarantine.
//
// It goes from what proves most to what proves least: a document proves itself by its id, the chain of
// the log proves its events, rows and ledger follow from both. It may be interrupted at any moment and
// run again.
//
// # Checkpoints
//
// [KeepCheckpoint] keeps signed checkpoints of an audit log in the state directory: how far the log
// had come when somebody signed for it.
package check
