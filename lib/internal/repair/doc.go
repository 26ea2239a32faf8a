// Package repair mends what fsck finds, under the lock, without throwing anything away: what is
// replaced is kept beside with a time in its name, what does not verify goes into quarantine.
//
// It goes from what proves most to what proves least: a document proves itself by its id, the chain of
// the log proves its events, rows and ledger follow from both. It may be interrupted at any moment and
// run again.
package repair
