// Package fsck derives everything in a store again and says what does not agree: ids from documents,
// rows from documents, events from rows, the chain of the log, read marks and consumed tokens from
// events, and what is left over.
//
// What changes is read until nothing has changed in between, so that a change under way is no fault. A
// fault breaks the promise of the store; a warning does not. Each [Finding] has its place and, where
// one is known, the command that mends it. Package repair works from the same findings.
package fsck
