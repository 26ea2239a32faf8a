// Package trust says who may do what in a store, and whose signature counts.
//
// # Rules
//
// The rules of a project are its operators file, and the settings verify_operators and schema_mode. What somebody does
// here is judged by the present file. What others did is judged by the accepted rules: those of the newest event
// operators.trust in the audit log. So a checkout of another file changes no state. The first file that is seen is
// accepted; later files only by `handoff operators trust`.
//
// Without a file, or with verify_operators: false, everybody counts. Otherwise these may act:
//
//	send, receive         operators that are listed and have not left; next can always receive
//	mark as read, turns   the same, at the time of the event
//	archive               of them the sender, the recipient, and those with the capability archive
//	take over             of them the recipient, and those with the capability human
//
// With schema_mode: warn all others count as listed, without capabilities, and cause a warning when they act here.
// Without a file only sender and recipient can archive here.
//
// # Signatures
//
// A document is signed in the namespace [operators.Namespace], over its bytes. These name the owner of the key:
//
//   - the user's file of allowed signers, for the names in it: the sender of the document, or the git_email of that
//     operator in the accepted rules
//   - the accepted rules, for all other names
//
// # Credentials
//
// A [Gate] refuses, allows or redacts credentials in new documents.
package trust
