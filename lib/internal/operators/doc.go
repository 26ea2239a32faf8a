// Package operators reads the operators file (OPERATORS.md) and says what it tells about an operator.
//
// The file is Markdown whose YAML frontmatter is
//
//	schema_version: '1.0'
//	operators:
//	  - id: 'alice'                       # ^[A-Za-z0-9_-]{1,64}$, unique; the only key that an operator needs
//	    display_name: 'Alice Example'
//	    github_handle: 'alice-example'
//	    git_email: 'alice@example.org'
//	    capabilities: ['write', 'merge']  # may be empty
//	    active_since: 2026-01-01          # a date or an RFC 3339 time, quoted or not
//	    active_until: 2026-12-31          # a date counts to its last moment in UTC
//	    gpg_key_fingerprint: '…'          # 40 hexadecimal digits
//	    ssh_keys:                         # what the operator signs with
//	      - key: 'ssh-ed25519 AAAA…'      # as OpenSSH writes public keys
//	        valid_after: 2026-01-01       # the first moment of a date in UTC, as in valid_before
//	        valid_before: 2027-01-01
//	    require_signature: 'refuse'       # none (default), flag or refuse
//	policies:                             # the first that is about a handoff decides
//	  - from: 'bot'                       # an id, or * for everybody
//	    to: '*'
//	    approve: 'required'               # or none: somebody with the capability approve has to let it pass
//
// A key without a value counts as absent. Every other key, and
// every YAML feature that hides or moves data (anchors, aliases, tags, repeated keys, a second
// document), is a fault.
//
// # Signatures
//
// The keys of operators say whose signature one is: which keys are whose, when they count, and which were
// seen before.
//
// A signature of a handoff is an SSH signature (ssh-keygen -Y) in the namespace [Namespace] over its
// stored bytes. Whether it is one of those bytes is for the caller to find out, who gets the key that
// made it. Whose key that is say, in this order,
//
//   - the user's file of allowed signers, as ssh-keygen(1) has it, for whom it names: a handoff's from, or the git_email that
//     OPERATORS.md gives it;
//   - OPERATORS.md, whose keys count as they were pinned at first sight, until somebody trusts others.
//
// # Identity
//
// [IdentityOf] says for whom the program runs where the command line does not, by one rule for
// every command: HANDOFF_OPERATOR; what `handoff init --operator` has set for this clone; operator in the user's
// configuration;
// the operator whose git_email is git's user.email; operator in .handoff.yaml, which a clone carries; the local part
// of git's user.email, or the first of user.name, as a slug.
package operators
