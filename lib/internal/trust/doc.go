// Package trust judges the signatures of handoffs: whose keys are whose, as the operators file, the
// keys that were seen before and the user's file of allowed signers say.
//
// # Approvals
//
// A [Desk] says which handoffs need an approval, and what an approval or a rejection has to be
// signed with. That one was given is a line of the ledger, as taking a handoff is.
//
// # Credentials
//
// A [Gate] is what a store does about credentials in what is written: it refuses, lets through
// or redacts them, as its policy says.
package trust
