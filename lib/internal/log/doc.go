// Package log keeps the audit log of a store, handoff-events.jsonl. With the documents it is the store: everything
// else can be made from the two again.
//
// # Lines
//
// A line is an event, an object in RFC 8785 form:
//
//	{"event_type":…,"payload":{…},"prev_hash":…,"primitive_id":"L6","redaction_applied":null,
//	 "schema_version":"1.1.0","ts_utc":"2026-11-29T14:05:00.000000Z"}
//
// prev_hash is the lower-case hexadecimal SHA-256 of the RFC 8785 form of the line before, without the members
// signature and signing_key_id, which other tools add. The first line has GENESIS. So the hash of a line covers all
// lines up to it. The chain has no secret: it finds damage, and does not prove who wrote. Lines that begin with [ are
// markers of other tools and belong to no change.
//
// # Changes
//
// A change is one line or several. In a change of n lines, n > 1, the payload of line i has "batch":[i,n]. A change is
// complete if its lines 1 to n stand there and each names the one before. Lines that are part of no complete change
// never happened.
//
// A change is appended by one write at the end of the log, and synced: then it is made. At most one change of a log is
// not synced yet. What follows the last complete change is torn, and the next change cuts it off, unless a complete
// change stands behind it: then the log was damaged.
//
// A pin is the point after the last line that a user's own change left. If the log ends at the pin, all of it is on the
// disk. Otherwise somebody else's change, or one that was killed, may not be. [Open] then writes the whole last change
// again, at its place, and syncs it. It writes because a sync after a failed sync proves nothing.
//
// # What clones exchange
//
// The exchanged line of an event is the RFC 8785 form of its event_type and payload, without the members here and batch
// of the payload. The id of an event is the SHA-256 of that line, so equal lines are one event.
package log
