// Package form defines the forms of names, ids, digests and times in all files: in documents, in INDEX.md, in the
// log, in the settings and in records. Each form is checked only here, so all parts of the program accept the same
// text.
//
//	slug     ^[A-Za-z0-9_-]{1,most}$
//	name     ^[A-Za-z0-9_][A-Za-z0-9_-]{0,63}$
//	id       ^sha256:[0-9a-f]{64}$
//	digest   ^[0-9a-f]{64}$
//	writer   ^w-[0-9a-f]{16}$
//	instant  RFC 3339 section 5.6 in UTC: upper-case T and Z, no fraction or one of 1 to 9 digits, a day of the
//	         calendar, no leap second
//	zoned    an instant that may have an offset such as +02:00 instead of Z
//	ISO      a time of ISO 8601 with its offset, in any form that Python reads
//
// Only the times of ISO 8601, which no store needs, use a regular expression. Compiling one takes longer than
// checking every row of an ordinary store.
//
// # Escaping
//
// Escaping makes untrusted text safe to show to a person or an agent. Untrusted text reaches a terminal, a log, an
// error message or a model only through these functions:
//
//	Escape, EscapeLine     write invisible and control characters as \x1b or \u{202e}
//	Frame                  put a body between two lines that it cannot imitate
//	Dangers                find dangerous instructions
//	Budget                 limit the characters of a whole output
//	Table, JSON, JSONLine  columns for a terminal, data for programs, data for an agent
//
// A frame is a mitigation, not a guarantee: it shows a careful reader what is data. The package reads no files and no
// environment, and no input makes it panic.
package form
