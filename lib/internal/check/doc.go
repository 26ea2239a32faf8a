// Package check verifies and repairs a store. It derives everything again and compares: ids from documents,
// rows from documents, events from rows, the chain of the log, read marks and consumed tokens from events. It
// also reports files that do not belong to the store.
//
// [Look] reads the index, the log and the ledger until they stay the same in between. So a change in progress
// is not a fault. A fault breaks a promise of the store; a warning does not. Each [Finding] has its place
// and, if one is known, the command that repairs it.
//
// # Repair
//
// [Repair] repairs what [Verify] finds, under the lock. It deletes nothing. It keeps a copy of each file that
// it replaces, with a time in its name. It moves files that do not verify to quarantine.
//
// It trusts documents most, since their ids prove them. The chain of the log proves the events, and rows and
// ledger follow from both. You can interrupt it at any moment and run it again.
package check
