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
package operators
