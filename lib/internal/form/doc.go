// Package form holds the forms that a name, an id, a digest and a time have, wherever they stand: in a
// head, in INDEX.md, in the log, in the settings, in a record. Each is checked here and nowhere else,
// so that what one part accepts no other refuses.
//
//	slug     ^[A-Za-z0-9_-]{1,most}$
//	id       ^sha256:[0-9a-f]{64}$
//	digest   ^[0-9a-f]{64}$
//	writer   ^w-[0-9a-f]{16}$
//	instant  RFC 3339 section 5.6 in UTC: upper-case T and Z, none or 1 to 9 digits of a fraction, a day that the
//	         calendar has, no leap second
//	zoned    an instant that may have an offset such as +02:00 in the place of Z
//	ISO      a time of ISO 8601 with its offset, in any of the forms that Python reads
//
// All of this is plain code, but for the times of ISO 8601, which no store asks for: to compile one regular
// expression takes longer than to check every row of a store of ordinary size.
//
// # Escaping
//
// Escaping makes text from someone else fit to be shown to a person or to an agent.
//
// Nothing untrusted reaches a terminal, a log, an error message or a model except through here:
//
//	Escape, EscapeLine     show what cannot be seen or what steers a terminal as \x1b or \u{202e}
//	Frame                  put a body between two lines that it cannot imitate
//	Flags                  name what looks like a tool call or a change of role
//	Budget                 keep a whole output below a number of characters
//	Table, JSON, JSONLine  columns for a terminal, data for programs, data for an agent
//
// Framing is a mitigation: it tells a careful reader what is data. It is no security claim. The
// package reads no files and no environment, and no input makes it panic.
package form
