// Package eventlog reads the audit log of a store and makes its lines. Each line is an event in RFC 8785
// canonical JSON:
//
//	{"event_type":…,"payload":…,"prev_hash":…,"primitive_id":"L6","redaction_applied":null,
//	 "schema_version":"1.1.0","ts_utc":…}
//
// prev_hash is the lower-case hex SHA-256 of the canonical form of the event before, without its fields
// signature and signing_key_id. The first event has GENESIS. A line that begins with [ is a marker of another
// tool and not part of the chain.
//
// [Link] makes the next line. [Read] follows the chain and returns what it proves. A [Checkpoint] names a
// position in the log.
//
// # Claims
//
// A claim proves which of all clones of a remote was the first to perform an action that may happen only
// once.
//
// Such an action has a key: the token at the beginning of its line in the ledger. A claim is a ref of the
// remote, claims/<sha256 of the key>. It is made once and never moved, so each key has one winner. A release
// and a done of the same take share the key …#settle.N. The ref names a root commit with one file,
// claim.json, in canonical JSON:
//
//	{"claim":{…the line of the ledger…},"format":"handoff-claim/1","nonce":"<32 hex>","writer":"w-…"}
package eventlog
