// Package trust judges the signatures of handoffs. The owners of keys are named by the operators file, by the pinned
// keys, and by the user's file of allowed signers.
//
// # Approvals
//
// A [Desk] decides which handoffs need an approval, and whether a verdict is signed as required. A verdict is a line
// of the ledger, as a take is.
//
// # Credentials
//
// A [Gate] refuses, allows or redacts credentials in new documents.
package trust
