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
package eventlog
