// Package eventlog holds the audit log of a store: a file of lines, each an event in RFC 8785 canonical JSON:
//
//	{"event_type":…,"payload":…,"prev_hash":…,"primitive_id":"L6","redaction_applied":null,
//	 "schema_version":"1.1.0","ts_utc":…}
//
// prev_hash is the lower-case hex SHA-256 of the canonical form of the event before, without its fields
// signature and signing_key_id; the first event has GENESIS. Lines that begin with [ are markers of
// other tools and are no links of the chain.
//
// [Link] makes the next line, [Read] walks the chain and says what it proves, a [Checkpoint] names how
// far a log had come.
//
// # Claims
//
// A claim is the proof that of all who exchange handoffs over a remote, one
// was the first to do what may be done once.
//
// What may be done once has a key, the one that its line in the ledger begins with. A claim is a ref
// of the remote that is made once and never moved, claims/<sha256 of the key>, so that each key has
// one winner; what ends a take, a release or a done, shares the key …#settle.N. It names a root
// commit with one file, claim.json, in canonical JSON:
//
//	{"claim":{…the line of the ledger…},"format":"handoff-claim/1","nonce":"<32 hex>","writer":"w-…"}
package eventlog
