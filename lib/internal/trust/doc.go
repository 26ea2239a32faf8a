// Package trust judges the signatures of handoffs. The owners of keys are named by the operators file, by the pinned
// keys, and by the user's file of allowed signers.
//
// # Credentials
//
// A [Gate] refuses, allows or redacts credentials in new documents.
package trust
