// Package operators reads the operators file (OPERATORS.md), and verifies operators and keys with it.
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
//	  - id: 'web'                         # as of an operator, and different from all of them
//	    members: ['alice', 'bob']         # ids of operators
//
// A key without a value counts as absent. An unknown key is a fault. So is every YAML feature that hides or moves
// data: anchors, aliases, tags, repeated keys, a second document.
//
// # Signatures
//
// The signature of a handoff is an SSH signature (ssh-keygen -Y) in the namespace [Namespace] over its stored bytes.
// The caller verifies it, and finds the key that made it. These name the owner of a key, in this order:
//
//   - the user's file of allowed signers (ssh-keygen(1)), for the names in it: the sender of a handoff, or the
//     git_email of that operator in OPERATORS.md
//   - OPERATORS.md. Its keys are pinned at first sight, until the user trusts other keys.
//
// # Identity
//
// [IdentityOf] returns the operator that the program runs for, if the command line does not name one. The first of
// these that is set counts:
//
//   - HANDOFF_OPERATOR
//   - the operator that `handoff init --operator` has set for this clone
//   - operator in the user's configuration
//   - the operator whose git_email is git's user.email
//   - operator in .handoff.yaml, which a clone contains
//   - the local part of git's user.email, or the first word of user.name, as a slug
package operators
