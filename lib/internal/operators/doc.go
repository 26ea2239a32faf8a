// Package operators reads the operators file (OPERATORS.md), and says by it who may do what in a store, and whose
// signature counts.
//
// The file is Markdown with this YAML frontmatter:
//
//	schema_version: '1.0'
//	operators:
//	  - id: 'alice'                       # an operator name, unique; the only required key of an operator
//	    display_name: 'Alice Example'
//	    github_handle: 'alice-example'
//	    git_email: 'alice@example.org'
//	    capabilities: ['write', 'merge']  # may be empty
//	    active_since: 2026-01-01          # a date or an RFC 3339 time, quoted or not
//	    active_until: 2026-12-31          # a date includes its last moment in UTC
//	    ssh_keys:                         # the keys that the operator signs with
//	      - key: 'ssh-ed25519 AAAA…'      # as OpenSSH writes public keys
//	    require_signature: 'refuse'       # none (default) or refuse
//	teams:                                # names for several recipients
//	  web: ['alice', 'bob']               # ids of operators; no team has the id of an operator
//
// A key without a value counts as absent. An unknown key is a fault. So is every YAML feature that hides or moves
// data: anchors, aliases, tags, repeated keys, a second document.
//
// [List.JSON] has the same keys, without those that are absent. The audit log keeps it.
//
// # Allowed signers
//
// [ParseAllowed] reads the user's own file of allowed signers, as ssh-keygen(1) describes it.
//
// # Identity
//
// The operator that the program runs for, if the command line does not name one, is the first of these that is set.
// [IdentityOf] knows the last three:
//
//   - HANDOFF_OPERATOR
//   - the operator that `handoff init --operator` has set for this clone
//   - operator in the user's configuration
//   - the operator whose git_email is git's user.email
//   - operator in .handoff.yaml, which a clone contains
//   - the local part of git's user.email, or the first word of user.name, as a slug
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
// A document is signed in the namespace [Namespace], over its bytes. These name the owner of the key:
//
//   - the user's file of allowed signers, for the names in it: the sender of the document, or the git_email of that
//     operator in the accepted rules
//   - the accepted rules, for all other names
//
// # Credentials
//
// A [Gate] refuses, allows or redacts credentials in new documents.
package operators
