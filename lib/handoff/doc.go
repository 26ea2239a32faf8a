// Package handoff stores documents with which people and coding agents pass work on. A stored handoff is never lost,
// never incomplete and never changed without notice. Its text never takes command of a reader.
//
// # Documents
//
// A [Document] is UTF-8 Markdown with a closed YAML frontmatter. Its id is the SHA-256 of its RFC 8785 form ([ID]).
// The stored file always has the same id. [Parse] is strict and reports all faults at once.
//
// # Stores
//
// A [Store] is a handoffs directory with a state directory. The handoffs directory has a file for each handoff. The
// state directory has the hash-chained audit log, which says what happened to them, and the machine that the store
// belongs to. Everything else, such as INDEX.md, is derived: it can be deleted, and decides nothing. [Open] takes
// [Options] and creates nothing. [LoadProject] finds the options as the programs do.
//
//   - If [Store.Write] returns no error, body, name and event are on disk. After an error the document may be missing.
//     Writing it again is safe: the result is one file and one event.
//   - Each change has one commit, under a lock. After a crash, a full disk or a power cut you find the old state or the
//     new one.
//   - Readers take no lock and write nothing. [Store.Read], [Store.Search] and [Store.Surface] return only text that
//     they have proven to be as it was written.
//   - [Store.Verify] compares documents and log. [Maintenance.Repair] repairs a store and throws nothing away.
//   - Only the machine that a store belongs to can change it. [Maintenance.Regenerate] moves a store to this machine.
//
// # Errors
//
// An error that a caller can act on wraps exactly one of [ErrInvalid], [ErrDenied], [ErrBusy], [ErrIntegrity] and
// [ErrConfig]. They are the exit codes 2, 3, 4, 6 and 7 of the programs. Other errors are outside the contract. Match
// with errors.Is and errors.As. An error with a method Hint() string suggests what to do next.
//
// # Untrusted text
//
// Bodies and other texts from operators are stored unchanged and never interpreted. Show them with [Escape],
// [EscapeLine] or [JSON], and to agents with [Framed]. A frame is a mitigation, not a guarantee.
//
// Package record makes handoffs from structured records, and reads them back.
package handoff
